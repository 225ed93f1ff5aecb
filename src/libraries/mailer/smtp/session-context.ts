import type { Connector } from '../connect/connector.ts'
import type { Redactor } from '../delivery/redactor.ts'
import type { AccessToken } from '../oauth/access-token.ts'
import type { SmtpSettings } from './smtp-settings.ts'

/** The time limits of the steps of a session. */
export interface SessionTimeouts {
  readonly greetingMs: number
  readonly commandMs: number
  readonly dataMs: number
}

/** A mailbox, and the access token that logs in to it. */
export interface MailboxLogin {
  readonly mailbox: string
  readonly token: AccessToken
  /** Whether it is the mailbox of a message's sender: then a refused log-in concerns this message, and not the transport. */
  readonly isOfSender: boolean
}

/** What all sessions of a transport share. */
export interface SessionContext {
  readonly settings: SmtpSettings
  /** Undefined if the log-in is that of the settings. */
  readonly login: MailboxLogin | undefined
  readonly connector: Connector
  readonly redact: Redactor
  /** The name in EHLO. */
  readonly localDomain: string
  readonly timeouts: SessionTimeouts
}
