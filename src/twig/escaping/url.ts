import type { Meter } from '../values/meter.ts'

/** Text for a part of a URL: RFC 3986, as PHP's `rawurlencode`. Half a surrogate pair becomes U+FFFD. */
export function escapeUrl(text: string, meter: Meter): string {
  meter.allocateText(text.length * 3)
  meter.spendOnCharacters(text.length * 3)
  return encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, (character) => {
    meter.spend(1)
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  })
}
