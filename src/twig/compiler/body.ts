import { textStatement } from '../parser/plain-statements.ts'
import type { Execute } from '../runtime/render.ts'
import type { Place } from '../syntax/place.ts'
import type { Body, Compiler, Statement } from '../syntax/statement.ts'
import type { ExpressionCompiler } from './evaluators.ts'

/** Statements one after the other. Their cost is asked for at once, before the first of them. */
export function compileSequence(compiler: Compiler & ExpressionCompiler, body: Body): Execute {
  const { compiled: parts, cost } = compiler.costOf(() =>
    mergeTexts(body).map((statement) => statement.compile(compiler)),
  )
  const place = body[0]?.place
  return place === undefined ? nothing : sequence(parts, parts.length + cost, place)
}

const nothing: Execute = (render) => render.budget.spend(1)

function sequence(parts: readonly Execute[], cost: number, place: Place): Execute {
  const [first, second] = parts
  if (first !== undefined && parts.length === 1) {
    return (render, frame) => {
      render.budget.spend(cost, place)
      first(render, frame)
    }
  }
  if (first !== undefined && second !== undefined && parts.length === 2) {
    return (render, frame) => {
      render.budget.spend(cost, place)
      first(render, frame)
      second(render, frame)
    }
  }
  return (render, frame) => {
    render.budget.spend(cost, place)
    for (const part of parts) part(render, frame)
  }
}

/** Texts that follow each other, parted by a comment, become one. */
function mergeTexts(body: Body): Statement[] {
  const merged: Statement[] = []
  for (const statement of body) {
    const last = merged.at(-1)
    if (last?.text !== undefined && statement.text !== undefined) {
      merged[merged.length - 1] = textStatement(last.text + statement.text, last.place)
    } else {
      merged.push(statement)
    }
  }
  return merged
}
