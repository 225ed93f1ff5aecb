import type { Budget } from '../budget.ts'
import { define, type FilterDefinition, requireText } from '../callables/definition.ts'
import { escapeAlways, escapeUrl, getEscaper } from '../escaping/escape.ts'
import { encodeJson } from '../php/json.ts'
import { toInt } from '../php/numbers.ts'
import { fromHost } from '../runtime/host-values.ts'
import { entriesOf, isCollection } from '../values/collections.ts'
import { toText } from '../values/conversions.ts'
import type { Collection } from '../values/value.ts'

/** The memory that each character of a JSON text takes at most when it is decoded. */
const bytesACharacter = 24

const escaping: Pick<FilterDefinition, 'safeFor' | 'apply'> = {
  safeFor: ([strategy]) => (typeof strategy === 'string' ? [strategy] : []),
  apply: (value, [strategy = 'html'], render) =>
    escapeAlways(value, getEscaper(toText(strategy), render), render.budget),
}

export const encodingFilters = define<FilterDefinition>({
  url_encode: {
    description: 'Encodes a text for a URL, or a mapping as a query string.',
    apply(value, _args, { budget }) {
      if (isCollection(value)) return httpQuery(value, budget)
      return escapeUrl(requireText(value, '"url_encode" filter'), budget)
    },
  },
  'json_encode(flags = 0, depth = 512)': {
    description: 'Encodes a value as JSON.',
    apply: (value, [flags = 0], { budget }) => encodeJson(value, toInt(flags), budget) ?? false,
  },
  'json_decode(assoc = true, depth = 512, flags = 0)': {
    description: 'The value of a JSON text; null for invalid JSON.',
    apply(value, _args, { budget }) {
      const json = requireText(value, '"json_decode" filter')
      budget.allocate(json.length * bytesACharacter)
      budget.spend(1 + json.length / 2)
      try {
        return fromHost(JSON.parse(json), budget) ?? null
      } catch (error) {
        if (error instanceof SyntaxError) return null
        throw error
      }
    },
  },
  raw: {
    description: 'Prints the value without escaping it.',
    safeFor: ['all'],
    apply: (value) => value,
  },
  'escape(strategy = "html", charset = null, autoescape = false)': {
    description: 'Escapes for HTML, or for js, css, url, html_attr.',
    ...escaping,
  },
  'e(strategy = "html", charset = null, autoescape = false)': {
    description: 'Short for escape.',
    ...escaping,
  },
})

/**
 * Builds a query string like PHP's `http_build_query` (RFC 3986): `a=1&b%5Bc%5D=2`. Nulls are left
 * out.
 */
function httpQuery(collection: Collection, budget: Budget): string {
  const pairs: string[] = []
  addPairs(pairs, { collection, budget })
  return pairs.join('&')
}

function addPairs(
  pairs: string[],
  { collection, prefix, budget }: { collection: Collection; prefix?: string; budget: Budget },
): void {
  for (const [key, value] of entriesOf(collection)) {
    budget.allocateElements(2)
    const name = escapeUrl(String(key), budget)
    const full = prefix === undefined ? name : `${prefix}%5B${name}%5D`
    // In nested collections every element repeats the names of all its parents.
    budget.allocateText(full.length)
    if (value === null) continue
    if (isCollection(value)) addPairs(pairs, { collection: value, prefix: full, budget })
    else pairs.push(`${full}=${escapeUrl(value === false ? '0' : toText(value), budget)}`)
  }
}
