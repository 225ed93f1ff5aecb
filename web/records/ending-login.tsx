import { Badge } from '../design/feedback.tsx'
import type { Schema } from '../lib/api.ts'
import type { Tone } from '../lib/toasts.ts'
import { endingWords as texts } from '../words/ending-logins.ts'

/** A log-in that stops working. */
export type EndingLogin = Schema<'EndingLogins'>['default'][number]

export const endingTones: Readonly<Record<EndingLogin['severity'], Tone>> = {
  ok: 'neutral',
  warning: 'warn',
  problem: 'bad',
}

/** How many days are left. */
export function DaysLeft({ login }: { login: EndingLogin }) {
  return <Badge tone={endingTones[login.severity]}>{texts.left(login.daysLeft)}</Badge>
}

/** Whether a warning or a note is what the sentences of these log-ins say, or how they begin. */
export function isShown(text: string, logins: readonly EndingLogin[]): boolean {
  return logins.some(({ sentence }) => sentence.startsWith(text))
}
