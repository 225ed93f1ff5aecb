import type { Schema } from '../lib/api.ts'
import type { Tone } from '../lib/toasts.ts'

/** A log-in that stops working. */
export type EndingLogin = Schema<'EndingLogin'>

export const endingTones: Readonly<Record<EndingLogin['severity'], Tone>> = {
  ok: 'neutral',
  warning: 'warn',
  problem: 'bad',
}

/** Whether a warning or a note is what the sentences of these log-ins say, or how they begin. */
export function isShown(text: string, logins: readonly EndingLogin[]): boolean {
  return logins.some(({ sentence }) => sentence.startsWith(text))
}
