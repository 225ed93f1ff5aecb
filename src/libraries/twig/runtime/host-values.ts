import type { Budget } from '../budget.ts'
import { dateFromHost, dateKind } from '../dates/date-kind.ts'
import { runtimeFault } from '../errors.ts'
import { canonical, isList, isMapping } from '../values/collections.ts'
import { textKey } from '../values/conversions.ts'
import { Arrow, dataOf, type Key, Markup, TwigObject, type Value } from '../values/value.ts'
import type { VariableSource } from './render.ts'

/** Data deeper than this is checked for cycles. */
const uncheckedDepth = 4
/** The maximum depth of data. */
const depthMax = 200

/**
 * Copies host data for a template. The copy contains only own data of plain objects, arrays, `Map`s
 * and `Set`s: strings, numbers, booleans and dates. Functions, getters, symbols and class instances
 * are left out. A bigint that is not a safe integer becomes a string.
 *
 * @param budget charges each collection before it is copied
 * @throws TwigError for data that contains itself or is nested too deeply.
 */
export function fromHost(host: unknown, budget?: Budget): Value | undefined {
  return copy(host, 0, { known: undefined, budget })
}

/** The state of one copy operation. */
interface Copying {
  /** Objects that are being copied (undefined) or were copied. */
  readonly known: Map<object, Value | undefined> | undefined
  readonly budget: Budget | undefined
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
  if (depth < uncheckedDepth) return copyKnown(host, depth, copies)
  const known = copies.known ?? new Map<object, Value | undefined>()
  if (known.has(host)) {
    const value = known.get(host)
    if (value !== undefined) return value
    throw runtimeFault('The data of the template contains a cycle.')
  }
  if (depth > depthMax) throw runtimeFault('The data of the template is nested too deeply.')
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
  // Only the engine creates these. A custom function may return one that it received.
  if (host instanceof Markup || host instanceof TwigObject || host instanceof Arrow) return host
  return undefined
}

/** An empty Map takes as much memory as this many elements. */
const mapElements = 5

function copyItems(
  host: readonly unknown[] | ReadonlySet<unknown>,
  depth: number,
  copies: Copying,
): Value {
  copies.budget?.allocateElements(2 + ('size' in host ? host.size : host.length))
  const list: Value[] = []
  for (const item of host) list.push(copy(item, depth + 1, copies) ?? null)
  return list
}

function copyPlain(host: object, depth: number, copies: Copying): Value {
  const map = new Map<Key, Value>()
  let hasNumbers = false
  const names = Object.keys(host)
  copies.budget?.allocateElements(mapElements + names.length)
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
  copies.budget?.allocateElements(mapElements + host.size)
  const map = new Map<Key, Value>()
  for (const [key, item] of host) {
    const value = copy(item, depth + 1, copies)
    if (value === undefined) continue
    if (typeof key === 'string') map.set(textKey(key), value)
    else if (typeof key === 'number') map.set(Math.trunc(key), value)
  }
  return canonical(map)
}

/**
 * Converts a value to plain data for custom filters and functions: mappings become `Map`s, dates
 * become `Date`s, markup becomes a string.
 */
export function toHost(value: Value, budget: Budget): unknown {
  if (isList(value)) {
    budget.allocateElements(value.length)
    return value.map((item) => toHost(item, budget))
  }
  if (isMapping(value)) {
    budget.allocateElements(value.size)
    return new Map(Array.from(value, ([key, item]) => [key, toHost(item, budget)]))
  }
  if (value instanceof Markup) return value.text
  const date = dataOf(value, dateKind)
  if (date !== undefined) return new Date(date.epochMs)
  if (value instanceof Arrow) {
    const { call } = value
    return (...args: unknown[]) =>
      toHost(call(args.map((argument) => fromHost(argument) ?? null)), budget)
  }
  if (value instanceof TwigObject) return value.kind.text?.(value.data) ?? null
  return value
}

/**
 * The variables of a template, or the globals of an engine. Keys are the variable names.
 *
 * @example
 * ```ts
 * const context: HostVariables = { contact: { firstname: 'Ada' }, sentAt: new Date() }
 * createTwig().renderSource('Hello {{ contact.firstname }}!', context) // Hello Ada!
 * ```
 */
export type HostVariables = Readonly<Record<string, unknown>> | ReadonlyMap<string, unknown>

/**
 * Creates a variable source from host data, with a second source for missing names. Each variable
 * is copied when a template first reads it.
 */
export function openVariables(
  host: HostVariables,
  below?: VariableSource,
  budget?: Budget,
): VariableSource {
  const copies = new Map<string, Value | undefined>()
  function find(name: string): Value | undefined {
    const known = copies.get(name)
    if (known !== undefined || copies.has(name)) return known
    const own = fromHost(readOwn(host, name), budget)
    const value = own === undefined ? below?.find(name) : own
    copies.set(name, value)
    return value
  }
  return {
    find,
    names: () => new Set([...ownNames(host), ...(below?.names() ?? [])]),
  }
}

function readOwn(host: HostVariables, name: string): unknown {
  if (host instanceof Map) return host.get(name)
  const own = Object.getOwnPropertyDescriptor(host, name)
  return own === undefined || !own.enumerable ? undefined : own.value
}

function ownNames(host: HostVariables): Iterable<string> {
  return host instanceof Map ? host.keys() : Object.keys(host)
}
