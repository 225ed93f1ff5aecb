import { readFlag } from './query.ts'

interface FormSchema {
  type?: string | string[]
  properties?: Record<string, FormSchema>
  items?: FormSchema
  anyOf?: FormSchema[]
}

/**
 * Converts the texts of a form to the numbers, booleans and nulls that the schema requires. Text that cannot be converted
 * stays text, and validation rejects it.
 */
export function readFormValues(value: unknown, schema: FormSchema = {}): unknown {
  if (typeof value === 'string') return readText(value, schema)
  if (Array.isArray(value)) return value.map((item) => readFormValues(item, schema.items))
  if (typeof value !== 'object' || value === null) return value
  // A long list, or one with explicit indexes (`0[name]=…`), is parsed as an object.
  if (schema.type === 'array' && Object.keys(value).every((key) => /^\d+$/.test(key))) {
    return readFormValues(Object.values(value), schema)
  }
  const { properties = {}, items = {} } = objectSchema(schema)
  const entries = Object.entries(value).map(([key, inner]) => [
    key,
    // The items of a batch may have any keys (`first[name]=…`).
    readFormValues(inner, (Object.hasOwn(properties, key) ? properties[key] : undefined) ?? items),
  ])
  return Object.fromEntries(entries)
}

function objectSchema(schema: FormSchema): FormSchema {
  return schema.anyOf?.find(({ type }) => type === 'object') ?? schema
}

function readText(text: string, schema: FormSchema): unknown {
  const types = (schema.anyOf ?? [schema]).flatMap(({ type }) => type)
  if (text === '' && types.includes('null')) return null
  if (types.includes('integer') || types.includes('number')) {
    if (/^-?\d{1,15}(\.\d{1,15})?$/.test(text)) return Number(text)
  }
  return types.includes('boolean') ? (readFlag(text) ?? text) : text
}
