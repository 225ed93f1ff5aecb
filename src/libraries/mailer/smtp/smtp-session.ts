import type { Socket } from 'node:net'
import { Alarm } from '../../../kit/timers.ts'
import type { FaultError } from '../delivery/fault-error.ts'
import type { Redactor } from '../delivery/redactor.ts'
import type { Observer } from '../delivery/stage.ts'
import { type AwaitedReply, closedFault, garbageFault, stalledFault } from './session-fault.ts'
import {
  type Extensions,
  NotSmtpError,
  noExtensions,
  ReplyReader,
  type SmtpReply,
} from './smtp-reply.ts'

type MakeFault = (awaited: AwaitedReply) => FaultError

interface Waiting {
  readonly awaited: AwaitedReply
  readonly resolve: (reply: SmtpReply) => void
  readonly reject: (error: FaultError) => void
}

interface SessionOptions {
  /** Host and port, for messages to people. */
  readonly server: string
  readonly redact: Redactor
  readonly observer: Observer
}

/** How long a server may take to close after QUIT. */
export const quitTimeoutMs = 2000
/** The limit for unsolicited bytes; a 421 before the server closes is expected. */
const unaskedBytesMax = 64 * 1024

/**
 * The SMTP dialogue on one connection. Replies are matched to their readers in order, each with a time limit. After a
 * fault the session cannot be used again and its socket is closed.
 */
export class SmtpSession {
  readonly server: string
  readonly redact: Redactor
  readonly observer: Observer
  extensions: Extensions = noExtensions
  /** The number of messages that were started on it. */
  messages = 0
  /** Whether a transaction may be open at the server: the next one starts with RSET. */
  needsReset = false

  #socket: Socket
  #reader = new ReplyReader()
  readonly #replies: SmtpReply[] = []
  readonly #waiting: Waiting[] = []
  readonly #timer = new Alarm(() => this.destroy((at) => stalledFault(this.server, at)))
  #failure: MakeFault | undefined
  #isRetiring = false
  /** Bytes received while no reply was awaited. */
  #unaskedBytes = 0
  #progress: (() => void) | undefined

  constructor(socket: Socket, { server, redact, observer }: SessionOptions) {
    this.server = server
    this.redact = redact
    this.observer = observer
    this.#socket = socket
    this.#listen(socket)
  }

  /** Whether it can send another command: it is open, and no unsolicited reply was received. */
  get isUsable(): boolean {
    const hasEnded = this.#failure !== undefined || this.#isRetiring
    return !hasEnded && !this.hasReply && !this.#reader.isPartial
  }

  /** Whether a reply was received and not read yet. */
  get hasReply(): boolean {
    return this.#replies.length > 0
  }

  /** Whether replies to sent commands are still missing. */
  get isAwaiting(): boolean {
    return this.#waiting.length > 0
  }

  /** Sends one command. `shown` replaces it in the transcript when it contains a secret. */
  sendLine(line: string, shown = line): void {
    this.observer.sent(shown)
    this.#socket.write(`${line}\r\n`)
  }

  /**
   * Sends several commands in one write.
   * @see RFC 2920
   */
  sendLines(lines: readonly string[]): void {
    for (const line of lines) this.observer.sent(line)
    this.#socket.write(`${lines.join('\r\n')}\r\n`)
  }

  /** Sends bytes of a message. */
  write(bytes: Buffer): void {
    this.#socket.write(bytes)
  }

  /** Corks the socket until the next tick, so that consecutive writes are sent together. */
  gather(): void {
    const socket = this.#socket
    socket.cork()
    process.nextTick(() => socket.uncork())
  }

  /**
   * Waits for the next reply that no earlier call waits for.
   * @throws {FaultError}
   */
  readReply(awaited: AwaitedReply): Promise<SmtpReply> {
    const reply = this.#replies.shift()
    if (reply !== undefined) return Promise.resolve(reply)
    if (this.#failure) return Promise.reject(this.#failure(awaited))
    this.#unaskedBytes = 0
    return new Promise((resolve, reject) => {
      this.#waiting.push({ awaited, resolve, reject })
      if (this.#waiting.length === 1) this.#timer.set(awaited.timeoutMs)
    })
  }

  /**
   * Waits until the socket is writable, or until a reply arrives.
   * @throws {FaultError}
   */
  async drain(awaited: AwaitedReply): Promise<void> {
    if (this.#socket.writableNeedDrain && !this.hasReply && this.#failure === undefined)
      await new Promise<void>((resolve) => {
        this.#progress = resolve
        this.#socket.once('drain', resolve)
        this.#timer.set(awaited.timeoutMs)
      })
    this.#progress = undefined
    this.#timer.cancel()
    if (this.#failure && !this.hasReply) throw this.#failure(awaited)
  }

  /**
   * Detaches the socket, for STARTTLS.
   * @throws {FaultError} when the server sent more than one reply.
   */
  release(awaited: AwaitedReply): Socket {
    if (this.#failure) throw this.#failure(awaited)
    if (!this.isUsable) {
      // Replies received in plain text must not be read as replies under TLS (CVE-2011-0411).
      this.destroy()
      throw garbageFault(this.server, awaited, 'more than one reply')
    }
    const socket = this.#socket
    socket.off('data', this.#onData).off('error', this.#onError)
    socket.off('end', this.#onEnd).off('close', this.#onEnd)
    return socket
  }

  /** Continues on another socket and forgets the server's extensions. */
  adopt(socket: Socket): void {
    this.#socket = socket
    this.#reader = new ReplyReader()
    this.extensions = noExtensions
    this.#listen(socket)
  }

  /** Closes the session immediately. Every waiting reader fails with the fault that `failure` creates. */
  destroy(failure: MakeFault = (awaited) => closedFault(this.server, awaited, undefined)): void {
    if (this.#failure) return
    this.#failure = failure
    this.#timer.cancel()
    this.#socket.destroy()
    this.#progress?.()
    for (const { awaited, reject } of this.#waiting.splice(0)) reject(failure(awaited))
  }

  /** Cancels the last waiting reader. The session closes after the earlier readers have got their replies. */
  cutOff(): void {
    if (this.#waiting.length < 2) {
      this.destroy()
      return
    }
    this.#isRetiring = true
    const last = this.#waiting.pop()
    last?.reject(closedFault(this.server, last.awaited, undefined))
  }

  /** Sends QUIT after all awaited replies were received, and closes when the server has closed, or does not in time. */
  quit(): void {
    this.#isRetiring = true
    if (this.#waiting.length > 0 || this.#failure) return
    this.#failure = (awaited) => closedFault(this.server, awaited, undefined)
    const socket = this.#socket
    if (socket.destroyed) return
    this.observer.sent('QUIT')
    socket.end('QUIT\r\n')
    // A server that never closes its side must not keep the connection open, even if it goes on sending.
    const timer = new Alarm(() => socket.destroy()).set(quitTimeoutMs)
    socket.once('close', () => timer.cancel())
  }

  /** Resolves once the connection is closed: after `quit`, mostly by the server. */
  get closed(): Promise<void> {
    const socket = this.#socket
    return new Promise((resolve) => {
      if (socket.closed) resolve()
      else socket.once('close', () => resolve())
    })
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
      this.destroy((awaited) => garbageFault(this.server, awaited, 'unsolicited replies'))
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
    this.#timer.cancel()
    const [next] = this.#waiting
    if (next !== undefined) this.#timer.set(next.awaited.timeoutMs)
    waiting.resolve(reply)
  }
}
