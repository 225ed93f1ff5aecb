import type { HttpAnswer } from '../http/http-exchange.ts'

/** Reads `Retry-After` (RFC 9110, section 10.2.3), seconds or a date; undefined without one. */
export function retryAfterMs({ headers }: HttpAnswer, now: number): number | undefined {
  const value = headers['retry-after'] ?? ''
  if (/^\d{1,7}$/.test(value)) return Number(value) * 1000
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
