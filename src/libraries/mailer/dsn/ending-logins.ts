import type { PasswordsEnd } from '../providers/provider.ts'
import { findProvider } from '../providers/registry.ts'
import { secretMask } from '../secret.ts'
import type { ParsedDsn, ParsedSmtpDsn } from './parsed-dsn.ts'

/**
 * A log-in of a DSN that stops working: with a password at a provider that ends passwords, or with an access token.
 * @example
 * ```ts
 * const isOver = ({ date }: EndingLogin, today: string) => date !== null && date <= today
 * ```
 */
export interface EndingLogin {
  /** The index of the member in its list, after those of the lists around it; empty for a single transport. */
  readonly member: readonly number[]
  /** Scheme, host and port of the member, without user: safe for logs. */
  readonly label: string
  /** The provider's name as it writes it; null for another server. */
  readonly provider: string | null
  readonly secret: 'password' | 'accessToken'
  /** The day from which it ends, as `2026-12-31`; null for an access token, which expires within the hour. */
  readonly date: string | null
  /** The scheme of the transport to use instead: `office365+oauth`. */
  readonly oauthScheme: string
  /** What ends, and what to do. It is true before and after the date. */
  readonly sentence: string
}

/**
 * Lists the log-ins of a DSN that stop working: one for each such member of a list, in order.
 * @example
 * ```ts
 * const [login] = listEndingLogins(parseDsn('smtp://me%40example.com:PASSWORD@smtp.office365.com:587'))
 * console.log(login?.provider, login?.date) // Microsoft 365 2026-12-31
 * ```
 */
export function listEndingLogins(parsed: ParsedDsn): EndingLogin[] {
  switch (parsed.kind) {
    case 'smtp': {
      const login = findEndingLogin(parsed)
      return login === undefined ? [] : [login]
    }
    case 'failover':
    case 'roundrobin':
      return parsed.members.flatMap((inner, index) =>
        listEndingLogins(inner).map((login) => ({ ...login, member: [index, ...login.member] })),
      )
    default:
      return []
  }
}

/** The scheme for servers of other providers. */
const generalScheme = 'smtp+oauth'

function findEndingLogin({ label, provider: name, settings }: ParsedSmtpDsn) {
  const { credentials } = settings
  if (credentials === null) return undefined
  const provider = name === null ? undefined : findProvider(name)
  const end = provider?.passwordsEnd
  const common = {
    member: [],
    label,
    provider: provider?.title ?? null,
    oauthScheme: end?.oauthScheme ?? generalScheme,
  }
  // With an access token, a password is not used.
  if (credentials.accessToken !== null)
    return {
      ...common,
      secret: 'accessToken' as const,
      date: null,
      sentence: `The access token expires within the hour and is not renewed. Use ${common.oauthScheme}://.`,
    }
  const password = credentials.password?.reveal() ?? ''
  if (end === undefined || password === '' || isKept(end, password)) return undefined
  return {
    ...common,
    secret: 'password' as const,
    date: end.date,
    sentence: `${end.sentence} Use ${end.oauthScheme}://.`,
  }
}

/** Whether a password is kept, or may be: nothing is known of one behind a mask. */
function isKept({ isKept: check }: PasswordsEnd, password: string): boolean {
  return check !== undefined && (password === secretMask || check(password))
}
