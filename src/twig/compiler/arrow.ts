import type { Evaluate, Frame } from '../runtime/render.ts'
import type { ArrowExpression } from '../syntax/expression.ts'
import { namesRead } from '../syntax/names-read.ts'
import { Arrow } from '../values/value.ts'
import type { ExpressionCompiler } from './evaluators.ts'

/** An arrow function. It sees the variables that it names as they are where it is made. */
export function compileArrow(compiler: ExpressionCompiler, expression: ArrowExpression): Evaluate {
  const { parameters, place } = expression
  const { compiled: body, cost } = compiler.costOf(() => compiler.evaluator(expression.body))
  const captured = [...namesRead(expression.body)].filter((name) => !parameters.includes(name))
  return (render, outer) => {
    render.budget.allocateElements(captured.length)
    const scope = capture(outer, captured)
    return new Arrow((args) => {
      const before = render.at
      render.budget.enter(place)
      render.budget.spend(cost, place)
      const frame = scope.layer({})
      parameters.forEach((name, index) => {
        frame.set(name, args[index] ?? null)
      })
      const result = body(render, frame)
      render.budget.leave()
      render.at = before
      return result
    })
  }
}

function capture(outer: Frame, names: readonly string[]): Frame {
  const scope = outer.layer({})
  for (const name of names) {
    const value = outer.find(name)
    if (value !== undefined) scope.set(name, value)
  }
  return scope
}
