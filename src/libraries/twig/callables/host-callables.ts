import type { Budget } from '../budget.ts'
import { fromHost, toHost } from '../runtime/host-values.ts'
import type { Value } from '../values/value.ts'
import {
  type FilterDefinition,
  type FunctionDefinition,
  type Signature,
  signature,
  type TestDefinition,
} from './definition.ts'

/** Options of a custom filter, function or test. */
interface HostCallableOptions {
  /**
   * The parameters, for named arguments and checks: `'width, unit = "px"'`. By default any number
   * of arguments is accepted.
   */
  signature?: string
  /**
   * The escaping strategies that the result is safe for, such as `['html']`. Other strategies
   * escape it.
   */
  safeFor?: readonly string[]
}

/**
 * A custom filter. It receives and returns plain data.
 *
 * @example
 * ```ts
 * const slug: HostFilter = (value) => String(value).toLowerCase().replaceAll(' ', '-')
 * createTwig({ filters: { slug } }).renderSource('{{ "Hello World"|slug }}') // hello-world
 * ```
 */
export type HostFilter =
  | ((value: unknown, ...args: unknown[]) => unknown)
  | ({ apply: (value: unknown, ...args: unknown[]) => unknown } & HostCallableOptions)

/**
 * A custom function. It receives and returns plain data.
 *
 * @example
 * ```ts
 * const button: HostFunction = {
 *   call: (label: unknown) => `<button>${label}</button>`,
 *   signature: 'label = "OK"',
 *   safeFor: ['html'],
 * }
 * createTwig({ functions: { button } }).renderSource('{{ button() }}') // <button>OK</button>
 * ```
 */
export type HostFunction =
  | ((...args: unknown[]) => unknown)
  | ({ call: (...args: unknown[]) => unknown } & HostCallableOptions)

/**
 * A custom test. It receives plain data.
 *
 * @example
 * ```ts
 * const adult: HostTest = (age) => Number(age) >= 18
 * createTwig({ tests: { adult } }).renderSource('{{ age is adult ? "yes" : "no" }}', { age: 20 })
 * ```
 */
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
    ...common(name, options),
    check: (value, args, { budget }) =>
      check(toHost(value, budget), ...hostArguments(args, budget)),
  }
}

function common(
  name: string,
  { signature: written = '...arguments', safeFor = [] }: HostCallableOptions,
): { name: string; signature: Signature; safeFor: readonly string[] } {
  return { name, signature: signature(written), safeFor }
}

function result(value: unknown): Value {
  return fromHost(value) ?? null
}

function hostArguments(args: readonly Value[], budget: Budget): unknown[] {
  return args.map((argument) => toHost(argument, budget))
}
