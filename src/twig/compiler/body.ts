import { textStatement } from '../parser/plain-statements.ts'
import type { Execute } from '../runtime/render.ts'
import type { Place } from '../syntax/place.ts'
import type { Body, Compiler, Statement } from '../syntax/statement.ts'
import type { ExpressionCompiler } from './evaluators.ts'

/** Statements one after the other. Their cost is asked for at once, before the first of them. */
export function compileSequence(compiler: Compiler & ExpressionCompiler, body: Body): Execute {
  const { compiled: parts, cost } = compiler.costOf(() =>
    mergeTexts(body).map((statement) => statement.text ?? statement.compile(compiler)),
  )
  const place = body[0]?.place
  return place === undefined ? nothing : sequence(parts, parts.length + cost, place)
}

const nothing: Execute = (render) => render.budget.spend(1)

function sequence(parts: readonly (string | Execute)[], cost: number, place: Place): Execute {
  return (render, frame) => {
    render.budget.spend(cost, place)
    for (const part of parts) {
      if (typeof part === 'string') render.write(part)
      else part(render, frame)
    }
  }
}

/** Texts that follow each other, parted by a comment, become one. */
function mergeTexts(body: Body): Statement[] {
  const merged: Statement[] = []
  let texts: string[] = []
  let first: Statement | undefined
  const flush = () => {
    if (first !== undefined) merged.push(textStatement(texts.join(''), first.place))
    texts = []
    first = undefined
  }
  for (const statement of body) {
    if (statement.text === undefined) {
      flush()
      merged.push(statement)
    } else {
      texts.push(statement.text)
      first ??= statement
    }
  }
  flush()
  return merged
}
