import type { Socket } from 'node:net'
import type { FaultError } from '../delivery/fault-error.ts'
import type { Observer } from '../delivery/observer.ts'
import type { Redactor } from '../delivery/redactor.ts'
import type { AwaitedReply } from './awaited-reply.ts'
import { type Extensions, noExtensions } from './extensions.ts'
import { NotSmtpError, ReplyReader } from './reply-reader.ts'
import { closedFault, garbageFault, stalledFault } from './session-fault.ts'
import type { SmtpReply } from './smtp-reply.ts'

type MakeFault = (awaited: AwaitedReply) => FaultError

interface Waiting {
  readonly awaited: AwaitedReply
  readonly resolve: (reply: SmtpReply) => void
  readonly reject: (error: FaultError) => void
}

interface SessionOptions {
  /** Host and port, for sentences. */
  readonly server: string
  readonly redact: Redactor
  readonly observer: Observer
}

const quitTimeoutMs = 2000
/** Room for a goodbye that nobody asked for. */
const unaskedBytesMax = 64 * 1024

/**
 * The dialogue on one connection: lines go out, replies come in and go to whoever asked for them, in
 * order, each within its time. After any fault the session is dead and its socket closed.
 */
export class SmtpSession {
  readonly server: string
  readonly redact: Redactor
  readonly observer: Observer
  extensions: Extensions = noExtensions
  /** Messages that were begun on it. */
  messages = 0
  /** A transaction may be open at the server: the next one begins with RSET. */
  needsReset = false

  #socket: Socket
  #reader = new ReplyReader()
  readonly #replies: SmtpReply[] = []
  readonly #waiting: Waiting[] = []
  #timer: NodeJS.Timeout | undefined
  #failure: MakeFault | undefined
  #isRetiring = false
  /** What came since a reply was last waited for. */
  #unaskedBytes = 0
  #progress: (() => void) | undefined

  constructor(socket: Socket, { server, redact, observer }: SessionOptions) {
    this.server = server
    this.redact = redact
    this.observer = observer
    this.#socket = socket
    this.#listen(socket)
  }

  /** Whether it can take another command: alive, and no reply has come that nobody asked for. */
  get isUsable(): boolean {
    const hasEnded = this.#failure !== undefined || this.#isRetiring
    return !hasEnded && !this.hasReply && !this.#reader.isPartial
  }

  /** Whether a reply is there that nobody has read. */
  get hasReply(): boolean {
    return this.#replies.length > 0
  }

  /** Whether replies are still to come for what was sent. */
  get isAwaiting(): boolean {
    return this.#waiting.length > 0
  }

  /** Sends one command. `shown` replaces it in the transcript where it holds a secret. */
  sendLine(line: string, shown = line): void {
    this.observer.sent(shown)
    this.#socket.write(`${line}\r\n`)
  }

  /** Sends several commands at once (RFC 2920). */
  sendLines(lines: readonly string[]): void {
    for (const line of lines) this.observer.sent(line)
    this.#socket.write(`${lines.join('\r\n')}\r\n`)
  }

  /** Sends bytes of a message. */
  write(bytes: Buffer): void {
    this.#socket.write(bytes)
  }

  /** Keeps what is sent until this turn of the event loop ends, so that it leaves in one piece. */
  gather(): void {
    const socket = this.#socket
    socket.cork()
    process.nextTick(() => socket.uncork())
  }

  /** The next reply that nobody before asked for. Throws FaultError. */
  readReply(awaited: AwaitedReply): Promise<SmtpReply> {
    const reply = this.#replies.shift()
    if (reply !== undefined) return Promise.resolve(reply)
    if (this.#failure) return Promise.reject(this.#failure(awaited))
    this.#unaskedBytes = 0
    return new Promise((resolve, reject) => {
      this.#waiting.push({ awaited, resolve, reject })
      if (this.#waiting.length === 1) this.#startTimer(awaited)
    })
  }

  /** Waits until the socket takes more bytes, or a reply has come all the same. Throws FaultError. */
  async drain(awaited: AwaitedReply): Promise<void> {
    if (this.#socket.writableNeedDrain && !this.hasReply && this.#failure === undefined)
      await new Promise<void>((resolve) => {
        this.#progress = resolve
        this.#socket.once('drain', resolve)
        this.#startTimer(awaited)
      })
    this.#progress = undefined
    clearTimeout(this.#timer)
    if (this.#failure && !this.hasReply) throw this.#failure(awaited)
  }

  /** Hands the socket over, such as to TLS. Throws FaultError if the server said more than it was asked. */
  release(awaited: AwaitedReply): Socket {
    if (this.#failure) throw this.#failure(awaited)
    if (!this.isUsable) {
      // What came in plain text must not count as said under TLS (CVE-2011-0411).
      this.destroy()
      throw garbageFault(this.server, awaited, 'more than one reply')
    }
    const socket = this.#socket
    socket.off('data', this.#onData).off('error', this.#onError)
    socket.off('end', this.#onEnd).off('close', this.#onEnd)
    return socket
  }

  /** Goes on over another socket, with nothing known of the server. */
  adopt(socket: Socket): void {
    this.#socket = socket
    this.#reader = new ReplyReader()
    this.extensions = noExtensions
    this.#listen(socket)
  }

  /** Ends the session at once; whoever waits gets what `failure` makes of what he waits for. */
  destroy(failure: MakeFault = (awaited) => closedFault(this.server, awaited, undefined)): void {
    if (this.#failure) return
    this.#failure = failure
    clearTimeout(this.#timer)
    this.#socket.destroy()
    this.#progress?.()
    for (const { awaited, reject } of this.#waiting.splice(0)) reject(failure(awaited))
  }

  /** Ends the session for whoever waits last; a reply that somebody before him waits for is heard yet. */
  cutOff(): void {
    if (this.#waiting.length < 2) {
      this.destroy()
      return
    }
    this.#isRetiring = true
    const last = this.#waiting.pop()
    last?.reject(closedFault(this.server, last.awaited, undefined))
  }

  /** Says goodbye and closes, once the replies that are waited for have come. */
  quit(): void {
    this.#isRetiring = true
    if (this.#waiting.length > 0 || this.#failure) return
    this.#failure = (awaited) => closedFault(this.server, awaited, undefined)
    const socket = this.#socket
    if (socket.destroyed) return
    this.observer.sent('QUIT')
    socket.end('QUIT\r\n')
    // A server that never closes its side must not hold the connection.
    socket.setTimeout(quitTimeoutMs, () => socket.destroy())
    socket.once('data', () => socket.destroy())
  }

  readonly #onData = (chunk: Buffer) => this.#receive(chunk)
  readonly #onError = (error: Error) => {
    this.destroy((awaited) => closedFault(this.server, awaited, error))
  }
  readonly #onEnd = () => this.destroy()

  #listen(socket: Socket): void {
    socket.on('data', this.#onData).on('error', this.#onError)
    socket.on('end', this.#onEnd).on('close', this.#onEnd)
  }

  #receive(chunk: Buffer): void {
    if (this.#failure) return
    if (this.#waiting.length === 0) this.#unaskedBytes += chunk.length
    if (this.#unaskedBytes > unaskedBytesMax) {
      this.destroy((awaited) => garbageFault(this.server, awaited, 'more than it was asked'))
      return
    }
    try {
      this.#reader.push(chunk, this.#deliver)
    } catch (error) {
      if (!(error instanceof NotSmtpError)) throw error
      const excerpt = this.redact(error.excerpt)
      this.observer.received(0, [excerpt])
      this.destroy((awaited) => garbageFault(this.server, awaited, excerpt))
      return
    }
    if (this.#waiting.length === 0 && this.#isRetiring) this.quit()
  }

  readonly #deliver = (reply: SmtpReply): void => {
    this.observer.received(reply.code, reply.lines)
    const waiting = this.#waiting.shift()
    if (waiting === undefined) {
      this.#replies.push(reply)
      this.#progress?.()
      return
    }
    clearTimeout(this.#timer)
    const [next] = this.#waiting
    if (next !== undefined) this.#startTimer(next.awaited)
    waiting.resolve(reply)
  }

  #startTimer(awaited: AwaitedReply): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.destroy((at) => stalledFault(this.server, at))
    }, awaited.timeoutMs)
  }
}
