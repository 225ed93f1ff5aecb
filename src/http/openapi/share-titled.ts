interface Description {
  components?: { schemas?: Record<string, unknown> }
}

/** What our schemas have beside JSON Schema: the sentence of a fault, and that a number is the id of another record. */
const ownKeywords = new Set(['fault', 'reference'])

/**
 * Puts every schema that has a title into the components once, and a reference in its places. Keywords that
 * OpenAPI does not know are left out.
 */
export function shareTitled<T extends Description>(document: T): T {
  const schemas: Record<string, unknown> = {}
  const shared = share(document, schemas) as T
  const components = {
    ...shared.components,
    schemas: { ...shared.components?.schemas, ...schemas },
  }
  return { ...shared, components }
}

function share(value: unknown, schemas: Record<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((each) => share(each, schemas))
  if (typeof value !== 'object' || value === null) return value
  const isSchema = 'type' in value || 'anyOf' in value
  const entries = Object.entries(value)
    .filter(([key]) => !isSchema || !ownKeywords.has(key))
    .map(([key, each]) => [key, share(each, schemas)])
  const copy = Object.fromEntries(entries) as {
    title?: unknown
    type?: unknown
    description?: unknown
  }
  if (typeof copy.title !== 'string' || copy.type === undefined) return copy
  const { title, description, ...schema } = copy
  schemas[title] ??= { title, ...schema }
  const reference = { $ref: `#/components/schemas/${title}` }
  return typeof description === 'string' ? { ...reference, description } : reference
}
