import { createRequire } from 'node:module'
import type { TSchema } from 'typebox'
import type { Validator } from 'typebox/compile'
import { IgnoredNames } from './ignored-names.ts'

const require = createRequire(import.meta.url)

/** As much of JSON Schema as the schemas of bodies use. */
interface FieldSchema {
  properties?: Record<string, FieldSchema>
  patternProperties?: Record<string, unknown>
  additionalProperties?: unknown
  items?: FieldSchema
  anyOf?: FieldSchema[]
}

/** What a schema names of a value, and the names of the rest. */
export interface KnownFields {
  value: unknown
  ignored: IgnoredNames
}

/**
 * Copies the fields of a value that a schema names, at every depth, so that nothing else reaches the code behind
 * it. An object whose schema names no fields, such as the context of a template, stays as it is. The value need
 * not be valid. In the top-level list of a batch, ignored names are listed by item.
 */
export function pickKnownFields(value: unknown, schema: TSchema): KnownFields {
  const ignored = new IgnoredNames('field')
  const { items } = schema as FieldSchema
  if (items === undefined) return { value: pick(value, schema, { ignored, path: '' }), ignored }
  return { value: pickItems(value, items, ignored), ignored }
}

interface Place {
  ignored: IgnoredNames
  /** Of the object: empty, or `plainPassword.`. */
  path: string
  item?: string
}

/** A batch may be a list, or an object whose names do not matter. */
function pickItems(value: unknown, schema: FieldSchema, ignored: IgnoredNames): unknown {
  const pickItem = (inner: unknown, item: string) =>
    pick(inner, schema, { ignored, path: '', item })
  if (Array.isArray(value)) return value.map((inner, index) => pickItem(inner, String(index)))
  if (typeof value !== 'object' || value === null) return value
  const picked = Object.entries(value).map(([key, inner], index) => [
    key,
    pickItem(inner, String(index)),
  ])
  return Object.fromEntries(picked)
}

function pick(value: unknown, schema: FieldSchema, place: Place): unknown {
  if (typeof value !== 'object' || value === null) return value
  const branch = findBranch(value, schema)
  if (branch === undefined) return value
  if (Array.isArray(value)) {
    const { items } = branch
    if (items === undefined) return value
    return value.map((inner, index) =>
      pick(inner, items, { ...place, path: `${place.path}${index}.` }),
    )
  }
  return isFree(branch) ? value : pickObject(value, branch, place)
}

function pickObject(value: object, schema: FieldSchema, place: Place): object {
  const { properties = {}, patternProperties = {} } = schema
  const patterns = Object.keys(patternProperties).map((pattern) => new RegExp(pattern, 'u'))
  const picked: [string, unknown][] = []
  for (const [key, inner] of Object.entries(value)) {
    if (Object.hasOwn(properties, key)) {
      const field = properties[key] ?? {}
      picked.push([key, pick(inner, field, { ...place, path: `${place.path}${key}.` })])
    } else if (patterns.some((pattern) => pattern.test(key))) picked.push([key, inner])
    else place.ignored.add({ ...place, name: key, known: properties })
  }
  // Defined, not assigned: a name such as __proto__ is a name like any other.
  return Object.fromEntries(picked)
}

/** Whether an object may have any names. */
function isFree({ properties, patternProperties, additionalProperties }: FieldSchema): boolean {
  if (additionalProperties !== undefined && additionalProperties !== false) return true
  return properties === undefined && patternProperties === undefined
}

const validators = new WeakMap<FieldSchema, Validator>()

/** The branch of a union that the value is of; undefined where it is of none, for the validation to refuse. */
function findBranch(value: object, schema: FieldSchema): FieldSchema | undefined {
  return schema.anyOf === undefined
    ? schema
    : schema.anyOf.find((branch) => validatorOf(branch).Check(value))
}

function validatorOf(branch: FieldSchema): Validator {
  const known = validators.get(branch)
  if (known !== undefined) return known
  const { Compile } = require('typebox/compile') as typeof import('typebox/compile')
  const compiled = Compile(branch as TSchema)
  validators.set(branch, compiled)
  return compiled
}
