import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { adminPassword } from './administrator.ts'

/** An SMTP client that sends exactly what a test gives it. */
export interface Dialogue {
  /** The greeting. */
  greeting: string
  /** Sends one line and answers with the whole reply, line ends taken out of its end. */
  say(line: string): Promise<string>
  /** Sends bytes as they are. */
  send(bytes: string | Buffer): void
  /** The next reply. Rejects where the server closes first. */
  read(): Promise<string>
  /** Upgrades to TLS and accepts any certificate. */
  startTls(): Promise<void>
  /** Logs in by AUTH PLAIN. */
  logIn(user: string, password: string): Promise<string>
  /** Submits a message; resolves to the reply after its last line. */
  hand(message: { from?: string; to: readonly string[]; raw: string }): Promise<string>
  /** Resolves once the server has closed its side. */
  ended: Promise<void>
  /** Closes this side. */
  end(): void
  destroy(): void
  /** Breaks the connection, as a network does. */
  reset(): void
}

const replyTimeoutMs = 20_000

/** Connects to a server on loopback and waits for its greeting. */
export async function openDialogue(
  port: number,
  { isSecure = false, host = '127.0.0.1' }: { isSecure?: boolean; host?: string } = {},
): Promise<Dialogue> {
  const socket = isSecure
    ? connectTls({ port, host, rejectUnauthorized: false })
    : connect({ port, host, noDelay: true })
  const line = new Line(socket)
  const greeting = await line.read()
  const say = (text: string) => {
    line.socket.write(`${text}\r\n`)
    return line.read()
  }
  return {
    greeting,
    say,
    send: (bytes) => void line.socket.write(bytes),
    read: () => line.read(),
    startTls: () => line.startTls(),
    logIn(user, password) {
      return say(`AUTH PLAIN ${Buffer.from(`\0${user}\0${password}`).toString('base64')}`)
    },
    async hand({ from = 'sender@example.com', to, raw }) {
      const replies = [await say(`MAIL FROM:<${from}>`)]
      for (const address of to) replies.push(await say(`RCPT TO:<${address}>`))
      replies.push(await say('DATA'))
      if (!replies.at(-1)?.startsWith('354'))
        return replies.find((each) => /^[45]/.test(each)) ?? ''
      const stuffed = raw.replaceAll(/\r?\n/g, '\r\n').replaceAll(/^\./gm, '..')
      line.socket.write(`${stuffed}${stuffed.endsWith('\n') ? '' : '\r\n'}.\r\n`)
      return line.read()
    },
    get ended() {
      return line.ended
    },
    end: () => void line.socket.end(),
    reset: () => line.socket.resetAndDestroy(),
    destroy: () => void line.socket.destroy(),
  }
}

/** Connects and logs in; by default as the administrator. */
export async function dialAs(
  port: number,
  user = 'admin',
  password: string = adminPassword,
): Promise<Dialogue> {
  const client = await openDialogue(port)
  await client.say('EHLO client.test')
  assert.match(await client.logIn(user, password), /^235 /)
  return client
}

/** What comes in, cut into replies. */
class Line {
  socket: Socket
  ended!: Promise<void>
  #text = ''
  #hasEnded = false
  #wake: () => void = () => undefined

  constructor(socket: Socket) {
    this.socket = socket
    this.#listen(socket)
  }

  async read(): Promise<string> {
    const late = setTimeout(() => this.socket.destroy(), replyTimeoutMs)
    try {
      for (;;) {
        const reply = /^(?:\d{3}-.*\r\n)*\d{3}(?: .*)?\r\n/.exec(this.#text)?.[0]
        if (reply !== undefined) {
          this.#text = this.#text.slice(reply.length)
          return reply.trimEnd()
        }
        if (this.#hasEnded) throw new Error(`The server closed; it had said: ${this.#text}`)
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
      }
    } finally {
      clearTimeout(late)
    }
  }

  async startTls(): Promise<void> {
    const plain = this.socket
    plain.removeAllListeners('data').removeAllListeners('end').removeAllListeners('close')
    const secured: TLSSocket = connectTls({ socket: plain, rejectUnauthorized: false })
    await new Promise<void>((resolve, reject) => {
      secured.once('secureConnect', resolve).once('error', reject)
    })
    this.socket = secured
    this.#listen(secured)
  }

  #listen(socket: Socket): void {
    socket.on('data', (chunk: Buffer) => {
      this.#text += chunk.toString()
      this.#wake()
    })
    socket.on('error', () => socket.destroy())
    this.ended = new Promise((resolve) => {
      const end = () => {
        this.#hasEnded = true
        this.#wake()
        resolve()
      }
      socket.once('end', end).once('close', end)
    })
  }
}
