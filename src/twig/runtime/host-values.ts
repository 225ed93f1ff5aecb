import { dateFromHost } from '../dates/date-kind.ts'
import { runtimeFault } from '../errors/faults.ts'
import { canonical } from '../values/collections.ts'
import { textKey } from '../values/keys.ts'
import { Markup } from '../values/markup.ts'
import type { Meter } from '../values/meter.ts'
import { Arrow, type Key, TwigObject, type Value } from '../values/value.ts'

/** Deeper than this, data is looked at for circles. */
const trustedDepth = 4
/** Deeper than this, no data is. */
const deepest = 200

/**
 * Data from outside as a template may see it: a copy that holds only own data of plain objects,
 * arrays, `Map`s and `Set`s, with texts, numbers, booleans and dates in them. What is none of these
 * (functions, getters, symbols, instances of classes) is left out as if it had not been given.
 * A bigint becomes a number where it fits, else its digits. Data that holds itself throws. The meter is
 * asked for each collection before it is copied.
 */
export function fromHost(host: unknown, meter?: Meter): Value | undefined {
  return copy(host, 0, { known: undefined, meter })
}

/** A copy that is being made. */
interface Copying {
  /** Objects that are being copied (undefined) or were copied. */
  readonly known: Map<object, Value | undefined> | undefined
  readonly meter: Meter | undefined
}

function copy(host: unknown, depth: number, copies: Copying): Value | undefined {
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

function copyObject(host: object, depth: number, copies: Copying): Value | undefined {
  if (depth < trustedDepth) return copyKnown(host, depth, copies)
  const known = copies.known ?? new Map<object, Value | undefined>()
  if (known.has(host)) {
    const value = known.get(host)
    if (value !== undefined) return value
    throw runtimeFault('The data given to the template holds itself.')
  }
  if (depth > deepest) throw runtimeFault('The data given to the template is nested too deeply.')
  known.set(host, undefined)
  const value = copyKnown(host, depth, { ...copies, known })
  if (value === undefined) known.delete(host)
  else known.set(host, value)
  return value
}

function copyKnown(host: object, depth: number, copies: Copying): Value | undefined {
  if (Array.isArray(host)) return copyItems(host, depth, copies)
  const prototype: unknown = Object.getPrototypeOf(host)
  if (prototype === Object.prototype || prototype === null) return copyPlain(host, depth, copies)
  if (host instanceof Map) return copyEntries(host, depth, copies)
  if (host instanceof Set) return copyItems(host, depth, copies)
  if (host instanceof Date) return dateFromHost(host)
  // These are made by the engine alone: a host function hands them back.
  if (host instanceof Markup || host instanceof TwigObject || host instanceof Arrow) return host
  return undefined
}

/** A Map takes as much as so many elements before it has any. */
const mapElements = 5

function copyItems(
  host: readonly unknown[] | ReadonlySet<unknown>,
  depth: number,
  copies: Copying,
): Value {
  copies.meter?.allocateElements(2 + ('size' in host ? host.size : host.length))
  const list: Value[] = []
  for (const item of host) list.push(copy(item, depth + 1, copies) ?? null)
  return list
}

function copyPlain(host: object, depth: number, copies: Copying): Value {
  const map = new Map<Key, Value>()
  let hasNumbers = false
  const names = Object.keys(host)
  copies.meter?.allocateElements(mapElements + names.length)
  for (const name of names) {
    // Not `host[name]`, which would run a getter.
    const own = Object.getOwnPropertyDescriptor(host, name)
    if (own === undefined || !('value' in own)) continue
    const value = copy(own.value, depth + 1, copies)
    if (value === undefined) continue
    const key = textKey(name)
    if (typeof key === 'number') hasNumbers = true
    map.set(key, value)
  }
  return hasNumbers || map.size === 0 ? canonical(map) : map
}

function copyEntries(host: Map<unknown, unknown>, depth: number, copies: Copying): Value {
  copies.meter?.allocateElements(mapElements + host.size)
  const map = new Map<Key, Value>()
  for (const [key, item] of host) {
    const value = copy(item, depth + 1, copies)
    if (value === undefined) continue
    if (typeof key === 'string') map.set(textKey(key), value)
    else if (typeof key === 'number') map.set(Math.trunc(key), value)
  }
  return canonical(map)
}
