import { type FilterDefinition, requireText, signature } from '../callables/definition.ts'
import { escapeAlways, getEscaper } from '../escaping/escape.ts'
import { escapeUrl } from '../escaping/escapers.ts'
import { encodeJson } from '../php/json.ts'
import { toInt } from '../php/numbers.ts'
import { entriesOf, isCollection } from '../values/collections.ts'
import { toText } from '../values/conversions.ts'
import type { Collection, Meter, Value } from '../values/value.ts'

/** `url_encode`: encodes a string as a URL component, or a mapping as a query string. */
export const urlEncode: FilterDefinition = {
  name: 'url_encode',
  signature: signature(''),
  apply(value, _args, { budget }) {
    if (isCollection(value)) return httpQuery(value, budget)
    return escapeUrl(requireText(value, '"url_encode" filter'), budget)
  },
}

/** `json_encode`: encodes a value as PHP does, with PHP's flags. */
export const jsonEncode: FilterDefinition = {
  name: 'json_encode',
  signature: signature('flags = 0, depth = 512'),
  apply: (value, [flags = 0], { budget }) => encodeJson(value, toInt(flags), budget) ?? false,
}

function escaping(name: string): FilterDefinition {
  return {
    name,
    signature: signature('strategy = "html", charset = null, autoescape = false'),
    safeFor: ([strategy]) => (typeof strategy === 'string' ? [strategy] : []),
    apply(value, [strategy = 'html'], render) {
      return escapeAlways(value, getEscaper(toText(strategy), render), render.budget)
    },
  }
}

/** `escape`: escapes for HTML, or for `js`, `css`, `url`, `html_attr`. */
export const escapeFilter = escaping('escape')

/** `e`: short for `escape`. */
export const eFilter = escaping('e')

/** `raw`: marks a value as safe. */
export const rawFilter: FilterDefinition = {
  name: 'raw',
  signature: signature(''),
  safeFor: ['all'],
  apply: (value) => value,
}

/**
 * Builds a query string like PHP's `http_build_query` (RFC 3986): `a=1&b%5Bc%5D=2`. Nulls are left
 * out.
 */
function httpQuery(collection: Collection, meter: Meter): string {
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
    // In nested collections every element repeats the names of all its parents.
    meter.allocateText(full.length)
    if (value === null) continue
    if (isCollection(value)) addPairs(pairs, { collection: value, prefix: full, meter })
    else pairs.push(`${full}=${escapeUrl(plain(value), meter)}`)
  }
}

function plain(value: Value): string {
  return value === false ? '0' : toText(value)
}
