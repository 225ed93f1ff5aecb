import { DsnError, type DsnNode, type SingleDsn } from '../grammar/dsn.ts'
import { readDsn } from '../grammar/read-dsn.ts'
import { booleanOf } from '../providers/dsn-reader.ts'
import type { FieldDescription } from '../providers/provider-form.ts'
import { findVariantOf, type RegisteredVariant } from './describe-providers.ts'

/**
 * The value of a field of a form: text, a number or a Boolean.
 * @example
 * ```ts
 * const values: FieldValue[] = ['mg.example.com', 587, true]
 * ```
 */
export type FieldValue = string | number | boolean

/**
 * A DSN as the values of a form. It holds the secrets of the DSN, in clear unless they are masked.
 * @example
 * ```ts
 * const form: DsnForm = {
 *   provider: 'mailgun',
 *   variant: 'api',
 *   fields: { user: 'KEY', password: 'mg.example.com', region: 'eu' },
 *   members: [],
 * }
 * ```
 */
export interface DsnForm {
  /** The name of the form in `describeProviders`. */
  readonly provider: string
  /** The name of the variant. */
  readonly variant: string
  /** By name of the field; options that the form does not have are included. Empty ones are left out. */
  readonly fields: Readonly<Record<string, FieldValue>>
  /** The members of a list; empty for a single transport. */
  readonly members: readonly DsnForm[]
}

/**
 * Reads the values of a form from a DSN. A mask stays a mask. Aliases of a scheme give the values of the scheme itself.
 * @returns Null for a text that is not a DSN, or whose scheme is unknown.
 * @example
 * ```ts
 * readDsnForm('mailgun+api://KEY:mg.example.com@default?region=eu')?.fields['region'] // eu
 * ```
 */
export function readDsnForm(text: string): DsnForm | null {
  try {
    return readNode(readDsn(text)) ?? null
  } catch (error) {
    if (error instanceof DsnError) return null
    throw error
  }
}

function readNode(node: DsnNode): DsnForm | undefined {
  if (node.type === 'single') return readSingle(node)
  const members = node.members.map(readNode)
  if (!members.every((member) => member !== undefined)) return undefined
  const seconds = node.retryPeriodSeconds
  return {
    provider: node.type,
    variant: node.type,
    fields: seconds === undefined ? {} : { retry_period: seconds },
    members,
  }
}

function readSingle(dsn: SingleDsn): DsnForm | undefined {
  const variant = findVariantOf(dsn)
  if (variant === undefined) return undefined
  const parts = partsOf(dsn, variant)
  const types = new Map(variant.description.fields.map((field) => [field.name, field]))
  const fields = [...parts].map(([name, value]) => [name, typed(value, types.get(name))])
  return {
    provider: variant.provider,
    variant: variant.description.name,
    fields: Object.fromEntries(fields),
    members: [],
  }
}

const partNames = ['user', 'password', 'host', 'port']

/** Returns the parts of a DSN by the names of their fields. */
function partsOf(
  dsn: SingleDsn,
  { description: { fields }, variant, standardHost }: RegisteredVariant,
): Map<string, string> {
  const isPlugin = dsn.scheme.startsWith('mautic+')
  const hasField = (name: string) => fields.some((field) => field.name === name)
  const parts = new Map<string, string>()
  const add = (name: string, value: string | undefined) => {
    if (value !== undefined && value !== '' && !parts.has(name)) parts.set(name, value)
  }
  const isKeyInPassword = dsn.user === undefined && isKey(fields)
  if (variant.fixedUser === undefined) add('user', isKeyInPassword ? dsn.password : dsn.user)
  if (!isKeyInPassword) add('password', dsn.password)
  const hasHost = hasField('host') && (!isPlugin || variant.hasPluginHost === true)
  if (hasHost && dsn.host !== standardHost) add('host', dsn.host)
  if (hasField('port') && !isPlugin) add('port', dsn.port?.toString())
  for (const [name, { value }] of dsn.options) {
    const renamed = isPlugin ? variant.pluginOptions?.[name] : undefined
    if (renamed === undefined && !partNames.includes(name)) add(name, value)
    if (renamed === 'host') addEndpoint(value, add)
    else if (typeof renamed === 'string') add(renamed, value)
  }
  return parts
}

/** Whether the user part is a key, which Mautic's plug-ins and some READMEs put in the password part. */
function isKey(fields: readonly FieldDescription[]): boolean {
  return fields.some(({ name, type }) => name === 'user' && type === 'password')
}

/** Adds the host and port of an endpoint, which the plug-in writes as a host or a URL. */
function addEndpoint(value: string, add: (name: string, value: string | undefined) => void): void {
  const [, host, port] = /^(?:https:\/\/)?([A-Za-z0-9.-]+)(?::(\d{1,5}))?\/?$/.exec(value) ?? []
  add('host', host)
  add('port', port)
}

/** Converts a text to the type of its field; one that does not fit stays a text. */
function typed(value: string, field: FieldDescription | undefined): FieldValue {
  if (field?.type === 'boolean') return booleanOf(value) ?? value
  return field?.type === 'number' && /^\d{1,9}(\.\d{1,9})?$/.test(value) ? Number(value) : value
}
