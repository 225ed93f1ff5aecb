import { createRequire } from 'node:module'
import type buildSerializer from 'fast-json-stringify'
import type { TSchema } from 'typebox'
import type { Validator } from 'typebox/compile'
import { AppError, type FaultDetails } from '../../kit/app-error.ts'
import { isNetwork } from '../../kit/networks.ts'
import { checkStorableWithin } from './body-limits.ts'

const require = createRequire(import.meta.url)

/**
 * Compiles a schema, which may have the format `network` too. The compiler is loaded at its first use, because it takes half
 * as long as a start may take.
 */
export function compileSchema(schema: TSchema): Validator {
  const { Compile } = require('typebox/compile') as typeof import('typebox/compile')
  const { Format } = require('typebox/format') as typeof import('typebox/format')
  Format.Set('network', isNetwork)
  return Compile(schema)
}

/** Returns an error that describes what is wrong with a value; undefined for a valid one. */
export type Check = (value: unknown) => AppError | undefined

interface SchemaFault {
  keyword: string
  schemaPath: string
  instancePath: string
  params: Record<string, unknown>
}

/**
 * Creates a check of values against a schema. Its error lists every fault by field; no value is coerced.
 * The schema is compiled at the first use of the check.
 */
export function createCheck(schema: TSchema): Check {
  let validator: Validator | undefined
  return (value) => {
    validator ??= compileSchema(schema)
    if (validator.Check(value)) return undefined
    return validationError(describeFaults(schema, validator.Errors(value)))
  }
}

/** Creates the error for faults by field: `name is required; mailerDsn must be text.` */
export function validationError(details: FaultDetails): AppError {
  const faults = Object.entries(details).flatMap(([field, reasons]) =>
    reasons.map((reason) => describeFault(field, reason)),
  )
  return new AppError('invalid', 'validation_failed', `${faults.join('; ')}.`, { details })
}

/** A reason is the rest of a sentence about the field, or a whole sentence. */
function describeFault(field: string, reason: string): string {
  if (/^[A-Z]/.test(reason)) return `${field}: ${reason.replace(/\.$/, '')}`
  return field === '' ? `The body ${reason}` : `${field} ${reason}`
}

/**
 * Creates the validator of one part of a route, for `setValidatorCompiler`. Of a query only the characters are checked,
 * because lists and flags have several spellings: the route reads it with `createQueryReader`.
 */
export function createValidator(schema: TSchema, httpPart: string | undefined) {
  const check = httpPart === 'querystring' ? findUnstorable : createCheck(schema)
  return (value: unknown) => {
    const error = check(value)
    return error === undefined ? true : { error }
  }
}

function findUnstorable(value: unknown): AppError | undefined {
  try {
    checkStorableWithin(value)
    return undefined
  } catch (error) {
    return error as AppError
  }
}

function describeFaults(schema: TSchema, faults: SchemaFault[]): FaultDetails {
  const details: FaultDetails = {}
  const add = (field: string, reason: string) => {
    details[field] ??= []
    const reasons = details[field]
    if (!reasons.includes(reason)) reasons.push(reason)
  }
  const unions = faults.filter(({ keyword }) => keyword === 'anyOf')
  for (const fault of faults) {
    const { keyword, instancePath, schemaPath } = fault
    // The union itself describes the faults of its branches.
    if (
      unions.some((union) => union !== fault && schemaPath.startsWith(`${union.schemaPath}/anyOf`))
    )
      continue
    const field = instancePath.slice(1).replaceAll('/', '.')
    if (keyword === 'required') {
      for (const name of fault.params['requiredProperties'] as string[]) {
        add(field === '' ? name : `${field}.${name}`, 'is required')
      }
    } else add(field, reasonFor(fault, schemaAt(schema, schemaPath)))
  }
  return details
}

const typeNames: Record<string, string> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
}

interface SchemaPart {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: SchemaPart[]
  fault?: string
}

function reasonFor({ keyword, params }: SchemaFault, part: SchemaPart): string {
  const hasOwnFault = ['pattern', 'format', 'anyOf'].includes(keyword)
  if (hasOwnFault && part.fault !== undefined) return part.fault
  const limit = String(params['limit'])
  switch (keyword) {
    case 'type':
    case 'anyOf':
    case 'const':
    case 'enum':
      return `must be ${expected(part)}`
    case 'minLength':
      return limit === '1' ? 'must not be empty' : `must have ${limit} characters or more`
    case 'maxLength':
      return `must have ${limit} characters or fewer`
    case 'minItems':
      return `must have ${limit} entries or more`
    case 'maxItems':
      return `must have ${limit} entries or fewer`
    case 'minimum':
      return `must be ${limit} or more`
    case 'maximum':
      return `must be ${limit} or less`
    default:
      return 'is not valid'
  }
}

function expected(part: SchemaPart): string {
  if (part.anyOf !== undefined) return [...new Set(part.anyOf.map(expected))].join(' or ')
  if (part.const !== undefined) return JSON.stringify(part.const)
  if (part.enum !== undefined) return part.enum.map((each) => JSON.stringify(each)).join(' or ')
  const names = [part.type ?? []].flat().map((type) => typeNames[type] ?? type)
  return names.length === 0 ? 'something else' : names.join(' or ')
}

/** The part of the schema that a path such as `#/properties/name` names. */
function schemaAt(schema: TSchema, path: string): SchemaPart {
  let part: unknown = schema
  for (const key of path.split('/').slice(1)) {
    part = (part as Record<string, unknown> | undefined)?.[key.replaceAll('~1', '/')]
  }
  return part ?? {}
}

/**
 * Creates the serializer of a response, for `setSerializerCompiler`. It writes only the members that the schema names.
 * The schema is compiled at the first response, so that a start compiles none.
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

/** Takes the place of the compilers that Fastify would load by itself. */
export function neverBuilt(): never {
  throw new Error('setValidatorCompiler and setSerializerCompiler set the compilers.')
}
