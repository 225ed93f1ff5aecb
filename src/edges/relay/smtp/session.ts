import type { Reply } from '../../../core/delivery/index.ts'
import type { Caller } from '../../../kit/caller.ts'
import type { Login } from '../../../platform/auth/index.ts'

/** A received message with its envelope. */
export interface ReceivedMessage {
  /** Undefined for a client without a log-in: its recipient is a return path then. */
  readonly caller: Caller | undefined
  /** The address of the client. */
  readonly address: string
  readonly sender: string
  readonly recipients: readonly string[]
  /** The message in pieces, without dot-stuffing. */
  readonly chunks: readonly Buffer[]
  /**
   * Reserves memory for copies of the message. Returns a function that releases it, to be called once; undefined if too
   * little is left: reply `memoryLimitReached` then.
   */
  readonly reserve: (bytes: number) => (() => void) | undefined
}

/** The envelope of the current transaction, between MAIL and DATA. */
interface OpenEnvelope {
  /** Undefined for a client without a log-in. */
  readonly caller: Caller | undefined
  readonly sender: string
  readonly recipients: Map<string, string>
}

/** The state of one connection. */
export interface Session {
  /** The address of the client. */
  readonly address: string
  /** Whether the client is on this machine. */
  readonly isLocal: boolean
  isSecure: boolean
  hello: string | undefined
  /** The login of a client in a trusted network, which need not authenticate. */
  readonly trustedLogin: Login | undefined
  /** The login of an authenticated client. */
  login: Login | undefined
  envelope: OpenEnvelope | undefined
  /** Handles the next line if it is not a command but part of a log-in. */
  answer: ((line: string) => CommandResult | Promise<CommandResult>) | undefined
  failedLogins: number
  unknownCommands: number
}

/** The result of a command: its reply, and what follows it if that is not the next command. */
export interface CommandResult {
  /** The formatted reply. */
  readonly text: string
  readonly next?: 'data' | 'tls' | 'authenticated' | 'close' | 'bye'
}

/** What clients without a log-in may send: mail to a return path. */
export interface BounceRules {
  /** How much of a message is kept. */
  readonly bytesMax: number
  /** Whether this is the bounce address, with any tag or none. */
  isAddress(address: string): boolean
  /** Returns why an address takes no mail; undefined if it does. It does not throw. */
  check(address: string): Promise<CommandReply | undefined>
}

/** The limits of a server, and the functions that check and accept messages. */
export interface SmtpServerRules {
  /** The server's name in the greeting and in EHLO. */
  readonly name: string
  readonly sizeMax: number
  readonly recipientsMax: number
  readonly hasTls: boolean
  /** Undefined: clients without a log-in may send nothing. */
  readonly bounces?: BounceRules | undefined
  /** Checks a password. Throws an AppError. */
  logIn(attempt: { login: string; password: string; address: string }): Promise<Login>
  /** Returns the caller if it may send at the moment, else the reply. It does not throw. */
  accept(login: Login): Promise<Caller | CommandReply>
  /** Returns the reply to an envelope sender that a caller may not send as. Throws where the brands cannot be read. */
  checkSender(caller: Caller, sender: string): Promise<CommandReply | undefined>
  /** Submits a message and returns the reply to its sender. It does not throw. */
  submit(message: ReceivedMessage): Promise<CommandReply>
}

/** The reply to a command. */
export interface CommandReply extends Reply {
  /** Called once the reply was written to the connection; not called if that fails. */
  readonly onWritten?: () => void
}

/** RFC 5321, section 4.5.3.1.5: 512 octets, with the codes and the line end. */
const textLengthMax = 490

/**
 * Formats a reply as one line of printable ASCII. A line end in the text, such as one from another server's reply, would
 * start a second reply.
 */
export function formatReply({ code, status, text }: CommandReply): string {
  const line = text.replace(/[^\x20-\x7e]+/g, (odd) => (/^[\s\p{Cc}]+$/u.test(odd) ? ' ' : '?'))
  return `${code} ${status} ${line.slice(0, textLengthMax)}\r\n`
}
