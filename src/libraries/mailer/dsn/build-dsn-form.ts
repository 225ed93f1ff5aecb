import { hasControls } from '../grammar/characters.ts'
import { DsnError } from '../grammar/dsn.ts'
import type { FieldDescription } from '../providers/provider-form.ts'
import { secretMask } from '../secret.ts'
import { type DsnFields, printDsn, type SingleDsnFields } from './build-dsn.ts'
import { findForm, type RegisteredVariant } from './describe-providers.ts'
import type { FieldValue } from './dsn-form.ts'
import { unmaskDsn } from './mask-dsn.ts'
import { type ParseDsnOptions, parseDsn } from './parse-dsn.ts'

/**
 * The values of a form, as a person fills them in. Empty texts count as left out.
 * @example
 * ```ts
 * const input: DsnFormInput = {
 *   provider: 'failover',
 *   members: [{ provider: 'postmark', fields: { user: 'TOKEN' } }, { provider: 'inbox' }],
 * }
 * ```
 */
export interface DsnFormInput {
  readonly provider: string
  /** Default: the first variant of the form. */
  readonly variant?: string | undefined
  readonly fields?: Readonly<Record<string, FieldValue>> | undefined
  readonly members?: readonly DsnFormInput[] | undefined
}

/**
 * The DSN of a form, or the faults by field: `password`, and `members.0.password` for a member of a list.
 * @example
 * ```ts
 * const dsnOf = (built: BuiltDsn) => ('mailerDsn' in built ? built.mailerDsn : undefined)
 * ```
 */
export type BuiltDsn =
  | { readonly mailerDsn: string }
  | { readonly details: Readonly<Record<string, readonly string[]>> }

/**
 * Builds the DSN of a form and checks it.
 * @param stored The DSN whose secrets stand behind the masks; it is used for the check only, and the masks remain.
 * @example
 * ```ts
 * buildDsnForm({ provider: 'mailgun', fields: { user: 'KEY', password: 'mg.example.com' } })
 * // { mailerDsn: 'mailgun+api://KEY:mg.example.com@default' }
 * ```
 */
export function buildDsnForm(
  input: DsnFormInput,
  { stored, ...options }: ParseDsnOptions & { readonly stored?: string | undefined } = {},
): BuiltDsn {
  const faults = new Map<string, string[]>()
  const fault: AddFault = (field, reason) =>
    void faults.set(field, [...(faults.get(field) ?? []), reason])
  const fields = toDsnFields(input, '', fault)
  if (faults.size > 0 || fields === undefined) return { details: Object.fromEntries(faults) }
  const checkMember = (member: DsnFields, path: string) => {
    if (!('members' in member)) {
      reportFaults(path, fault, () => parseDsn(printDsn(member), { ...options, warnings: [] }))
      return
    }
    for (const [index, each] of member.members.entries())
      checkMember(each, `${path}members.${index}.`)
  }
  let mailerDsn = ''
  reportFaults('', fault, () => {
    mailerDsn = printDsn(fields)
    parseDsn(stored === undefined ? mailerDsn : unmaskDsn(mailerDsn, stored), options)
  })
  if (faults.size === 0) return { mailerDsn }
  if ('members' in fields && !mailerDsn.includes(secretMask)) {
    const general = [...faults]
    faults.clear()
    // The members are checked one by one, so that each fault has its field.
    checkMember(fields, '')
    if (faults.size === 0) for (const [field, reasons] of general) faults.set(field, reasons)
  }
  return { details: Object.fromEntries(faults) }
}

type AddFault = (field: string, reason: string) => void

function reportFaults(path: string, fault: AddFault, check: () => unknown): void {
  try {
    check()
  } catch (error) {
    if (!(error instanceof DsnError)) throw error
    fault(`${path}${error.part ?? 'provider'}`, error.message)
  }
}

function toDsnFields(input: DsnFormInput, path: string, fault: AddFault): DsnFields | undefined {
  const form = findForm(input.provider)
  if (form === undefined) {
    fault(`${path}provider`, 'is not known; GET /api/multipleTransports/providers lists them')
    return undefined
  }
  const variant =
    input.variant === undefined
      ? form.variants[0]
      : form.variants.find(({ description }) => description.name === input.variant)
  if (variant === undefined) {
    const names = form.variants.map(({ description }) => description.name)
    fault(`${path}variant`, `must be one of ${names.join(', ')}`)
    return undefined
  }
  const values = readValues(variant, input.fields ?? {}, (field, reason) =>
    fault(`${path}${field}`, reason),
  )
  return form.description.kind === 'list'
    ? toList(input, { path, fault, values })
    : toSingle(variant, values)
}

interface ListReading {
  readonly path: string
  readonly fault: AddFault
  readonly values: ReadonlyMap<string, string>
}

function toList(
  { provider, members = [] }: DsnFormInput,
  { path, fault, values }: ListReading,
): DsnFields {
  if (members.length === 0) fault(`${path}members`, 'must have 1 entry or more')
  const period = values.get('retry_period')
  return {
    scheme: provider as 'failover' | 'roundrobin',
    members: members.flatMap(
      (member, index) => toDsnFields(member, `${path}members.${index}.`, fault) ?? [],
    ),
    ...(period === undefined ? {} : { retryPeriodSeconds: Number(period) }),
  }
}

function toSingle(
  { variant, standardHost }: RegisteredVariant,
  values: ReadonlyMap<string, string>,
): SingleDsnFields {
  const { user = variant.fixedUser, password, host, port, ...options } = Object.fromEntries(values)
  return {
    scheme: variant.scheme,
    host: host ?? standardHost,
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { password }),
    ...(port === undefined ? {} : { port: Number(port) }),
    options,
  }
}

/** Only these may have blanks around them. */
const verbatimParts = ['user', 'password']

/** Reads the values as texts and reports every fault by the name of its field. */
function readValues(
  { description: { fields }, variant: { encode } }: RegisteredVariant,
  input: Readonly<Record<string, FieldValue>>,
  fault: AddFault,
): Map<string, string> {
  const values = new Map<string, string>()
  const byName = new Map(fields.map((field) => [field.name, field]))
  for (const [name, value] of Object.entries(input)) {
    const raw = typeof value === 'boolean' ? String(Number(value)) : String(value)
    const field = byName.get(name)
    const isVerbatim = field?.type === 'password' && verbatimParts.includes(name)
    const text = isVerbatim ? raw : raw.trim()
    if (text !== '') values.set(name, encode?.[name]?.(text) ?? text)
  }
  for (const field of fields) {
    const value = values.get(field.name)
    const missing = field.required ? 'is required' : undefined
    const reason = value === undefined ? missing : faultOf(field, value)
    if (reason !== undefined) fault(field.name, reason)
  }
  for (const [name, value] of values)
    if (hasControls(value)) fault(name, 'must not have control characters')
  return values
}

function faultOf({ name, type }: FieldDescription, value: string): string | undefined {
  if (name === 'port')
    return /^\d{1,5}$/.test(value) && Number(value) >= 1 && Number(value) <= 65_535
      ? undefined
      : 'must be a number from 1 to 65535'
  if (type === 'number' && !/^\d{1,9}(\.\d{1,9})?$/.test(value))
    return 'must be a number, 0 or more'
  if (type === 'host' && /[\s/?#@()]/.test(value))
    return 'must be a host name, without a scheme and a path'
  return undefined
}
