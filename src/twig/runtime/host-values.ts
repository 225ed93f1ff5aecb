import { dateFromHost } from '../dates/date-kind.ts'
import { runtimeFault } from '../errors/faults.ts'
import { CollectionBuilder } from '../values/collections.ts'
import { textKey } from '../values/keys.ts'
import { Markup } from '../values/markup.ts'
import { Arrow, TwigObject, type Value } from '../values/value.ts'

/** Deeper than this, data is looked at for circles. */
const trustedDepth = 4
/** Deeper than this, no data is. */
const deepest = 200

/**
 * Data from outside as a template may see it: a copy that holds only own data of plain objects,
 * arrays, `Map`s and `Set`s, with texts, numbers, booleans and dates in them. What is none of these
 * (functions, getters, symbols, instances of classes) is left out as if it had not been given.
 * A bigint becomes a number where it fits, else its digits. Data that holds itself throws.
 */
export function fromHost(host: unknown): Value | undefined {
  return copy(host, 0, undefined)
}

/** Objects that are being copied (undefined) or were copied. */
type Copies = Map<object, Value | undefined>

function copy(host: unknown, depth: number, copies: Copies | undefined): Value | undefined {
  switch (typeof host) {
    case 'string':
    case 'boolean':
      return host
    case 'number':
      return host + 0
    case 'bigint':
      return Number.isSafeInteger(Number(host)) ? Number(host) : host.toString()
    case 'object':
      return host === null ? null : copyObject(host, depth, copies)
    default:
      return undefined
  }
}

function copyObject(host: object, depth: number, copies: Copies | undefined): Value | undefined {
  if (depth < trustedDepth) return copyKnown(host, depth, copies)
  const known = copies ?? new Map<object, Value | undefined>()
  if (known.has(host)) {
    const value = known.get(host)
    if (value !== undefined) return value
    throw runtimeFault('The data given to the template holds itself.')
  }
  if (depth > deepest) throw runtimeFault('The data given to the template is nested too deeply.')
  known.set(host, undefined)
  const value = copyKnown(host, depth, known)
  if (value === undefined) known.delete(host)
  else known.set(host, value)
  return value
}

function copyKnown(host: object, depth: number, copies: Copies | undefined): Value | undefined {
  if (Array.isArray(host)) {
    return Array.from(host, (item) => copy(item, depth + 1, copies) ?? null)
  }
  const prototype: unknown = Object.getPrototypeOf(host)
  if (prototype === Object.prototype || prototype === null) return copyPlain(host, depth, copies)
  if (host instanceof Map) return copyEntries(host, depth, copies)
  if (host instanceof Set) {
    return Array.from(host, (item) => copy(item, depth + 1, copies) ?? null)
  }
  if (host instanceof Date) return dateFromHost(host)
  // These are made by the engine alone: a host function hands them back.
  if (host instanceof Markup || host instanceof TwigObject || host instanceof Arrow) return host
  return undefined
}

function copyPlain(host: object, depth: number, copies: Copies | undefined): Value {
  const builder = new CollectionBuilder()
  for (const name of Object.keys(host)) {
    const own = Object.getOwnPropertyDescriptor(host, name)
    if (own === undefined || !('value' in own)) continue
    const value = copy(own.value, depth + 1, copies)
    if (value !== undefined) builder.set(textKey(name), value)
  }
  return builder.build()
}

function copyEntries(
  host: Map<unknown, unknown>,
  depth: number,
  copies: Copies | undefined,
): Value {
  const builder = new CollectionBuilder()
  for (const [key, item] of host) {
    const value = copy(item, depth + 1, copies)
    if (value === undefined) continue
    if (typeof key === 'string') builder.set(textKey(key), value)
    else if (typeof key === 'number') builder.set(Math.trunc(key), value)
  }
  return builder.build()
}
