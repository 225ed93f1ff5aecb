import type { Connector } from '../connect/connector.ts'
import type { Redactor } from '../delivery/redactor.ts'
import type { SmtpSettings } from './smtp-settings.ts'

/** How long each step of a session may take. */
export interface SessionTimeouts {
  readonly greetingMs: number
  readonly commandMs: number
  readonly dataMs: number
}

/** What every session of a transport is opened with. */
export interface SessionContext {
  readonly settings: SmtpSettings
  readonly connector: Connector
  readonly redact: Redactor
  /** What EHLO says. */
  readonly localDomain: string
  readonly timeouts: SessionTimeouts
}
