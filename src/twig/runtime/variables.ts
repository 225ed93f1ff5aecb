import type { Meter } from '../values/meter.ts'
import type { Value } from '../values/value.ts'
import { fromHost } from './host-values.ts'
import type { VariableSource } from './render.ts'

/** What a caller may give as the variables of a template, or as globals. */
export type HostVariables = Readonly<Record<string, unknown>> | ReadonlyMap<string, unknown>

/** The data of a render over a second source. Each variable is copied when a template first reads it. */
export function openVariables(
  host: HostVariables,
  below?: VariableSource,
  meter?: Meter,
): VariableSource {
  const copies = new Map<string, Value | undefined>()
  function find(name: string): Value | undefined {
    const known = copies.get(name)
    if (known !== undefined || copies.has(name)) return known
    const own = fromHost(readOwn(host, name), meter)
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
