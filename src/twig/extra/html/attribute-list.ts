import type { Budget } from '../../budget.ts'
import { entriesOf, isCollection, sizeOf, valuesOf } from '../../values/collections.ts'
import { toText } from '../../values/conversions.ts'
import { dataOf, type ObjectKind, type Value } from '../../values/value.ts'

/** The value of an attribute that holds several: class names, media types, styles. */
export interface AttributeList {
  readonly type: 'sst' | 'cst' | 'style'
  readonly value: Value
}

export const attributeListKind: ObjectKind<AttributeList> = {
  className: 'Twig\\Extra\\Html\\HtmlAttr\\AttributeValueInterface',
}

/** The list as one text; undefined where nothing is in it. */
export function joinAttributeList(list: AttributeList, budget: Budget): string | undefined {
  const parts = list.type === 'style' ? styles(list.value, budget) : tokens(list.value, budget)
  if (parts.length === 0) return undefined
  const separator = { sst: ' ', cst: ', ', style: ' ' }[list.type]
  const text = [...new Set(parts)].join(separator)
  budget.allocateText(text.length)
  return text
}

function tokens(value: Value, budget: Budget): string[] {
  const list = dataOf(value, attributeListKind)
  if (list !== undefined) return tokens(list.value, budget)
  if (value === null || value === false || value === '') return []
  if (!isCollection(value)) return [toText(value)]
  budget.allocateElements(1 + sizeOf(value) * 3)
  return valuesOf(value).flatMap((item) => tokens(item, budget))
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

function styles(value: Value, budget: Budget): string[] {
  const list = dataOf(value, attributeListKind)
  if (list !== undefined) return styles(list.value, budget)
  if (value === null || value === false || value === '') return []
  if (!isCollection(value)) return [`${withoutEnd(toText(value), budget)};`]
  budget.allocateElements(1 + sizeOf(value) * 3)
  return [...entriesOf(value)].flatMap(([property, setting]) => {
    if (typeof property === 'number') return styles(setting, budget)
    if (setting === null || setting === false || setting === '') return []
    return [`${property}: ${toText(setting)};`]
  })
}
