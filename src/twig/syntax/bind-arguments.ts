import type { Definitions, Parameter, Signature } from '../callables/definition.ts'
import { type Place, runtimeFault, syntaxFault } from '../errors.ts'
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
  const given = new UnboundArguments(args)
  if (given.spread.length > 0) {
    return { positional: given.positional, rest: [...given.named.values()], spread: given.spread }
  }
  const positional: Expression[] = []
  for (const parameter of callee.definition.signature.parameters) {
    positional.push(argumentFor(callee, parameter, given))
  }
  if (!callee.definition.signature.isVariadic) {
    if (given.named.size > 0) throw unknownArguments(callee, given)
    return { positional, rest: [], spread: [] }
  }
  return { positional, rest: given.rest(), spread: [] }
}

/** Arguments that are not bound to a parameter yet. */
class UnboundArguments {
  readonly positional: Expression[] = []
  readonly named = new Map<string, { name: string; value: Expression }>()
  readonly spread: Expression[] = []
  private taken = 0

  constructor(args: readonly Argument[]) {
    for (const { name, value, isSpread } of args) {
      if (isSpread) this.spread.push(value)
      else if (name === undefined) this.positional.push(value)
      else this.named.set(normalize(name), { name, value })
    }
  }

  takeNamed(name: string): Expression | undefined {
    const found = this.named.get(normalize(name))
    this.named.delete(normalize(name))
    return found?.value
  }

  takePositional(): Expression | undefined {
    return this.positional[this.taken++]
  }

  hasPositional(): boolean {
    return this.taken < this.positional.length
  }

  rest(): { name?: string; value: Expression }[] {
    const left = this.positional.slice(this.taken).map((value) => ({ value }))
    return [...left, ...this.named.values()]
  }
}

function checkOrder(callee: Callee, args: readonly Argument[]): void {
  let hasNamed = false
  for (const { name, isSpread } of args) {
    if (name !== undefined) hasNamed = true
    else if (hasNamed && !isSpread) {
      throw syntaxFault(
        `Positional arguments cannot be used after named arguments for ${title(callee)}.`,
        callee.place,
      )
    }
  }
}

function argumentFor(callee: Callee, parameter: Parameter, given: UnboundArguments): Expression {
  const named = given.takeNamed(parameter.name)
  if (named !== undefined) {
    if (!given.hasPositional()) return named
    throw syntaxFault(
      `Argument "${parameter.name}" is defined twice for ${title(callee)}.`,
      callee.place,
    )
  }
  const positional = given.takePositional()
  if (positional !== undefined) return positional
  if (parameter.fallback === undefined) {
    throw syntaxFault(
      `Value for argument "${parameter.name}" is required for ${title(callee)}.`,
      callee.place,
    )
  }
  return { kind: 'literal', value: parameter.fallback, place: callee.place }
}

function unknownArguments(callee: Callee, given: UnboundArguments): Error {
  const unknown = [...given.named.values()]
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
