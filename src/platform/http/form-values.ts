import { readFlag } from './query.ts'

interface ValueSchema {
  type?: string | string[]
  properties?: Record<string, ValueSchema>
  items?: ValueSchema
  anyOf?: ValueSchema[]
}

/**
 * Reads the numbers, booleans and nulls that the schema requires where a body has them as text, in place: forms have only texts, and
 * Mautic's clients send ids as text. Text that cannot be read stays text, and validation rejects it.
 *
 * @param isForm Whether an empty text is null where a text may be null.
 */
export function readTexts(value: unknown, schema: ValueSchema = {}, isForm = false): unknown {
  if (typeof value === 'string') return readText(value, schema, isForm)
  if (typeof value !== 'object' || value === null) return value
  const type = Array.isArray(value) ? 'array' : 'object'
  const { properties = {}, items } = schema.anyOf?.find((each) => each.type === type) ?? schema
  const members = value as Record<string, unknown>
  for (const key of Object.keys(members)) {
    // The items of a batch may have any keys (`first[name]=…`).
    const part = Object.hasOwn(properties, key) ? properties[key] : items
    if (part !== undefined) members[key] = readTexts(members[key], part, isForm)
  }
  // A form has a long list, or one with explicit indexes (`0[name]=…`), as an object.
  const isList = schema.type === 'array' && Object.keys(value).every((key) => /^\d+$/.test(key))
  return isList ? Object.values(value) : value
}

function readText(text: string, schema: ValueSchema, isForm: boolean): unknown {
  const types = (schema.anyOf ?? [schema]).flatMap(({ type }) => type)
  const isText = types.includes('string')
  if (text === '' && types.includes('null') && (isForm || !isText)) return null
  if (isText) return text
  if (types.includes('integer') || types.includes('number')) {
    if (/^-?\d{1,15}(\.\d{1,15})?$/.test(text)) return Number(text)
  }
  return types.includes('boolean') ? (readFlag(text) ?? text) : text
}
