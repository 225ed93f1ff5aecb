import type { Login } from '../../auth/index.ts'
import type { Caller } from '../../kit/caller.ts'
import type { NotificationRequest } from '../../mailer/index.ts'
import type { Reply } from './reply.ts'

/** A message that is being handed in: what came before its first byte. */
export interface Submission {
  readonly caller: Caller
  readonly sender: string
  readonly recipients: readonly string[]
  readonly notification: NotificationRequest | undefined
  /** The message, in pieces, without the dots that SMTP added. */
  readonly chunks: readonly Buffer[]
  /**
   * Takes memory, in bytes, for copies of the message. Returns what gives it back, to be called once; undefined
   * where there is too little: the answer is `memoryLimitReached` then.
   */
  readonly reserve: (bytes: number) => (() => void) | undefined
}

/** RET and ENVID of MAIL (RFC 3461). */
export interface MailNotification {
  return?: 'FULL' | 'HDRS'
  envelopeId?: string
}

/** The envelope while it grows. */
export interface OpenEnvelope {
  readonly caller: Caller
  readonly sender: string
  readonly recipients: Map<string, string>
  readonly notification: MailNotification
  readonly notifications: Record<string, { notify?: string; originalRecipient?: string }>
}

/** One dialogue: what the client has said so far. */
export interface Session {
  /** The client's. */
  readonly address: string
  /** Whether the client is on this very machine. */
  readonly isLocal: boolean
  isSecure: boolean
  hello: string | undefined
  /** As whom the client may hand in mail without a log-in, for the network that it is in. */
  readonly lent: Login | undefined
  /** As whom it has logged in. */
  login: Login | undefined
  envelope: OpenEnvelope | undefined
  /** Takes the next line, where it is no command but part of a log-in. */
  answer: ((line: string) => Outcome | Promise<Outcome>) | undefined
  failedLogins: number
  unknownCommands: number
}

/** What a command leads to: a reply, and perhaps something else than the next command. */
export interface Outcome {
  /** As it goes out. */
  readonly text: string
  readonly next?: 'data' | 'tls' | 'authenticated' | 'close' | 'bye'
}

/** What a door lets in, and what it offers. */
export interface DoorRules {
  /** What the greeting and EHLO call this server. */
  readonly name: string
  readonly sizeMax: number
  readonly recipientsMax: number
  readonly hasTls: boolean
  /** Throws an AppError. */
  logIn(attempt: { login: string; password: string; address: string }): Promise<Login>
  /** The caller who may hand in mail, as he is now; a reply where he may not. It does not throw. */
  admit(login: Login): Promise<Caller | Reply>
  /** Takes a whole message and answers what became of it. It does not throw. */
  submit(submission: Submission): Promise<Reply>
}
