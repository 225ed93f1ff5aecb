import type { Socket } from 'node:net'
import { createReply } from '../../../core/delivery/index.ts'
import type { ByteBudget } from '../../../kit/byte-budget.ts'
import { callerKey } from '../../../kit/caller.ts'
import type { Clock } from '../../../kit/clock.ts'
import type { Log } from '../../../kit/log.ts'
import { pause } from '../../../kit/pause.ts'
import { runCommand } from './commands.ts'
import { IncomingMessage } from './incoming-message.ts'
import { type CommandResult, formatReply, type Session, type SmtpServerRules } from './session.ts'

/** The time limits of a client, in milliseconds. */
export interface ConnectionTimeouts {
  /** From the connection to the log-in, including a TLS handshake. */
  readonly loginMs: number
  /** For each command (RFC 5321, section 4.5.3.2.7, requires 5 minutes). */
  readonly commandMs: number
  /** Between two pieces of a message. */
  readonly pieceMs: number
  /** For a whole message. */
  readonly messageMs: number
}

export interface ConnectionOptions {
  readonly session: Session
  readonly rules: SmtpServerRules
  readonly timeouts: ConnectionTimeouts
  /** The memory for what is received. */
  readonly memory: ByteBudget
  readonly clock: Clock
  readonly log: Log
  /** Performs a TLS handshake and returns the secured socket. */
  secure(socket: Socket): Promise<Socket>
  /** When the client must have logged in, by the monotonic clock; infinity if it need not. */
  readonly loginDeadline: number
  onAuthenticated(): void
  onClose(): void
}

/** Long enough for a log-in (RFC 4954, section 4). */
const lineBytesMax = 12_288
/** The input that is buffered while a command runs; above it the socket is paused. */
const waitingBytesMax = 65_536
/** The most bytes of a message that one turn of the event loop reads. A socket alone would read 2 MB. */
const turnBytes = 65_536
const closeWaitMs = 2_000
const lineFeed = 0x0a
const carriageReturn = 0x0d
const unexpectedError = createReply(451, '4.3.0', 'An unexpected error occurred; try again later')
/** The reply to a client that is rejected or evicted. */
export const tooManyConnections = createReply(
  421,
  '4.3.2',
  'Too many connections; try again in a moment',
)
/** Whose share of the memory clients without a log-in have together. */
const anonymous = 'clients without a log-in'
const none = Buffer.alloc(0)

/** One SMTP connection: it reads commands, runs one at a time and writes the replies in order. */
export class Connection {
  readonly #options: ConnectionOptions
  #loginDeadline: number
  #socket: Socket
  #input: Buffer = none
  #output = ''
  /** Called once the output is written. */
  #onWritten: (() => void)[] = []
  #message: IncomingMessage | undefined
  #isBusy = false
  #isBlocked = false
  /** Whether a TLS handshake is in progress: nothing can be written then. */
  #isSecuring = false
  #isStopping = false
  #hasClientEnded = false
  #deadline = Number.POSITIVE_INFINITY
  #onLate: () => void = () => undefined

  constructor(socket: Socket, options: ConnectionOptions) {
    this.#socket = socket
    this.#options = options
    this.#loginDeadline = options.loginDeadline
    this.#listen(socket)
    this.#queue(`220 ${options.rules.name} ESMTP\r\n`)
    this.#flush()
    this.#waitForCommand()
  }

  /** Closes the connection: now, or once the current message is answered. */
  end(): void {
    this.#isStopping = true
    if (!this.#isBusy && this.#message === undefined) this.#close('The server is shutting down')
  }

  /** Closes the connection in favor of another client, without waiting for the client to close its side. */
  evict(): void {
    if (this.#isSecuring) {
      this.destroy()
      return
    }
    this.#queue(formatReply(tooManyConnections))
    this.#input = none
    this.#finish({ drain: false })
  }

  /** Closes a connection whose deadline has passed. */
  closeIfLate(): void {
    if (this.#options.clock.monotonic() < this.#deadline) return
    this.#deadline = Number.POSITIVE_INFINITY
    this.#onLate()
  }

  /** Closes the socket immediately. */
  destroy(): void {
    this.#socket.destroy()
  }

  readonly #onData = (chunk: Buffer) => this.#receive(chunk)
  /** A client that has closed its side still gets the reply to its last command. */
  readonly #onEnd = () => {
    this.#hasClientEnded = true
    if (!this.#isBusy) this.#finish()
  }

  #listen(socket: Socket): void {
    socket.on('data', this.#onData).on('end', this.#onEnd)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      if (socket !== this.#socket) return
      this.#message?.release()
      this.#message = undefined
      this.#options.onClose()
    })
  }

  #receive(chunk: Buffer): void {
    this.#input = this.#input.length === 0 ? chunk : Buffer.concat([this.#input, chunk])
    if (this.#isBusy && this.#input.length > waitingBytesMax) this.#socket.pause()
    this.#read()
  }

  /** Reads lines and data until a command is asynchronous, or the input is incomplete. */
  #read(): void {
    while (this.#input.length > 0 && !this.#isBusy && !this.#isBlocked) {
      const hasRead = this.#message === undefined ? this.#readLine() : this.#readData(this.#message)
      if (!hasRead) break
    }
    this.#flush()
  }

  #readLine(): boolean {
    const end = this.#input.indexOf(lineFeed)
    if ((end === -1 ? this.#input.length : end) > lineBytesMax) {
      this.#queue(formatReply(createReply(500, '5.5.6', 'Line too long')))
      this.#finish()
      return false
    }
    if (end === -1) return false
    const hasReturn = this.#input[end - 1] === carriageReturn
    const line = this.#input.toString('utf8', 0, hasReturn ? end - 1 : end)
    this.#input = this.#input.subarray(end + 1)
    this.#run(line)
    return true
  }

  #run(line: string): void {
    const { session, rules } = this.#options
    const { answer } = session
    session.answer = undefined
    const result = answer === undefined ? runCommand(line, session, rules) : answer(line)
    if (result instanceof Promise) this.#runAsync(result, (done) => this.#apply(done))
    else this.#apply(result)
  }

  /** Reads nothing until the work is done. */
  #runAsync<Result>(work: Promise<Result>, apply: (result: Result) => void): void {
    this.#isBusy = true
    this.#deadline = Number.POSITIVE_INFINITY
    const settle = (finish: () => void) => {
      this.#isBusy = false
      if (this.#socket.destroyed || this.#socket.writableEnded) return
      this.#waitForCommand()
      finish()
      this.#resume()
    }
    work.then(
      (result) => settle(() => apply(result)),
      (err: unknown) => {
        this.#options.log.error({ err }, 'SMTP command failed')
        settle(() => this.#queue(formatReply(unexpectedError)))
      },
    )
  }

  #resume(): void {
    if (this.#isStopping && this.#message === undefined && !this.#isBusy) {
      this.#close('The server is shutting down')
      return
    }
    if (this.#socket.isPaused() && !this.#isBlocked) this.#socket.resume()
    this.#read()
    if (this.#hasClientEnded && !this.#isBusy) this.#finish()
  }

  #apply({ text, next }: CommandResult): void {
    this.#queue(text)
    if (next === 'close') this.#finish()
    else if (next === 'bye') this.#finish({ drain: false })
    else if (next === 'data') this.#startMessage()
    else if (next === 'tls') this.#startTls()
    else if (next === 'authenticated') this.#authenticate()
    else this.#waitForCommand()
  }

  #authenticate(): void {
    this.#loginDeadline = Number.POSITIVE_INFINITY
    this.#options.onAuthenticated()
    this.#waitForCommand()
  }

  #startMessage(): void {
    const { rules, memory, clock, timeouts, session } = this.#options
    const { caller } = session.envelope ?? {}
    const owner = caller === undefined ? anonymous : callerKey(caller)
    const { sizeMax, bounces } = rules
    this.#message = new IncomingMessage({
      sizeMax,
      keptMax: caller === undefined ? bounces?.bytesMax : undefined,
      memory,
      owner,
      messageMs: timeouts.messageMs,
      clock,
    })
    this.#waitForPiece()
  }

  /** Returns whether the message has ended. */
  #readData(message: IncomingMessage): boolean {
    const received = this.#input.length
    const rest = message.push(this.#input)
    this.#input = rest ?? none
    if (received >= turnBytes) this.#takeTurn()
    if (rest !== undefined) this.#endMessage(message)
    else if (message.isLate) this.#close('Timeout: the message takes too long')
    else this.#waitForPiece()
    return rest !== undefined
  }

  /** Lets other connections and requests have their turn before more is read. */
  #takeTurn(): void {
    this.#socket.pause()
    void pause().then(() => {
      if (!this.#isBusy && !this.#socket.destroyed) this.#resume()
    })
  }

  #endMessage(message: IncomingMessage): void {
    const { rules, session } = this.#options
    const { envelope } = session
    session.envelope = undefined
    this.#message = undefined
    const { refusal } = message
    if (refusal !== undefined || envelope === undefined) {
      message.release()
      this.#queue(formatReply(refusal ?? unexpectedError))
      this.#waitForCommand()
      return
    }
    const received = {
      caller: envelope.caller,
      address: session.address,
      sender: envelope.sender,
      recipients: [...envelope.recipients.values()],
      chunks: message.chunks,
      reserve: (bytes: number) => message.reserve(bytes),
    }
    const work = rules.submit(received).finally(() => message.release())
    this.#runAsync(work, (reply) => {
      this.#queue(formatReply(reply))
      if (reply.onWritten !== undefined) this.#onWritten.push(reply.onWritten)
    })
  }

  /** Starts TLS and forgets everything that the client sent before (RFC 3207, section 4.2). */
  #startTls(): void {
    const { session, timeouts } = this.#options
    const plain = this.#socket
    this.#flush()
    this.#input = none
    this.#isBusy = this.#isSecuring = true
    plain.off('data', this.#onData).off('end', this.#onEnd)
    this.#wait(timeouts.loginMs, () => plain.destroy())
    this.#options.secure(plain).then(
      (socket) => {
        this.#socket = socket
        this.#isBusy = this.#isSecuring = false
        session.isSecure = true
        session.hello = session.login = session.envelope = undefined
        this.#listen(socket)
        this.#waitForCommand()
        this.#resume()
      },
      () => plain.destroy(),
    )
  }

  readonly #closeIdle = () => this.#close('Timeout: nothing was received for too long')

  #waitForCommand(): void {
    this.#wait(this.#options.timeouts.commandMs, this.#closeIdle)
  }

  #waitForPiece(): void {
    this.#wait(this.#options.timeouts.pieceMs, this.#closeIdle)
  }

  /** Sets a deadline, not a timer: there are thousands of connections with several waits for each message. */
  #wait(timeMs: number, onLate: () => void): void {
    this.#deadline = Math.min(this.#options.clock.monotonic() + timeMs, this.#loginDeadline)
    this.#onLate = onLate
  }

  #queue(text: string): void {
    this.#output += text
  }

  /** Writes the queued replies together; pauses a client that does not read them. */
  #flush(): void {
    const output = this.#output
    this.#output = ''
    const socket = this.#socket
    const onWritten = this.#onWritten
    this.#onWritten = []
    if (output === '' || socket.writableEnded || socket.destroyed) return
    if (this.#write(output, onWritten) || this.#isBlocked) return
    this.#isBlocked = true
    socket.pause()
    socket.once('drain', () => {
      this.#isBlocked = false
      if (!this.#isBusy) this.#resume()
    })
  }

  /** Returns whether more may be written. */
  #write(output: string, onWritten: readonly (() => void)[]): boolean {
    if (onWritten.length === 0) return this.#socket.write(output, 'latin1')
    return this.#socket.write(output, 'latin1', (error) => {
      if (error !== null && error !== undefined) return
      for (const call of onWritten) call()
    })
  }

  #close(reason: string): void {
    this.#queue(formatReply(createReply(421, '4.4.2', reason)))
    this.#finish()
  }

  /**
   * Writes the queued replies and closes. The remaining input is drained: closing earlier would reset the connection, and
   * the client would lose the reply.
   */
  #finish({ drain = true } = {}): void {
    const socket = this.#socket
    const isOver = !drain && this.#input.length === 0
    this.#input = none
    this.#message?.release()
    this.#message = undefined
    this.#flush()
    socket.off('data', this.#onData)
    if (isOver) {
      socket.destroySoon()
    } else {
      socket.end()
      socket.resume()
    }
    this.#loginDeadline = Number.POSITIVE_INFINITY
    // A client that never closes its side must not keep the connection.
    this.#wait(closeWaitMs, () => socket.destroy())
  }
}
