import Type, { type Static } from 'typebox'
import type { EndingLogin } from '../../libraries/mailer/index.ts'
import { nullable } from '../../platform/http/index.ts'

const dayMs = 86_400_000
/** From then on its end is a warning, and not only a note. */
const nearDays = 60

/** How near the end of a log-in is. */
export interface LoginEnd {
  /** In days of UTC: 0 on the day from which it ends, negative after it. Null for an access token. */
  daysLeft: number | null
  /** As of a finding: `problem` on the day from which it ends, and after it. */
  severity: 'ok' | 'warning' | 'problem'
}

/**
 * Returns how near the end of a log-in is.
 * @param date The day from which it ends, as `2026-12-31`; null for an access token. A script may renew it, so it is only a warning.
 */
export function loginEndOf({ date }: Pick<EndingLogin, 'date'>, now: number): LoginEnd {
  if (date === null) return { daysLeft: null, severity: 'warning' }
  const daysLeft = Math.round((Date.parse(date) - (now - (now % dayMs))) / dayMs)
  if (daysLeft <= 0) return { daysLeft, severity: 'problem' }
  return { daysLeft, severity: daysLeft > nearDays ? 'ok' : 'warning' }
}

/** A log-in that stops working, in an answer. */
export const endingLogin = Type.Object(
  {
    member: Type.Array(Type.Integer(), {
      description:
        'The index of the member in its list, after those of the lists around it; empty for a single transport.',
    }),
    label: Type.String({ description: 'Scheme, host and port of the member.' }),
    provider: nullable(Type.String()),
    secret: Type.Enum(['password', 'accessToken']),
    date: nullable(Type.String(), {
      description:
        'The day from which it ends. Null for an access token, which expires within the hour.',
    }),
    daysLeft: nullable(Type.Integer(), {
      description: '0 on that day, negative after it. Null for an access token.',
    }),
    severity: Type.Enum(['ok', 'warning', 'problem'], {
      description: '`ok`: the day is more than 60 days away. `problem`: it has come.',
    }),
    oauthScheme: Type.String({ description: 'The scheme to use instead.' }),
    sentence: Type.String({ description: 'What ends, and what to do: one of the `warnings`.' }),
  },
  {
    title: 'EndingLogin',
    examples: [
      {
        member: [],
        label: 'smtp://smtp.office365.com:587',
        provider: 'Microsoft 365',
        secret: 'password',
        date: '2026-12-31',
        daysLeft: 35,
        severity: 'warning',
        oauthScheme: 'office365+oauth',
        sentence:
          'From 31 December 2026 on, Microsoft 365 accepts a password only where an administrator turns it on again. Use office365+oauth://.',
      },
    ],
  },
)

export type EndingLoginItem = Static<typeof endingLogin>

/** Presents the log-ins of a transport that stop working, in the order of `compareLoginEnds`. */
export function presentEndingLogins(
  logins: readonly EndingLogin[],
  now: number,
): EndingLoginItem[] {
  return logins
    .map((login) => ({ ...login, member: [...login.member], ...loginEndOf(login, now) }))
    .sort(compareLoginEnds)
}

const severities: readonly LoginEnd['severity'][] = ['problem', 'warning', 'ok']

/** Compares by severity, the worst first, then by date. An access token comes before what else is a warning. */
export function compareLoginEnds(
  one: Pick<EndingLoginItem, 'severity' | 'date'>,
  other: Pick<EndingLoginItem, 'severity' | 'date'>,
): number {
  const bySeverity = severities.indexOf(one.severity) - severities.indexOf(other.severity)
  const [date, otherDate] = [one.date ?? '', other.date ?? '']
  return bySeverity || (date === otherDate ? 0 : date < otherDate ? -1 : 1)
}
