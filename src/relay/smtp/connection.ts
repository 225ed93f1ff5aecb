import type { Socket } from 'node:net'
import type { Log } from '../../kit/log.ts'
import type { NotificationRequest } from '../../mailer/index.ts'
import type { ByteBudget } from './byte-budget.ts'
import { runCommand } from './commands.ts'
import { IncomingMessage } from './incoming-message.ts'
import { createReply, formatReply } from './reply.ts'
import type { DoorRules, OpenEnvelope, Outcome, Session } from './session.ts'

/** How long a client may take, in milliseconds. */
export interface ConnectionTimeouts {
  /** From the connection to the log-in, a TLS handshake included. */
  readonly loginMs: number
  /** For each command (RFC 5321, section 4.5.3.2.7, asks for 5 minutes). */
  readonly commandMs: number
  /** Between two pieces of a message. */
  readonly pieceMs: number
  /** For a whole message. */
  readonly messageMs: number
}

/** What a connection needs besides its socket. */
export interface ConnectionOptions {
  readonly session: Session
  readonly rules: DoorRules
  readonly timeouts: ConnectionTimeouts
  /** Of what is kept of messages, over all connections. */
  readonly budget: ByteBudget
  readonly log: Log
  /** Goes on over TLS: the secured socket, once its handshake is done. */
  secure(socket: Socket): Promise<Socket>
  /** When the client has to have logged in, as `performance.now()` has it; infinite where it need not. */
  readonly loginDeadline: number
  onAuthenticated(): void
  onClose(): void
}

/** Long enough for a log-in (RFC 4954, section 4). */
const lineBytesMax = 12_288
/** So much may wait while a command is worked on; then the client has to. */
const waitingBytesMax = 65_536
const closeWaitMs = 2_000
const lineFeed = 0x0a
const carriageReturn = 0x0d
const ownFault = createReply(451, '4.3.0', 'Mailyard has a fault; try again later')
/** The answer to a client for which there is no room, or no longer. */
export const tooManyConnections = createReply(
  421,
  '4.3.2',
  'Too many connections; try again in a moment',
)
const none = Buffer.alloc(0)

/** One client: its commands come in, one is worked on at a time, the replies go out in order. */
export class Connection {
  readonly #options: ConnectionOptions
  #loginDeadline: number
  #socket: Socket
  #input: Buffer = none
  #output = ''
  /** To be called once the output is written. */
  #onWritten: (() => void)[] = []
  #message: IncomingMessage | undefined
  #isBusy = false
  #isBlocked = false
  /** Whether a TLS handshake is under way: nothing can be said then. */
  #isSecuring = false
  #isEnding = false
  #hasClientEnded = false
  #deadline = Number.POSITIVE_INFINITY
  #onLate: () => void = () => undefined

  constructor(socket: Socket, options: ConnectionOptions) {
    this.#socket = socket
    this.#options = options
    this.#loginDeadline = options.loginDeadline
    this.#listen(socket)
    this.#say(`220 ${options.rules.name} ESMTP\r\n`)
    this.#flush()
    this.#waitForCommand()
  }

  /** Says goodbye: now, or once the message that is under way is answered. */
  end(): void {
    this.#isEnding = true
    if (!this.#isBusy && this.#message === undefined) this.#close('Mailyard is stopping')
  }

  /** Makes room for another client: says so and closes, without waiting for the client to close its side. */
  evict(): void {
    if (this.#isSecuring) {
      this.destroy()
      return
    }
    this.#say(formatReply(tooManyConnections))
    this.#input = none
    this.#finish({ isHeardOut: false })
  }

  /** Gives up a client that has let its time pass; `now` as `performance.now()` has it. */
  sweep(now: number): void {
    if (now < this.#deadline) return
    this.#deadline = Number.POSITIVE_INFINITY
    this.#onLate()
  }

  /** Breaks it off. */
  destroy(): void {
    this.#socket.destroy()
  }

  readonly #onData = (chunk: Buffer) => this.#receive(chunk)
  /** A client that has no more to say still hears the answer to what it asked for last. */
  readonly #onEnd = () => {
    this.#hasClientEnded = true
    if (!this.#isBusy) this.#finish()
  }

  #listen(socket: Socket): void {
    socket.on('data', this.#onData).on('end', this.#onEnd)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      if (socket !== this.#socket) return
      this.#message?.forget()
      this.#message = undefined
      this.#options.onClose()
    })
  }

  #receive(chunk: Buffer): void {
    this.#input = this.#input.length === 0 ? chunk : Buffer.concat([this.#input, chunk])
    if (this.#isBusy && this.#input.length > waitingBytesMax) this.#socket.pause()
    this.#read()
  }

  /** Reads on until a command takes its time, or nothing whole is left. */
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
      this.#say(formatReply(createReply(500, '5.5.6', 'That line is too long')))
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
    const outcome = answer === undefined ? runCommand(line, session, rules) : answer(line)
    if (outcome instanceof Promise) this.#work(outcome, (done) => this.#follow(done))
    else this.#follow(outcome)
  }

  /** Nothing else is read until the work is done. */
  #work<Result>(work: Promise<Result>, follow: (result: Result) => void): void {
    this.#isBusy = true
    this.#deadline = Number.POSITIVE_INFINITY
    const settle = (finish: () => void) => {
      this.#isBusy = false
      if (this.#socket.destroyed || this.#socket.writableEnded) return
      this.#waitForCommand()
      finish()
      this.#goOn()
    }
    work.then(
      (result) => settle(() => follow(result)),
      (err: unknown) => {
        this.#options.log.error({ err }, 'a command at the SMTP door failed')
        settle(() => this.#say(formatReply(ownFault)))
      },
    )
  }

  #goOn(): void {
    if (this.#isEnding && this.#message === undefined && !this.#isBusy) {
      this.#close('Mailyard is stopping')
      return
    }
    if (this.#socket.isPaused() && !this.#isBlocked) this.#socket.resume()
    this.#read()
    if (this.#hasClientEnded && !this.#isBusy) this.#finish()
  }

  #follow({ text, next }: Outcome): void {
    this.#say(text)
    if (next === 'close') this.#finish()
    else if (next === 'bye') this.#finish({ isHeardOut: false })
    else if (next === 'data') this.#beginMessage()
    else if (next === 'tls') this.#beginTls()
    else if (next === 'authenticated') this.#authenticate()
    else this.#waitForCommand()
  }

  #authenticate(): void {
    this.#loginDeadline = Number.POSITIVE_INFINITY
    this.#options.onAuthenticated()
    this.#waitForCommand()
  }

  #beginMessage(): void {
    const { rules, budget, timeouts, session } = this.#options
    const { userId, clientId } = session.envelope?.caller ?? {}
    const owner = `${userId} ${clientId}`
    const { sizeMax } = rules
    this.#message = new IncomingMessage({ sizeMax, budget, owner, ...timeouts })
    this.#waitForPiece()
  }

  /** Whether the message has ended. */
  #readData(message: IncomingMessage): boolean {
    const rest = message.push(this.#input)
    this.#input = rest ?? none
    if (rest !== undefined) this.#endMessage(message)
    else if (message.isLate) this.#close('The message takes too long')
    else this.#waitForPiece()
    return rest !== undefined
  }

  #endMessage(message: IncomingMessage): void {
    const { rules, session } = this.#options
    const { envelope } = session
    session.envelope = undefined
    this.#message = undefined
    const { refusal } = message
    if (refusal !== undefined || envelope === undefined) {
      message.forget()
      this.#say(formatReply(refusal ?? ownFault))
      this.#waitForCommand()
      return
    }
    const submission = {
      caller: envelope.caller,
      sender: envelope.sender,
      recipients: [...envelope.recipients.values()],
      notification: notificationOf(envelope),
      chunks: message.chunks,
      reserve: (bytes: number) => message.reserve(bytes),
    }
    const work = rules.submit(submission).finally(() => message.forget())
    this.#work(work, (reply) => {
      this.#say(formatReply(reply))
      if (reply.onWritten !== undefined) this.#onWritten.push(reply.onWritten)
    })
  }

  /** What was said before TLS does not count after it (RFC 3207, section 4.2). */
  #beginTls(): void {
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
        this.#goOn()
      },
      () => plain.destroy(),
    )
  }

  readonly #giveUp = () => this.#close('Nothing came for too long')

  #waitForCommand(): void {
    this.#wait(this.#options.timeouts.commandMs, this.#giveUp)
  }

  #waitForPiece(): void {
    this.#wait(this.#options.timeouts.pieceMs, this.#giveUp)
  }

  /** A deadline and no timer: there are thousands of connections, and several waits for each message. */
  #wait(timeMs: number, onLate: () => void): void {
    this.#deadline = Math.min(performance.now() + timeMs, this.#loginDeadline)
    this.#onLate = onLate
  }

  #say(text: string): void {
    this.#output += text
  }

  /** Replies to commands that came together leave together; who does not read them has to wait. */
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
      if (!this.#isBusy) this.#goOn()
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
    this.#say(formatReply(createReply(421, '4.4.2', reason)))
    this.#finish()
  }

  /**
   * Sends what is left to send and ends. A client that may still be sending is heard to its end: closed
   * earlier, its connection would lose the answer.
   */
  #finish({ isHeardOut = true } = {}): void {
    const socket = this.#socket
    const isOver = !isHeardOut && this.#input.length === 0
    this.#input = none
    this.#message?.forget()
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
    // A client that never closes its side must not hold the connection.
    this.#wait(closeWaitMs, () => socket.destroy())
  }
}

/** Undefined where nobody asked to be told anything. */
function notificationOf({
  notification,
  notifications,
}: OpenEnvelope): NotificationRequest | undefined {
  const hasOwn = Object.keys(notifications).length > 0
  if (!hasOwn && Object.keys(notification).length === 0) return undefined
  return { ...notification, recipients: notifications }
}
