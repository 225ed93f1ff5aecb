import { runtimeFault } from '../errors.ts'
import type { Frame, Render } from '../runtime/render.ts'
import { bindValues } from '../syntax/bind-arguments.ts'
import type {
  Argument,
  FilterExpression,
  FunctionExpression,
  TestExpression,
} from '../syntax/expression.ts'
import type { Compiler } from '../syntax/statement.ts'
import { entriesOf, isCollection, sizeOf } from '../values/collections.ts'
import { typeName } from '../values/conversions.ts'
import type { Collection, Value } from '../values/value.ts'

/** Arguments of a macro or method. Their parameters are known only when it is called. */
export interface ArgumentList {
  readonly positional: Value[]
  readonly named: Map<string, Value>
}

export function compileArgumentList(
  compiler: Compiler,
  args: readonly Argument[],
): (render: Render, frame: Frame) => ArgumentList {
  const compiled = args.map(({ name, value, isSpread }) => ({
    name,
    isSpread,
    evaluate: compiler.expression(value),
    place: value.place,
  }))
  return (render, frame) => {
    const list: ArgumentList = { positional: [], named: new Map() }
    for (const { name, isSpread, evaluate, place } of compiled) {
      const value = evaluate(render, frame)
      if (isSpread) {
        render.at = place
        spreadInto(render, list, value)
      } else if (name === undefined) list.positional.push(value)
      else list.named.set(name, value)
    }
    return list
  }
}

/** Adds the elements of a spread collection. Elements with string keys become named arguments. */
function spreadInto(render: Render, list: ArgumentList, value: Value): void {
  for (const [key, item] of entriesOf(requireSpreadable(render, value))) {
    if (typeof key === 'string') list.named.set(key, item)
    else list.positional.push(item)
  }
}

/** Returns a collection that is spread, and charges its elements. */
export function requireSpreadable({ budget }: Render, value: Value): Collection {
  if (!isCollection(value)) {
    throw runtimeFault(`Only sequences and mappings can be unpacked, got "${typeName(value)}".`)
  }
  budget.allocateElements(sizeOf(value))
  return value
}

type EvaluateAll = (render: Render, frame: Frame) => readonly Value[]
type Call = FilterExpression | FunctionExpression | TestExpression

/** Compiles the arguments of a filter, function or test, in the order of its parameters. */
export function compileBoundArguments(compiler: Compiler, call: Call): EvaluateAll {
  const { args } = call
  if (args.spread.length > 0) return compileSpread(compiler, call)
  const expressions = [...args.positional, ...args.rest.map(({ value }) => value)]
  const constants = expressions.flatMap((one) => (one.kind === 'literal' ? [one.value] : []))
  if (constants.length === expressions.length) return () => constants
  const evaluators = expressions.map((expression) => compiler.expression(expression))
  return (render, frame) => evaluators.map((evaluate) => evaluate(render, frame))
}

function compileSpread(compiler: Compiler, call: Call): EvaluateAll {
  const { positional, spread, rest } = call.args
  const list = compileArgumentList(compiler, [
    ...positional.map((value) => ({ value, isSpread: false })),
    ...spread.map((value) => ({ value, isSpread: true })),
    ...rest.map((argument) => ({ ...argument, isSpread: false })),
  ])
  return (render, frame) => {
    const values = list(render, frame)
    return bindValues(call, values.positional, values.named)
  }
}
