import type { Definitions, Parameter, Signature } from '../callables/definition.ts'
import { type Place, runtimeFault, syntaxFault, type TwigError } from '../errors.ts'
import type { Value } from '../values/value.ts'
import type { Argument, BoundArguments, Expression } from './expression.ts'

/** The callable that arguments are bound to. Error messages name it: `filter "date"`. */
export interface Callee {
  readonly kind: keyof Definitions
  readonly definition: { readonly name: string; readonly signature: Signature }
  readonly place: Place
}

/**
 * Puts arguments in the order of the parameters and fills in defaults. Surplus positional arguments
 * are ignored, as in PHP.
 *
 * @throws TwigError of kind `syntax` for missing, unknown and duplicate arguments.
 */
export function bindArguments(callee: Callee, args: readonly Argument[]): BoundArguments {
  checkOrder(callee, args)
  const spread = args.filter(({ isSpread }) => isSpread).map(({ value }) => value)
  const positional: Expression[] = []
  const named = new Map<string, { name: string; value: Expression }>()
  for (const { name, value, isSpread } of args) {
    if (name !== undefined && !isSpread) named.set(normalize(name), { name, value })
    else if (!isSpread) positional.push(value)
  }
  if (spread.length > 0) return { positional, rest: [...named.values()], spread }
  const { parameters, isVariadic } = callee.definition.signature
  const bound = parameters.map((parameter) => {
    const byName = named.get(normalize(parameter.name))
    named.delete(normalize(parameter.name))
    if (byName !== undefined && positional.length > 0) {
      throw fault(callee, `Argument "${parameter.name}" is defined twice for ${title(callee)}.`)
    }
    return byName?.value ?? positional.shift() ?? fallbackOf(callee, parameter)
  })
  if (isVariadic) {
    return {
      positional: bound,
      rest: [...positional.map((value) => ({ value })), ...named.values()],
      spread,
    }
  }
  if (named.size > 0) throw unknownArguments(callee, [...named.values()])
  return { positional: bound, rest: [], spread }
}

function fallbackOf(callee: Callee, { name, fallback }: Parameter): Expression {
  if (fallback !== undefined) return { kind: 'literal', value: fallback, place: callee.place }
  throw fault(callee, `Value for argument "${name}" is required for ${title(callee)}.`)
}

function fault(callee: Callee, message: string): TwigError {
  return syntaxFault(message, callee.place)
}

function checkOrder(callee: Callee, args: readonly Argument[]): void {
  let hasNamed = false
  for (const { name, isSpread } of args) {
    if (name !== undefined) hasNamed = true
    else if (hasNamed && !isSpread) {
      const message = 'Positional arguments cannot be used after named arguments'
      throw fault(callee, `${message} for ${title(callee)}.`)
    }
  }
}

function unknownArguments(
  callee: Callee,
  unknown: readonly { name: string; value: Expression }[],
): TwigError {
  const names = unknown.map(({ name }) => name).join('", "')
  const parameters = callee.definition.signature.parameters.map(({ name }) => name).join(', ')
  return syntaxFault(
    `Unknown argument${unknown.length > 1 ? 's' : ''} "${names}" for ${callee.kind} "${callee.definition.name}(${parameters})".`,
    unknown[0]?.value.place ?? callee.place,
  )
}

function title(callee: Callee): string {
  return `${callee.kind} "${callee.definition.name}"`
}

/**
 * Binds arguments during rendering, when a spread argument makes their number unknown to the
 * parser.
 *
 * @throws TwigError of kind `runtime` for a missing argument.
 */
export function bindValues(
  callee: Callee,
  positional: readonly Value[],
  named: ReadonlyMap<string, Value>,
): Value[] {
  const byName = new Map([...named].map(([name, value]) => [normalize(name), value]))
  const bound = callee.definition.signature.parameters.map(({ name, fallback }, index) => {
    const value = argumentOr([positional[index], byName.get(normalize(name))], fallback)
    if (value !== undefined) return value
    throw runtimeFault(
      `Value for argument "${name}" is required for ${title(callee)}.`,
      callee.place,
    )
  })
  return callee.definition.signature.isVariadic
    ? [...bound, ...positional.slice(bound.length)]
    : bound
}

/** Returns the first argument that is given, which may be null, or the fallback. */
export function argumentOr<T>(values: readonly (Value | undefined)[], fallback: T): Value | T {
  const value = values.find((one) => one !== undefined)
  return value === undefined ? fallback : value
}

/** Makes `preserveKeys` and `preserve_keys` the same name. */
function normalize(name: string): string {
  return name.replaceAll('_', '').toLowerCase()
}
