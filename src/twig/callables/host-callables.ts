import { fromHost } from '../runtime/host-values.ts'
import { toHost } from '../runtime/to-host.ts'
import type { Meter } from '../values/meter.ts'
import type { Value } from '../values/value.ts'
import type { FilterDefinition, FunctionDefinition, TestDefinition } from './definition.ts'
import { type Signature, signature } from './signature.ts'

/** What may be said of a callable besides what it does. */
interface HostCallableOptions {
  /** Its parameters, for named arguments and checks: `'width, unit = "px"'`. Any number by default. */
  signature?: string
  /** Strategies that its result is safe for, such as `['html']`; it is escaped for others. */
  safeFor?: readonly string[]
}

/** A filter of the host's: gets the value and the arguments as plain data, gives plain data. */
export type HostFilter =
  | ((value: unknown, ...args: unknown[]) => unknown)
  | ({ apply: (value: unknown, ...args: unknown[]) => unknown } & HostCallableOptions)

/** A function of the host's: gets its arguments as plain data, gives plain data. */
export type HostFunction =
  | ((...args: unknown[]) => unknown)
  | ({ call: (...args: unknown[]) => unknown } & HostCallableOptions)

/** A test of the host's. */
export type HostTest =
  | ((value: unknown, ...args: unknown[]) => boolean)
  | ({ check: (value: unknown, ...args: unknown[]) => boolean } & HostCallableOptions)

export function hostFilter(name: string, filter: HostFilter): FilterDefinition {
  const { apply, ...options } = typeof filter === 'function' ? { apply: filter } : filter
  return {
    ...common(name, options),
    apply: (value, args, { budget }) =>
      result(apply(toHost(value, budget), ...hostArguments(args, budget))),
  }
}

export function hostFunction(name: string, fn: HostFunction): FunctionDefinition {
  const { call, ...options } = typeof fn === 'function' ? { call: fn } : fn
  return {
    ...common(name, options),
    call: (args, { budget }) => result(call(...hostArguments(args, budget))),
  }
}

export function hostTest(name: string, test: HostTest): TestDefinition {
  const { check, ...options } = typeof test === 'function' ? { check: test } : test
  return {
    name,
    signature: signatureOf(options),
    check: (value, args, { budget }) =>
      check(toHost(value, budget), ...hostArguments(args, budget)),
  }
}

function common(
  name: string,
  options: HostCallableOptions,
): { name: string; signature: Signature; safeFor: readonly string[] } {
  return { name, signature: signatureOf(options), safeFor: options.safeFor ?? [] }
}

function signatureOf(options: HostCallableOptions): Signature {
  return signature(options.signature ?? '...arguments')
}

function result(value: unknown): Value {
  return fromHost(value) ?? null
}

function hostArguments(args: readonly Value[], meter: Meter): unknown[] {
  return args.map((argument) => toHost(argument, meter))
}
