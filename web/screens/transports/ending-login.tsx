import { Badge, type Tone } from '../../design/feedback.tsx'
import type { Schema } from '../../lib/api.ts'
import { endingWords as texts } from '../../words/ending-logins.ts'

/** A log-in that stops working. */
export type EndingLogin = Schema<'EndingLogins'>['default'][number]

export const endingTones: Readonly<Record<EndingLogin['severity'], Tone>> = {
  ok: 'neutral',
  warning: 'warn',
  problem: 'bad',
}

/** How many days are left. */
export function DaysLeft({ login }: { login: EndingLogin }) {
  return <Badge tone={endingTones[login.severity]}>{texts.left(login)}</Badge>
}

/** Returns the log-in that ends first. An access token ends before each date. */
export function firstToEnd(logins: readonly EndingLogin[]): EndingLogin | undefined {
  return logins.toSorted((one, other) => keyOf(one) - keyOf(other))[0]
}

const keyOf = ({ daysLeft }: EndingLogin) => daysLeft ?? Number.NEGATIVE_INFINITY
