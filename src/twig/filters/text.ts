import { requireCollection, requireText } from '../callables/arguments.ts'
import type { FilterDefinition } from '../callables/definition.ts'
import { signature } from '../callables/signature.ts'
import { runtimeFault } from '../errors/faults.ts'
import { replacePairs } from '../php/replace-pairs.ts'
import { sprintf } from '../php/sprintf.ts'
import { stripTags } from '../php/strip-tags.ts'
import { type Side, trim as trimText } from '../php/trim.ts'
import { entriesOf, isCollection, sizeOf, valuesOf } from '../values/collections.ts'
import { Markup } from '../values/markup.ts'
import type { Meter } from '../values/meter.ts'
import { toText } from '../values/text.ts'
import { typeName } from '../values/type-name.ts'
import type { Value } from '../values/value.ts'

/** `trim`: without blanks, or the characters of a mask, at its ends. Safe text stays safe. */
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

/** `nl2br`: `<br />` before every newline. What stands around it is escaped. */
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

/** `spaceless`: without blanks between tags. */
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

/** `striptags`: without tags and comments, but for those that are allowed. */
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

/** `format`: PHP's `sprintf`. */
export const format: FilterDefinition = {
  name: 'format',
  signature: signature('...values'),
  apply: (value, args, { budget }) => sprintf(requireText(value, '"format" filter'), args, budget),
}

/** `replace`: the texts that are keys of a mapping by its values. */
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

/** `convert_encoding`: texts are Unicode here from end to end, so there is nothing to convert. */
export const convertEncoding: FilterDefinition = {
  name: 'convert_encoding',
  signature: signature('to, from'),
  apply: (value) => requireText(value, '"convert_encoding" filter'),
}
