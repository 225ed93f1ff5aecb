import {
  type FilterDefinition,
  requireCollection,
  requireText,
  signature,
} from '../callables/definition.ts'
import { runtimeFault } from '../errors.ts'
import { replacePairs } from '../php/replace-pairs.ts'
import { sprintf } from '../php/sprintf.ts'
import { stripTags } from '../php/strip-tags.ts'
import { type Side, trim as trimText } from '../php/trim.ts'
import type { Render } from '../runtime/render.ts'
import { entriesOf, isCollection, sizeOf, valuesOf } from '../values/collections.ts'
import { toText, typeName } from '../values/conversions.ts'
import { Markup, type Meter, type Value } from '../values/value.ts'

/**
 * `trim`: removes whitespace, or the characters of a mask, from the ends. Safe markup stays safe.
 */
export const trim: FilterDefinition = {
  name: 'trim',
  signature: signature('character_mask = null, side = "both"'),
  apply(value, [mask = null, side = 'both'], { budget }) {
    const text = requireText(value, '"trim" filter')
    if (side !== 'both' && side !== 'left' && side !== 'right') {
      throw runtimeFault('Trimming side must be "left", "right" or "both".')
    }
    const trimmed = trimText(text, {
      ...(mask === null ? {} : { mask: toText(mask) }),
      side: side satisfies Side,
      meter: budget,
    })
    return value instanceof Markup && mask === null ? new Markup(trimmed) : trimmed
  },
}

/** `nl2br`: inserts `<br />` before every newline and escapes the rest. */
export const nl2br: FilterDefinition = {
  name: 'nl2br',
  signature: signature(''),
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
}

/** `spaceless`: removes whitespace between tags. */
export const spaceless: FilterDefinition = {
  name: 'spaceless',
  signature: signature(''),
  preEscape: 'html',
  safeFor: ['html'],
  deprecation: 'The "spaceless" filter is deprecated.',
  apply(value, _args, { budget }) {
    const text = requireText(value, '"spaceless" filter')
    budget.allocateText(text.length)
    budget.spendOnCharacters(text.length)
    return trimText(text.replace(/>\s+</g, '><'), { meter: budget })
  },
}

/** `striptags`: removes tags and comments, except allowed tags. */
export const striptags: FilterDefinition = {
  name: 'striptags',
  signature: signature('allowable_tags = null'),
  apply(value, [allowable = null], { budget }) {
    const text = requireText(value, '"striptags" filter')
    budget.allocateText(text.length)
    budget.spendOnCharacters(text.length)
    return stripTags(text, allowedTags(allowable, budget), budget)
  },
}

function allowedTags(value: Value, meter: Meter): ReadonlySet<string> {
  if (isCollection(value)) {
    meter.spend(sizeOf(value) * 2)
    return new Set(valuesOf(value).map((name) => toText(name).toLowerCase()))
  }
  const allowed = toText(value)
  meter.spend(allowed.length)
  const names = allowed.matchAll(/<\/?\s*([a-zA-Z0-9:!-]+)/g)
  return new Set(Array.from(names, ([, name = '']) => name.toLowerCase()))
}

/** `format`: formats like PHP's `sprintf`. */
export const format: FilterDefinition = {
  name: 'format',
  signature: signature('...values'),
  apply: (value, args, { budget }) => sprintf(requireText(value, '"format" filter'), args, budget),
}

/** `replace`: replaces the keys of a mapping by its values. */
export const replace: FilterDefinition = {
  name: 'replace',
  signature: signature('from'),
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
}

/** `convert_encoding`: returns the string unchanged, because all strings are Unicode. */
export const convertEncoding: FilterDefinition = {
  name: 'convert_encoding',
  signature: signature('to, from'),
  apply: (value) => requireText(value, '"convert_encoding" filter'),
}

const none = signature('')

function casing(
  name: string,
  change: (text: string) => string,
  stepsPerCharacter = 1 / 8,
): FilterDefinition {
  return {
    name,
    signature: none,
    apply(value: Value, _args, render: Render) {
      const text = requireText(value, `"${name}" filter`)
      render.budget.allocateText(text.length)
      render.budget.spend(text.length * stepsPerCharacter)
      return change(text)
    },
  }
}

/** `upper`: converts to upper case. */
export const upper = casing('upper', (text) => text.toUpperCase())

/** `lower`: converts to lower case. */
export const lower = casing('lower', (text) => text.toLowerCase())

/** `capitalize`: upper case for the first letter, lower case for the rest. */
export const capitalize = casing('capitalize', (text) => {
  const [first = ''] = text
  return first.toUpperCase() + text.slice(first.length).toLowerCase()
})

/** A word starts with a letter. Characters that PHP ignores for case do not end it. */
const words = /\p{L}[\p{L}\p{M}'’.:·\u00ad]*/gu

/** Each word is converted separately, which costs more steps. */
const titleSteps = 2

/** `title`: upper case for the first letter of each word, lower case for the rest. */
export const title = casing(
  'title',
  (text) =>
    text.toLowerCase().replace(words, (word) => {
      const [first = ''] = word
      const [initial = '', ...more] = first.toUpperCase()
      return initial + more.join('').toLowerCase() + word.slice(first.length)
    }),
  titleSteps,
)
