import type { Budget } from '../../budget.ts'
import {
  define,
  type FilterDefinition,
  type FunctionDefinition,
} from '../../callables/definition.ts'
import { runtimeFault } from '../../errors.ts'
import { escapeHtml, escapeHtmlAttrRelaxed } from '../../escaping/escape.ts'
import { encodeJson } from '../../php/json.ts'
import type { Render } from '../../runtime/render.ts'
import {
  CollectionBuilder,
  collectionFrom,
  entriesOf,
  isCollection,
  sizeOf,
} from '../../values/collections.ts'
import { toBoolean, toText, typeName } from '../../values/conversions.ts'
import {
  type Collection,
  dataOf,
  type ObjectKind,
  TwigObject,
  type Value,
} from '../../values/value.ts'

export const attributeFilters = define<FilterDefinition>({
  'html_attr_type(type = "sst")': {
    description: 'A list that its attribute joins by spaces, commas, or as styles.',
    apply(value, [type = 'sst']) {
      const name = toText(type)
      if (name === 'sst' || name === 'cst' || name === 'style') {
        return new TwigObject<AttributeList>(attributeListKind, { type: name, value })
      }
      throw runtimeFault(
        `Unknown attribute type "${name}" The only supported types are "sst", "cst" and "style".`,
      )
    },
  },
  'html_attr_merge(...arrays)': {
    description: 'Merges attributes: lists are joined, other values replaced.',
    apply: (value, args, render) => merge([value, ...args], render),
  },
})

export const attributeFunctions = define<FunctionDefinition>({
  'html_attr(...args)': {
    description: 'Attributes as they stand in a tag, escaped.',
    safeFor: ['html'],
    call(args, render) {
      const attributes: string[] = []
      for (const [key, value] of entriesOf(merge(args, render))) {
        const text = attributeText(String(key), value, render)
        if (text === undefined) continue
        const name = escapeHtmlAttrRelaxed(String(key), render.budget)
        attributes.push(`${name}="${escapeHtml(text, render.budget)}"`)
      }
      return attributes.join(' ')
    },
  },
})

function merge(all: readonly Value[], { budget }: Render): Collection {
  const merged = new Map<string | number, Value>()
  for (const attributes of all) {
    if (!toBoolean(attributes)) continue
    if (!isCollection(attributes)) {
      throw runtimeFault(
        'Only empty strings may be passed as string arguments to html_attr_merge. This is to support the implicit else clause for ternary operators.',
      )
    }
    budget.allocateElements(sizeOf(attributes))
    for (const [key, value] of entriesOf(attributes)) {
      const before = merged.get(key)
      merged.set(key, before === undefined ? value : mergeValue(key, [before, value], budget))
    }
  }
  return collectionFrom(merged)
}

function mergeValue(
  key: string | number,
  [before, value]: readonly [Value, Value],
  budget: Render['budget'],
): Value {
  const list = dataOf(value, attributeListKind) ?? dataOf(before, attributeListKind)
  if (list !== undefined) {
    return new TwigObject<AttributeList>(attributeListKind, {
      type: list.type,
      value: [before, value],
    })
  }
  if (isCollection(before) && isCollection(value)) {
    budget.allocateElements(sizeOf(before) + sizeOf(value))
    const builder = new CollectionBuilder()
    builder.merge(before)
    builder.merge(value)
    return builder.build()
  }
  if (!isCollection(before) && !isCollection(value)) return value
  throw runtimeFault(`Cannot merge incompatible values for key "${key}".`)
}

/** What stands between the quotes; undefined where the attribute is left out. */
function attributeText(name: string, value: Value, render: Render): string | undefined {
  const list = dataOf(value, attributeListKind)
  if (list !== undefined) return joinAttributeList(list, render.budget)
  if (name.startsWith('aria-') && typeof value === 'boolean') return String(value)
  if (name.startsWith('data-')) {
    if (value === true) return 'true'
    if (isCollection(value)) return encodeJson(value, 0, render.budget)
  }
  if (isCollection(value)) {
    const type = name === 'style' ? 'style' : 'sst'
    return joinAttributeList({ type, value }, render.budget)
  }
  if (value === true) return ''
  if (value === null || value === false) return undefined
  if (value instanceof TwigObject && value.kind.text === undefined) {
    throw runtimeFault(
      `The "${name}" attribute value should be a scalar, an iterable, or an object implementing "Stringable", got "${typeName(value)}".`,
    )
  }
  return toText(value)
}

/** The value of an attribute that holds several: class names, media types, styles. */
interface AttributeList {
  readonly type: 'sst' | 'cst' | 'style'
  readonly value: Value
}

const attributeListKind: ObjectKind<AttributeList> = {
  className: 'Twig\\Extra\\Html\\HtmlAttr\\AttributeValueInterface',
}

/** The list as one text; undefined where nothing is in it. */
function joinAttributeList({ type, value }: AttributeList, budget: Budget): string | undefined {
  const parts = partsOf(value, type === 'style', budget)
  if (parts.length === 0) return undefined
  const text = [...new Set(parts)].join(type === 'cst' ? ', ' : ' ')
  budget.allocateText(text.length)
  return text
}

/** Returns the texts of a list, or its styles with a semicolon each. */
function partsOf(value: Value, isStyle: boolean, budget: Budget): string[] {
  const list = dataOf(value, attributeListKind)
  if (list !== undefined) return partsOf(list.value, isStyle, budget)
  if (isAbsent(value)) return []
  if (!isCollection(value)) {
    return [isStyle ? `${withoutEnd(toText(value), budget)};` : toText(value)]
  }
  budget.allocateElements(1 + sizeOf(value) * 3)
  return [...entriesOf(value)].flatMap(([property, item]) => {
    if (!isStyle || typeof property === 'number') return partsOf(item, isStyle, budget)
    return isAbsent(item) ? [] : [`${property}: ${toText(item)};`]
  })
}

function isAbsent(value: Value): boolean {
  return value === null || value === false || value === ''
}

/** Without the semicolons and blanks at its end. */
function withoutEnd(style: string, budget: Budget): string {
  budget.allocateText(style.length)
  budget.spendOnCharacters(style.length)
  let end = style.length
  // By hand: a regular expression would walk a run of blanks once for each of them.
  while (end > 0 && /[;\s]/.test(style.charAt(end - 1))) end--
  return style.slice(0, end)
}
