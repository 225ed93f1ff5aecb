import type { Budget } from '../budget.ts'
import { define, type FilterDefinition, requireText } from '../callables/definition.ts'
import { phpFault } from '../errors.ts'
import {
  characters,
  chunks,
  lengthInCharacters,
  sliceCollection,
  sliceText,
} from '../php/characters.ts'
import { toInt } from '../php/numbers.ts'
import type { Render } from '../runtime/render.ts'
import {
  CollectionBuilder,
  entriesOf,
  isCollection,
  sizeOf,
  valuesOf,
} from '../values/collections.ts'
import { isEmpty, toBoolean, toText } from '../values/conversions.ts'
import { splitText } from '../values/search.ts'
import { TwigObject, type Value } from '../values/value.ts'

export const textAndListFilters = define<FilterDefinition>({
  'slice(start, length = null, preserve_keys = false)': {
    description: 'A part of a string or collection.',
    apply: sliceOf,
  },
  first: {
    description: 'The first element or character.',
    apply: (value, _args, render) => elementAt(value, 0, render),
  },
  last: {
    description: 'The last element or character.',
    apply: (value, _args, render) => elementAt(value, -1, render),
  },
  length: {
    description: 'The number of elements or characters.',
    apply(value, _args, { budget }) {
      if (value === null) return 0
      if (isCollection(value)) return sizeOf(value)
      if (value instanceof TwigObject && value.kind.text === undefined) return 1
      const text = toText(value)
      budget.spendOnCharacters(text.length / 2)
      return lengthInCharacters(text)
    },
  },
  'reverse(preserve_keys = false)': {
    description: 'Reverses a collection or string. Numbered elements get new numbers.',
    apply(value, [preserveKeys = false], { budget }) {
      if (!isCollection(value)) {
        const text = toText(value)
        budget.allocateElements(text.length)
        return characters(text).reverse().join('')
      }
      budget.allocateElements(sizeOf(value))
      const builder = new CollectionBuilder()
      for (const [key, item] of [...entriesOf(value)].reverse()) {
        builder.add(key, item, toBoolean(preserveKeys))
      }
      return builder.build()
    },
  },
  shuffle: {
    description: 'The elements or characters in random order.',
    apply(value, _args, render) {
      if (isCollection(value)) {
        render.budget.allocateElements(sizeOf(value))
        return shuffled([...valuesOf(value)], render.settings.random)
      }
      if (typeof value !== 'string') return value
      render.budget.allocateElements(value.length)
      return shuffled(characters(value), render.settings.random).join('')
    },
  },
  'join(glue = "", and = null)': {
    description: "Joins elements: join(', ', ' and ').",
    apply(value, [glue = '', and = null], { budget }) {
      const items = isCollection(value) ? valuesOf(value) : value === null ? [] : [value]
      const separator = toText(glue)
      const lastSeparator = and === null ? separator : toText(and)
      let joined = ''
      let index = 0
      for (const item of items) {
        const before = index === 0 ? '' : index === items.length - 1 ? lastSeparator : separator
        const text = toText(item)
        budget.allocateText(before.length + text.length)
        joined += before + text
        index++
      }
      return joined
    },
  },
  'split(delimiter, limit = null)': {
    description: 'Splits a string at a delimiter, or into chunks of a length.',
    apply(value, [delimiter = '', limit = null], { budget }) {
      const text = requireText(value, '"split" filter')
      const separator = toText(delimiter)
      const count = limit === null ? undefined : toInt(limit)
      if (separator !== '') return explode(text, separator, { limit: count, budget })
      budget.allocateElements(text.length)
      if (text === '') return ['']
      // PHP splits neither at the end nor before a last newline.
      if (count === undefined || count <= 1) return text.split(/(?!\n?$)/u)
      if (Number.isSafeInteger(count)) return chunks(text, count)
      throw phpFault('The limit is too large.')
    },
  },
  'default(default = "")': {
    description: 'Another value where this one is missing or empty.',
    acceptsMissing: true,
    apply: (value, [fallback = '']) => (isEmpty(value) ? fallback : value),
  },
})

function sliceOf(value: Value, range: readonly Value[], render: Render): Value {
  const [start = 0, length = null, preserveKeys = false] = range
  const from = toInt(start)
  const count = length === null ? undefined : toInt(length)
  if (isCollection(value)) {
    render.budget.allocateElements(sizeOf(value))
    return sliceCollection(value, [from, count], toBoolean(preserveKeys))
  }
  const text = toText(value)
  render.budget.spendOnCharacters(text.length)
  render.budget.allocateText(text.length)
  return sliceText(text, from, count)
}

function elementAt(value: Value, start: number, render: Render): Value {
  const part = sliceOf(value, [start, 1], render)
  if (!isCollection(part)) return part
  // PHP's `current` returns false for an empty array.
  const [element = false] = valuesOf(part)
  return element
}

/** Shuffles in place (Fisher–Yates). */
function shuffled<T>(items: T[], random: () => number): T[] {
  for (let last = items.length - 1; last > 0; last--) {
    const picked = Math.floor(random() * (last + 1))
    const moved = items[picked] as T
    items[picked] = items[last] as T
    items[last] = moved
  }
  return items
}

function explode(
  text: string,
  separator: string,
  { limit, budget }: { limit: number | undefined; budget: Budget },
): string[] {
  if (limit !== undefined && limit >= 0) {
    return splitText(text, separator, { budget, limit: Math.max(limit, 1) })
  }
  return splitText(text, separator, { budget }).slice(0, limit)
}
