import type { Budget } from '../budget.ts'
import { runtimeFault, type TwigError } from '../errors.ts'
import { findByKey, isCollection, keysOf, sizeOf } from '../values/collections.ts'
import { toKey, toText, typeName } from '../values/conversions.ts'
import { Arrow, TwigObject, type Value } from '../values/value.ts'

/** The syntax of an attribute access: `a.b`, `a[b]` or `a.b()`. */
export type Access = 'any' | 'array' | 'method'

/** An error message lists at most this many keys. */
const listedKeysMax = 50

/** Finds an attribute of a collection or of an engine object. Nothing else has attributes. */
export function findAttribute(
  target: Value,
  item: Value,
  access: Access,
  budget: Budget,
): Value | undefined {
  if (isCollection(target)) {
    if (access === 'method') return undefined
    return findByKey(target, isCollection(item) ? 'Array' : toKey(item))
  }
  if (!(target instanceof TwigObject) || access === 'array') return undefined
  const name = toText(item)
  const found = access === 'any' ? target.kind.attribute?.(target.data, name) : undefined
  return found === undefined ? target.kind.call?.(target.data, name, [], budget) : found
}

/** Calls a method of an engine object. Returns undefined when there is no such method. */
export function callMethod(
  target: Value,
  method: string,
  args: readonly Value[],
  budget: Budget,
): Value | undefined {
  if (target instanceof TwigObject) return target.kind.call?.(target.data, method, args, budget)
  if (target instanceof Arrow && method === '__invoke') return target.call(args)
  return undefined
}

/** Creates Twig's error for a missing attribute with strict variables. */
export function missingAttribute(target: Value, item: Value, access: Access): TwigError {
  return runtimeFault(missingMessage(target, toText(item), access))
}

function missingMessage(target: Value, item: string, access: Access): string {
  if (isCollection(target)) {
    if (access === 'method')
      return `Impossible to invoke a method ("${item}") on a sequence/mapping.`
    if (sizeOf(target) > 0) return missingOf(keysOf(target), item)
    return `Key "${item}" does not exist as the sequence/mapping is empty.`
  }
  if (target instanceof TwigObject) {
    if (access !== 'array') return missingMember(target, item)
    return `Impossible to access a key "${item}" on an object of class "${typeName(target)}" that does not implement ArrayAccess interface.`
  }
  return `Impossible to ${attempts[access]} ("${item}") on ${variable(target)}.`
}

const attempts = { any: 'access an attribute', array: 'access a key', method: 'invoke a method' }

function missingOf(keys: readonly (string | number)[], item: string): string {
  const listed = keys.slice(0, listedKeysMax).join(', ')
  const rest = keys.length > listedKeysMax ? ', …' : ''
  return `Key "${item}" for sequence/mapping with keys "${listed}${rest}" does not exist.`
}

function missingMember(target: TwigObject, item: string): string {
  if (target.kind.keys !== undefined) return missingOf(target.kind.keys, item)
  return `Neither the property "${item}" nor one of the methods "${item}()", "get${item}()", "is${item}()", "has${item}()" or "__call()" exist and have public access in class "${typeName(target)}".`
}

function variable(target: Value): string {
  if (target === null) return 'a null variable'
  if (target instanceof Arrow) return 'a Closure variable'
  return `a ${typeName(target)} variable ("${toText(target)}")`
}
