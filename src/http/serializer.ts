import { createRequire } from 'node:module'
import type buildSerializer from 'fast-json-stringify'

const require = createRequire(import.meta.url)

/**
 * Turns answers into JSON by their schema, so that a member that the schema does not name cannot leave
 * by mistake. Compiled at its first use: a start needs none of them.
 */
export function createSerializer(schema: unknown): (value: unknown) => string {
  let serialize: ((value: unknown) => string) | undefined
  return (value) => {
    serialize ??= loadBuilder()(schema as Parameters<typeof buildSerializer>[0])
    return serialize(value)
  }
}

function loadBuilder(): typeof buildSerializer {
  return require('fast-json-stringify') as typeof buildSerializer
}
