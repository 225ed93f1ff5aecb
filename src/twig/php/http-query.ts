import { escapeUrl } from '../escaping/url.ts'
import { entriesOf, isCollection } from '../values/collections.ts'
import type { Meter } from '../values/meter.ts'
import { toText } from '../values/text.ts'
import type { Collection, Value } from '../values/value.ts'

/** PHP's `http_build_query` after RFC 3986: `a=1&b%5Bc%5D=2`. Nulls are left out. */
export function httpQuery(collection: Collection, meter: Meter): string {
  return pairs(collection, undefined, meter).join('&')
}

function pairs(collection: Collection, prefix: string | undefined, meter: Meter): string[] {
  const all: string[] = []
  for (const [key, value] of entriesOf(collection)) {
    meter.allocateElements(1)
    const name = escapeUrl(String(key), meter)
    const full = prefix === undefined ? name : `${prefix}%5B${name}%5D`
    if (value === null) continue
    if (isCollection(value)) for (const pair of pairs(value, full, meter)) all.push(pair)
    else all.push(`${full}=${escapeUrl(plain(value), meter)}`)
  }
  return all
}

function plain(value: Value): string {
  return value === false ? '0' : toText(value)
}
