import type { Evaluate, Frame, Render } from '../runtime/render.ts'
import type { CollectionExpression, CollectionItem } from '../syntax/expression.ts'
import type { Compiler } from '../syntax/statement.ts'
import { CollectionBuilder } from '../values/collections.ts'
import { toKey } from '../values/conversions.ts'
import { requireSpreadable } from './arguments.ts'

/** Compiles `[a, b]` or `{k: a}`. */
export function compileCollection(compiler: Compiler, expression: CollectionExpression): Evaluate {
  const { items, place } = expression
  const isPlain = items.every(({ key, isSpread }) => key === undefined && !isSpread)
  if (isPlain) return compilePlainSequence(compiler, expression)
  const fillers = items.map((item) => compileItem(compiler, item))
  return (render, frame) => {
    render.budget.allocateElements(items.length)
    const builder = new CollectionBuilder()
    for (const fill of fillers) fill(render, frame, builder)
    render.at = place
    return builder.build()
  }
}

function compilePlainSequence(compiler: Compiler, expression: CollectionExpression): Evaluate {
  const elements = expression.items.map(({ value }) => compiler.expression(value))
  return (render, frame) => {
    render.budget.allocateElements(elements.length)
    return elements.map((element) => element(render, frame))
  }
}

type Fill = (render: Render, frame: Frame, builder: CollectionBuilder) => void

function compileItem(compiler: Compiler, item: CollectionItem): Fill {
  const value = compiler.expression(item.value)
  if (item.isSpread) {
    return (render, frame, builder) => {
      const spread = value(render, frame)
      render.at = item.value.place
      builder.merge(requireSpreadable(render, spread))
    }
  }
  if (item.key === undefined) {
    return (render, frame, builder) => builder.append(value(render, frame))
  }
  const { place } = item.key
  const key = compiler.expression(item.key)
  return (render, frame, builder) => {
    const name = key(render, frame)
    render.at = place
    builder.set(toKey(name), value(render, frame))
  }
}
