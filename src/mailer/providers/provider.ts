import type { ApiAdapter } from '../api/api-adapter.ts'
import type { Fault } from '../delivery/fault.ts'
import type { SmtpSettings } from '../smtp/smtp-settings.ts'
import type { DsnReader } from './dsn-reader.ts'

interface SchemeNames {
  /** The first is the scheme's own name, the others are its aliases. */
  readonly names: readonly string[]
  /** Whether the user part holds a key or token, so that it is masked like a password. */
  readonly isUserSecret: boolean
  /**
   * Options that may be shown to every viewer of the transport; an array's elements go by its name. The values of
   * all others are masked, known or not. `max_per_second` is one everywhere.
   */
  readonly publicOptions?: readonly string[]
}

/** A scheme whose messages leave over SMTP. `read` is pure and throws DsnError. */
export interface SmtpScheme extends SchemeNames {
  readonly kind: 'smtp'
  read(dsn: DsnReader): SmtpSettings
}

/** A scheme whose messages leave over the provider's HTTPS API. `read` is pure and throws DsnError. */
export interface ApiScheme extends SchemeNames {
  readonly kind: 'api'
  read(dsn: DsnReader): ApiAdapter
}

/** A scheme that accepts every message and drops it. */
export interface NullScheme extends SchemeNames {
  readonly kind: 'null'
}

/** A scheme whose messages the host of the mailer captures instead of sending them. */
export interface InboxScheme extends SchemeNames {
  readonly kind: 'inbox'
}

/** A scheme that hands messages to a command of this machine; only the operator can name one. */
export interface CommandScheme extends SchemeNames {
  readonly kind: 'command'
}

export type Scheme = SmtpScheme | ApiScheme | NullScheme | InboxScheme | CommandScheme

/** A mail provider: what its folder exports and the registry lists. */
export interface Provider {
  /** The folder's name. */
  readonly name: string
  /** As the provider writes itself. */
  readonly title: string
  readonly schemes: readonly Scheme[]
  /**
   * The provider's SMTP hosts, in lower case. A plain `smtp://` DSN to one of them gets what the
   * provider's own scheme gets: STARTTLS is required, and `advise` is asked.
   */
  readonly smtpHosts?: readonly (string | RegExp)[]
  /** Better advice than the general one for a fault at this provider; undefined where it has none. */
  advise?(fault: Fault): string | undefined
}
