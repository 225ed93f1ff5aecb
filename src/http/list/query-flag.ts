import { validationError } from '../validation.ts'

/** What a flag of a query must be, as the rest of a sentence about it. */
export const flagFault = 'must be 1, true, yes or on, or 0, false, no or off'

/** What a flag says, in either case: `1`, `true`, `yes`, `on`, or their contraries; undefined for anything else. */
export function readFlag(text: string): boolean | undefined {
  if (/^(1|true|yes|on)$/i.test(text)) return true
  return /^(0|false|no|off)$/i.test(text) ? false : undefined
}

/**
 * Whether a query asks for something. Throws an AppError (`invalid`) where it cannot be told, as where the
 * flag is empty or given twice: a guess would be acted upon.
 */
export function isAsked(query: Readonly<Record<string, unknown>>, name: string): boolean {
  const value = query[name]
  if (value === undefined) return false
  const flag = typeof value === 'string' ? readFlag(value) : undefined
  if (flag === undefined) throw validationError({ [name]: [flagFault] })
  return flag
}
