import type { Provider } from './provider.ts'

const dayFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

/**
 * Describes from when on a provider accepts which log-ins, without a full stop; undefined if it keeps passwords:
 * `From 31 December 2026 on, Microsoft 365 accepts …`.
 */
export function describePasswordsEnd({ title, passwordsEnd: end }: Provider): string | undefined {
  if (end === undefined) return undefined
  return `From ${dayFormat.format(new Date(end.date))} on, ${title} accepts ${end.accepts}`
}
