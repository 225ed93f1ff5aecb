import { createRequire } from 'node:module'
import type { TSchema } from 'typebox'
import type { Validator } from 'typebox/compile'
import { AppError, type FaultDetails } from '../kit/app-error.ts'
import { checkStorableWithin } from './storable-text.ts'

const require = createRequire(import.meta.url)

/** Loaded with the first body: it has hundreds of modules, and no read needs it. */
function loadCompiler() {
  return require('typebox/compile') as typeof import('typebox/compile')
}

/** Says what is wrong with a value; undefined where nothing is. Compiled at its first use. */
export type Check = (value: unknown) => AppError | undefined

interface SchemaFault {
  keyword: string
  schemaPath: string
  instancePath: string
  params: Record<string, unknown>
}

/** Checks values against a schema; the error lists every fault, by field, and coerces nothing. */
export function createCheck(schema: TSchema): Check {
  let validator: Validator | undefined
  return (value) => {
    validator ??= loadCompiler().Compile(schema)
    if (validator.Check(value)) return undefined
    return validationError(describeFaults(schema, validator.Errors(value)))
  }
}

/** The error for faults by field: `name is required; mailerDsn must be text.` */
export function validationError(details: FaultDetails): AppError {
  const faults = Object.entries(details).flatMap(([field, reasons]) =>
    reasons.map((reason) => describeFault(field, reason)),
  )
  return new AppError('invalid', 'validation_failed', `${faults.join('; ')}.`, { details })
}

/** A reason is the rest of a sentence about the field, or a sentence of its own. */
function describeFault(field: string, reason: string): string {
  if (/^[A-Z]/.test(reason)) return `${field}: ${reason.replace(/\.$/, '')}`
  return field === '' ? `The body ${reason}` : `${field} ${reason}`
}

/**
 * For Fastify. Queries come in several spellings; the routes that have one read it themselves, once it is
 * known to hold nothing that no database takes.
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
    // The branches of a union are told together, by the union itself.
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
  const isToldByFault = keyword === 'pattern' || keyword === 'anyOf'
  if (isToldByFault && part.fault !== undefined) return part.fault
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
