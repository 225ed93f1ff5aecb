import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'

/** An SMTP server that takes any log-in, and holds back its reply to DATA until a test lets it go. */
export interface HoldingServer {
  readonly dsn: string
  /** The recipients whose DATA waits for its reply. */
  readonly held: readonly string[]
  /** The recipients of the messages that it accepted. */
  readonly received: readonly string[]
  /** Replies to the held DATA of this recipient, or to all that come from now on. */
  release(recipient: string): void
  /** Holds new ones back, or not. */
  isHolding: boolean
  /** Stops to read within the next message; resolves when it has, with what lets it go on. */
  stall(): Promise<() => void>
  close(): Promise<void>
}

/** Starts one on a free port of loopback. */
export async function startHoldingServer(): Promise<HoldingServer> {
  const held = new Map<string, () => void>()
  const received: string[] = []
  const sockets = new Set<Socket>()
  const holding = { isOn: true }
  let onLine: ((socket: Socket) => void) | undefined
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined)
    serve(socket, {
      onData(recipient, reply) {
        if (holding.isOn) held.set(recipient, reply)
        else reply()
      },
      onLine() {
        onLine?.(socket)
        onLine = undefined
      },
      onMessage: (recipient) => void received.push(recipient),
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    dsn: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    get held() {
      return [...held.keys()]
    },
    release(recipient) {
      held.get(recipient)?.()
      held.delete(recipient)
    },
    get isHolding() {
      return holding.isOn
    },
    set isHolding(isOn) {
      holding.isOn = isOn
    },
    stall: () =>
      new Promise((resolve) => {
        onLine = (socket) => {
          socket.pause()
          resolve(() => void socket.resume())
        }
      }),
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

interface Handlers {
  onData: (recipient: string, reply: () => void) => void
  /** Called with each line of a message. */
  onLine: () => void
  onMessage: (recipient: string) => void
}

function serve(socket: Socket, { onData, onLine, onMessage }: Handlers): void {
  let recipient = ''
  let isMessage = false
  const say = (reply: string) => void socket.write(`${reply}\r\n`)
  say('220 holding ESMTP')
  createInterface({ input: socket }).on('line', (line) => {
    if (isMessage) {
      onLine()
      if (line !== '.') return
      isMessage = false
      onMessage(recipient)
      say('250 2.0.0 Ok')
      return
    }
    if (/^RCPT/i.test(line)) recipient = /<(.*?)>/.exec(line)?.[1] ?? ''
    if (/^EHLO/i.test(line)) return say('250-holding\r\n250 AUTH PLAIN')
    if (/^AUTH/i.test(line)) return say('235 2.7.0 Ok')
    if (!/^DATA/i.test(line)) return say('250 Ok')
    onData(recipient, () => {
      isMessage = true
      say('354 Go ahead')
    })
  })
}
