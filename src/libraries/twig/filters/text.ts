import type { Budget } from '../budget.ts'
import {
  define,
  type FilterDefinition,
  requireCollection,
  requireText,
} from '../callables/definition.ts'
import { runtimeFault } from '../errors.ts'
import { replacePairs } from '../php/replace-pairs.ts'
import { sprintf } from '../php/sprintf.ts'
import { stripTags } from '../php/strip-tags.ts'
import { type Side, trim as trimText } from '../php/trim.ts'
import type { Render } from '../runtime/render.ts'
import { entriesOf, isCollection, sizeOf, valuesOf } from '../values/collections.ts'
import { toText, typeName } from '../values/conversions.ts'
import { Markup, type Value } from '../values/value.ts'

/** A word starts with a letter. Characters that PHP ignores for case do not end it. */
const words = /\p{L}[\p{L}\p{M}'’.:·\u00ad]*/gu

const cases: [name: string, description: string, convert: (text: string) => string][] = [
  ['upper', 'Converts to upper case.', (text) => text.toUpperCase()],
  ['lower', 'Converts to lower case.', (text) => text.toLowerCase()],
  [
    'capitalize',
    'Upper case for the first letter, lower case for the rest.',
    (text) => {
      const [first = ''] = text
      return first.toUpperCase() + text.slice(first.length).toLowerCase()
    },
  ],
  [
    'title',
    'Upper case for the first letter of each word.',
    (text) =>
      text.toLowerCase().replace(words, (word) => {
        const [first = ''] = word
        const [initial = '', ...more] = first.toUpperCase()
        return initial + more.join('').toLowerCase() + word.slice(first.length)
      }),
  ],
]

const caseFilters = cases.map(([name, description, convert]) => [
  name,
  {
    description,
    apply(value: Value, _args: readonly Value[], { budget }: Render) {
      const text = requireText(value, `"${name}" filter`)
      budget.allocateText(text.length)
      // Each word of a title is converted separately, which costs more steps.
      budget.spend(name === 'title' ? text.length * 2 : text.length / 8)
      return convert(text)
    },
  },
])

export const textFilters = define<FilterDefinition>({
  // Safe markup stays safe.
  'trim(character_mask = null, side = "both")': {
    description: 'Removes whitespace or other characters from the ends.',
    apply(value, [mask = null, side = 'both'], { budget }) {
      const text = requireText(value, '"trim" filter')
      if (side !== 'both' && side !== 'left' && side !== 'right') {
        throw runtimeFault('Trimming side must be "left", "right" or "both".')
      }
      const trimmed = trimText(text, {
        ...(mask === null ? {} : { mask: toText(mask) }),
        side: side satisfies Side,
        budget,
      })
      return value instanceof Markup && mask === null ? new Markup(trimmed) : trimmed
    },
  },
  nl2br: {
    description: 'Inserts <br /> before every newline, and escapes the rest.',
    preEscape: 'html',
    safeFor: ['html'],
    apply(value, _args, { budget }) {
      const text = requireText(value, '"nl2br" filter')
      budget.allocateText(text.length * 2)
      return text.replace(/\r\n|\n\r|\n|\r/g, (newline) => {
        budget.spend(1)
        return `<br />${newline}`
      })
    },
  },
  spaceless: {
    description: 'Removes whitespace between HTML tags.',
    preEscape: 'html',
    safeFor: ['html'],
    deprecation: 'The "spaceless" filter is deprecated.',
    apply(value, _args, { budget }) {
      const text = requireText(value, '"spaceless" filter')
      budget.allocateText(text.length)
      budget.spendOnCharacters(text.length)
      return trimText(text.replace(/>\s+</g, '><'), { budget })
    },
  },
  'striptags(allowable_tags = null)': {
    description: 'Removes HTML tags, except allowed ones.',
    apply(value, [allowable = null], { budget }) {
      const text = requireText(value, '"striptags" filter')
      budget.allocateText(text.length)
      budget.spendOnCharacters(text.length)
      return stripTags(text, allowedTags(allowable, budget), budget)
    },
  },
  'format(...values)': {
    description: "Inserts values into a text, as PHP's sprintf: 'I like %s'|format('tea').",
    apply: (value, args, { budget }) =>
      sprintf(requireText(value, '"format" filter'), args, budget),
  },
  'replace(from)': {
    description: "Replaces texts: replace({'%name%': name}).",
    apply(value, [from = null], { budget }) {
      if (!isCollection(from)) {
        throw runtimeFault(
          `The "replace" filter expects a sequence or a mapping, got "${typeName(from)}".`,
        )
      }
      const pairs = new Map<string, string>()
      for (const [key, replacement] of entriesOf(requireCollection(from, '"replace" filter'))) {
        budget.spend(1)
        pairs.set(String(key), toText(replacement))
      }
      return replacePairs(requireText(value, '"replace" filter'), pairs, budget)
    },
  },
  'convert_encoding(to, from)': {
    description: 'The string unchanged: all strings are Unicode.',
    apply: (value) => requireText(value, '"convert_encoding" filter'),
  },
  ...Object.fromEntries(caseFilters),
})

function allowedTags(value: Value, budget: Budget): ReadonlySet<string> {
  if (isCollection(value)) {
    budget.spend(sizeOf(value) * 2)
    return new Set(valuesOf(value).map((name) => toText(name).toLowerCase()))
  }
  const allowed = toText(value)
  budget.spend(allowed.length)
  const names = allowed.matchAll(/<\/?\s*([a-zA-Z0-9:!-]+)/g)
  return new Set(Array.from(names, ([, name = '']) => name.toLowerCase()))
}
