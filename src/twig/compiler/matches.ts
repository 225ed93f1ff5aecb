import type { Place } from '../errors.ts'
import { compilePattern, type Pattern } from '../regex/pattern.ts'
import type { Evaluate, Render } from '../runtime/render.ts'
import type { BinaryExpression } from '../syntax/expression.ts'
import type { Compiler } from '../syntax/statement.ts'
import { toText } from '../values/conversions.ts'

/** The cost of compiling a pattern. */
const compileSteps = 500
const stepsPerInstruction = 20
/** One step pays for this many instructions of the pattern on this many characters. */
const instructionsPerStep = 16
const charactersPerStep = 16

/** Matches a text against a pattern that is computed while rendering. */
function matches(pattern: string, text: string, render: Render): boolean {
  let compiled = render.patterns.get(pattern)
  if (compiled === undefined) {
    render.budget.spend(compileSteps + pattern.length)
    compiled = compilePattern(pattern)
    render.budget.spend(compiled.size * stepsPerInstruction)
    render.patterns.set(pattern, compiled)
  }
  return test(compiled, text, render)
}

/** Matches a text against a compiled pattern and charges the cost. */
function test(pattern: Pattern, text: string, render: Render): boolean {
  const width = 1 + pattern.size / instructionsPerStep
  render.budget.spend(1 + (text.length / charactersPerStep) * width)
  return pattern.test(text)
}

/** Compiles `text matches pattern`. The parser has already compiled a constant pattern. */
export function compileMatches(compiler: Compiler, expression: BinaryExpression): Evaluate {
  const { left, right, place } = expression
  const text = compiler.expression(left)
  if (expression.pattern !== undefined) return compileKnownMatches(text, expression.pattern, place)
  const pattern = compiler.expression(right)
  return (render, frame) => {
    const subject = text(render, frame)
    const wanted = pattern(render, frame)
    render.at = place
    return matches(toText(wanted), toText(subject), render)
  }
}

function compileKnownMatches(text: Evaluate, pattern: Pattern, place: Place): Evaluate {
  return (render, frame) => {
    const subject = text(render, frame)
    render.at = place
    return test(pattern, toText(subject), render)
  }
}
