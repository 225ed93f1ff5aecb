import Type, { type Static } from 'typebox'
import { nullable } from '../http/index.ts'
import type { EndingLogin } from '../mailer/index.ts'

const dayMs = 86_400_000
/** From then on its end is a warning, and not only a note. */
const nearDays = 60

/** How near the end of a log-in is. */
export interface Ending {
  /** In days of UTC: 0 on the last day, negative when it is over. Null for an access token. */
  daysLeft: number | null
  /** As of a finding: `problem` when it is over. */
  severity: 'ok' | 'warning' | 'problem'
}

/**
 * Returns how near the end of a log-in is.
 * @param date As `2026-12-31`; null for an access token. A script may renew it, so it is only a warning.
 */
export function endingOf({ date }: Pick<EndingLogin, 'date'>, now: number): Ending {
  if (date === null) return { daysLeft: null, severity: 'warning' }
  const daysLeft = Math.round((Date.parse(date) - (now - (now % dayMs))) / dayMs)
  if (daysLeft < 0) return { daysLeft, severity: 'problem' }
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
    provider: nullable<string>('string'),
    secret: Type.Enum(['password', 'accessToken']),
    date: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The last day. Null for an access token, which expires within the hour.',
    }),
    daysLeft: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: '0 on the last day, negative when it is over.',
    }),
    severity: Type.Enum(['ok', 'warning', 'problem'], {
      description: '`ok`: it is more than 60 days away. `problem`: it is over.',
    }),
    oauthScheme: Type.String({ description: 'The scheme to use instead.' }),
    sentence: Type.String({ description: 'What ends, and what to do: one of the `warnings`.' }),
  },
  {
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
          'From 31 December 2026 on, Microsoft 365 accepts a password only where an administrator turns it on again: use office365+oauth://.',
      },
    ],
  },
)

export type EndingLoginItem = Static<typeof endingLogin>

/** Presents a log-in that stops working. */
export function presentEndingLogin(login: EndingLogin, now: number): EndingLoginItem {
  return { ...login, member: [...login.member], ...endingOf(login, now) }
}
