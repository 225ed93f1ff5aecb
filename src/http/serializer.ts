import buildSerializer from 'fast-json-stringify'

/**
 * Turns answers into JSON by their schema, so that a member that the schema does not name cannot leave
 * by mistake. Compiled at its first use: a start needs none of them.
 */
export function createSerializer(schema: unknown): (value: unknown) => string {
  let serialize: ((value: unknown) => string) | undefined
  return (value) => {
    serialize ??= buildSerializer(schema as Parameters<typeof buildSerializer>[0])
    return serialize(value)
  }
}
