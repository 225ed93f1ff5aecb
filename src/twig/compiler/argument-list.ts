import { runtimeFault } from '../errors/faults.ts'
import type { Frame, Render } from '../runtime/render.ts'
import type { Argument } from '../syntax/expression.ts'
import { entriesOf, isCollection, sizeOf } from '../values/collections.ts'
import { typeName } from '../values/type-name.ts'
import type { Value } from '../values/value.ts'
import type { ExpressionCompiler } from './evaluators.ts'

/** Arguments of a macro or method, whose parameters are known only when it is called. */
export interface ArgumentList {
  readonly positional: Value[]
  readonly named: Map<string, Value>
}

export function compileArgumentList(
  compiler: ExpressionCompiler,
  args: readonly Argument[],
): (render: Render, frame: Frame) => ArgumentList {
  const compiled = args.map(({ name, value, isSpread }) => ({
    name,
    isSpread,
    evaluate: compiler.evaluator(value),
    place: value.place,
  }))
  return (render, frame) => {
    const list: ArgumentList = { positional: [], named: new Map() }
    for (const { name, isSpread, evaluate, place } of compiled) {
      const value = evaluate(render, frame)
      if (isSpread) {
        render.at = place
        spread(render, list, value)
      } else if (name === undefined) list.positional.push(value)
      else list.named.set(name, value)
    }
    return list
  }
}

/** `...value`: the elements of a collection as arguments, those with a text key by that name. */
function spread(render: Render, list: ArgumentList, value: Value): void {
  if (!isCollection(value)) {
    throw runtimeFault(`Only sequences and mappings can be unpacked, got "${typeName(value)}".`)
  }
  render.budget.allocateElements(sizeOf(value))
  for (const [key, item] of entriesOf(value)) {
    if (typeof key === 'string') list.named.set(key, item)
    else list.positional.push(item)
  }
}
