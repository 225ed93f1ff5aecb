/** As much of JSON Schema as examples are made from. */
interface Schema {
  examples?: readonly unknown[]
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly Schema[]
  properties?: Record<string, Schema>
  required?: readonly string[]
  items?: Schema
}

/**
 * Finds the example of a schema: its own, else one made of the examples of its parts.
 * @returns undefined where a part that is required has none.
 */
export function exampleOf(schema: Schema): unknown {
  const { examples, enum: values, anyOf, properties, items } = schema
  if (examples?.length) return examples[0]
  if ('const' in schema) return schema.const
  if (values?.length) return values[0]
  if (anyOf !== undefined) return anyOf.map(exampleOf).find((each) => each !== undefined)
  if (properties !== undefined) return exampleOfObject(properties, schema.required ?? [])
  const item = items && exampleOf(items)
  return item === undefined ? undefined : [item]
}

function exampleOfObject(properties: Record<string, Schema>, required: readonly string[]): unknown {
  const entries = Object.entries(properties).map(([name, each]) => [name, exampleOf(each)] as const)
  const found = entries.filter(([, value]) => value !== undefined)
  const isComplete = required.every((name) => found.some(([each]) => each === name))
  return isComplete ? Object.fromEntries(found) : undefined
}
