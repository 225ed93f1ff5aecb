import { escapeUrl } from '../escaping/url.ts'
import { entriesOf, isCollection } from '../values/collections.ts'
import type { Meter } from '../values/meter.ts'
import { toText } from '../values/text.ts'
import type { Collection, Value } from '../values/value.ts'

/** PHP's `http_build_query` after RFC 3986: `a=1&b%5Bc%5D=2`. Nulls are left out. */
export function httpQuery(collection: Collection, meter: Meter): string {
  const pairs: string[] = []
  addPairs(pairs, { collection, prefix: undefined, meter })
  return pairs.join('&')
}

function addPairs(
  pairs: string[],
  {
    collection,
    prefix,
    meter,
  }: { collection: Collection; prefix: string | undefined; meter: Meter },
): void {
  for (const [key, value] of entriesOf(collection)) {
    meter.allocateElements(2)
    const name = escapeUrl(String(key), meter)
    const full = prefix === undefined ? name : `${prefix}%5B${name}%5D`
    // Of collections in each other, every element repeats the names of all.
    meter.allocateText(full.length)
    if (value === null) continue
    if (isCollection(value)) addPairs(pairs, { collection: value, prefix: full, meter })
    else pairs.push(`${full}=${escapeUrl(plain(value), meter)}`)
  }
}

function plain(value: Value): string {
  return value === false ? '0' : toText(value)
}
