import { openCable } from './cable.ts'

/** What a client said, seen on the wire. */
export interface Overheard {
  from: string
  to: string[]
  /** The message as the client meant it, dots unstuffed. */
  raw: Buffer
}

/** Passes everything on between a client and a server, and keeps the messages that go by. */
export interface Wiretap {
  port: number
  overheard: Overheard[]
  close(): Promise<void>
}

/** Opens a wiretap on a free port of loopback, for one client at a time. */
export async function openWiretap(serverPort: number): Promise<Wiretap> {
  const overheard: Overheard[] = []
  const { onClient, onServer } = createListener(overheard)
  const cable = await openCable({ toServer: onClient, toClient: onServer })
  cable.leadTo(serverPort)
  return { port: cable.port, overheard, close: () => cable.close() }
}

/** Follows one dialogue: between a 354 and a lone dot the client speaks the message. */
function createListener(overheard: Overheard[]) {
  let commands = ''
  let replies = ''
  let pieces: Buffer[] | undefined
  return {
    onServer: (chunk: Buffer) => {
      replies = (replies + chunk.toString()).slice(-1_000)
      if (!/^354 .*\r\n$/m.test(replies)) return
      pieces = []
      replies = ''
    },
    onClient: (chunk: Buffer) => {
      if (pieces === undefined) {
        commands += chunk.toString()
        return
      }
      pieces.push(chunk)
      const end = Buffer.concat(pieces.slice(-3)).subarray(-5).toString('latin1')
      if (!`\r\n${end}`.endsWith('\r\n.\r\n')) return
      const stuffed = Buffer.concat(pieces).toString('latin1').slice(0, -3)
      const raw = Buffer.from(stuffed.replaceAll(/(^|\r\n)\.\./g, '$1.'), 'latin1')
      const addresses = (verb: string) =>
        [...commands.matchAll(new RegExp(`^${verb}:<([^>]*)>`, 'gim'))].map(([, one = '']) => one)
      overheard.push({ from: addresses('MAIL FROM').at(-1) ?? '', to: addresses('RCPT TO'), raw })
      pieces = undefined
      commands = ''
    },
  }
}
