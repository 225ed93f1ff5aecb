import type { Connector } from '../connect/connector.ts'
import type { Redactor } from '../delivery/redactor.ts'
import type { SmtpSettings } from './smtp-settings.ts'

/** The time limits of the steps of a session. */
export interface SessionTimeouts {
  readonly greetingMs: number
  readonly commandMs: number
  readonly dataMs: number
}

/** What all sessions of a transport share. */
export interface SessionContext {
  readonly settings: SmtpSettings
  readonly connector: Connector
  readonly redact: Redactor
  /** The name in EHLO. */
  readonly localDomain: string
  readonly timeouts: SessionTimeouts
}
