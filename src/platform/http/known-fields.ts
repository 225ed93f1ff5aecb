import type { TSchema } from 'typebox'
import type { Validator } from 'typebox/compile'
import { suggest } from '../../kit/suggest.ts'
import { compileSchema } from './schema-compilers.ts'

/** The part of JSON Schema that schemas of bodies use. */
interface FieldSchema {
  properties?: Record<string, FieldSchema>
  patternProperties?: Record<string, unknown>
  additionalProperties?: unknown
  items?: FieldSchema
  anyOf?: FieldSchema[]
}

/** The fields of a value that a schema has, and the names of the other fields. */
export interface KnownFields {
  value: unknown
  ignored: IgnoredNames
}

/**
 * Copies the fields of a value that a schema has, at every level. Routes get no other field. An object whose schema lists
 * no fields, such as the context of a template, is copied whole. The value may be invalid. A name that
 * many items of a batch have is listed once.
 */
export function pickKnownFields(value: unknown, schema: TSchema): KnownFields {
  const ignored = new IgnoredNames('field')
  const { items } = schema as FieldSchema
  if (items === undefined) return { value: pick(value, schema, { ignored, path: '' }), ignored }
  return { value: pickItems(value, items, ignored), ignored }
}

interface Place {
  ignored: IgnoredNames
  /** The prefix of the object's fields: empty, or `plainPassword.`. */
  path: string
}

/** A batch is a list, or an object with any keys. */
function pickItems(value: unknown, schema: FieldSchema, ignored: IgnoredNames): unknown {
  const pickItem = (inner: unknown) => pick(inner, schema, { ignored, path: '' })
  if (Array.isArray(value)) return value.map(pickItem)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, pickItem(inner)]))
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
  // fromEntries defines properties: assigning __proto__ would set the prototype.
  return Object.fromEntries(picked)
}

/** Whether an object may have any fields. */
function isFree({ properties, patternProperties, additionalProperties }: FieldSchema): boolean {
  if (additionalProperties !== undefined && additionalProperties !== false) return true
  return properties === undefined && patternProperties === undefined
}

const validators = new WeakMap<FieldSchema, Validator>()

/** Returns the branch of a union that the value matches; undefined for none, which validation rejects. */
function findBranch(value: object, schema: FieldSchema): FieldSchema | undefined {
  if (schema.anyOf === undefined) return schema
  return schema.anyOf.find((branch) => {
    const validator = validators.get(branch) ?? compileSchema(branch)
    validators.set(branch, validator)
    return validator.Check(value)
  })
}

/** Limits that keep warnings readable. */
const namesMax = 10
const nameLengthMax = 100

/** A field or parameter that was ignored. */
interface IgnoredName {
  name: string
  /** The prefix of the object's fields: empty, or `plainPassword.`. */
  path: string
  /** An object whose keys are suggested when they are similar. */
  known: object
}

/** Collects the ignored names of a request, for the warnings of its response. */
export class IgnoredNames {
  readonly #kind: 'field' | 'parameter'
  readonly #noted = new Map<string, Pick<IgnoredName, 'name' | 'known'>>()
  #others = 0

  constructor(kind: 'field' | 'parameter') {
    this.#kind = kind
  }

  add({ name, path, known }: IgnoredName): void {
    const shown = shorten(`${path}${name}`)
    if (this.#noted.has(shown)) return
    if (this.#noted.size < namesMax) this.#noted.set(shown, { name, known })
    else this.#others += 1
  }

  /** Returns what is wrong with each name, for a route that refuses unknown fields. */
  faults(): Record<string, string[]> {
    const faults = [...this.#noted].map(([shown, { name, known }]) => {
      const meant = suggest(name, Object.keys(known))
      return [shown, [meant === undefined ? 'is unknown' : `is unknown (${meant})`]]
    })
    return Object.fromEntries(faults)
  }

  /** Returns a sentence for each name: `Unknown field "html" was ignored. Did you mean "customHtml"?` */
  warnings(): string[] {
    const warnings = [...this.#noted].map(([shown, { name, known }]) => {
      const meant = suggest(name, Object.keys(known))
      const sentence = `Unknown ${this.#kind} ${JSON.stringify(shown)} was ignored.`
      return meant === undefined ? sentence : `${sentence} ${meant}`
    })
    if (this.#others > 0) warnings.push(`${this.#others} more unknown ${this.#kind}s were ignored.`)
    return warnings
  }
}

function shorten(name: string): string {
  return name.length <= nameLengthMax ? name : `${name.slice(0, nameLengthMax)}…`
}
