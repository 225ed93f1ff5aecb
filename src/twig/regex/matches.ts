import type { Render } from '../runtime/render.ts'
import { compilePattern, type Pattern } from './php-pattern.ts'

/** So many instructions of a pattern make one step for so many characters of a text. */
const instructionsAStep = 16
const charactersAStep = 16

/** Whether a text matches a pattern that is known only while rendering. */
export function matches(pattern: string, text: string, render: Render): boolean {
  let compiled = render.patterns.get(pattern)
  if (compiled === undefined) {
    render.budget.spend(20 + pattern.length)
    compiled = compilePattern(pattern)
    render.budget.spend(compiled.size)
    render.patterns.set(pattern, compiled)
  }
  return test(compiled, text, render)
}

/** Whether a text matches; asks for the time that it takes. */
export function test(pattern: Pattern, text: string, render: Render): boolean {
  const width = 1 + pattern.size / instructionsAStep
  render.budget.spend(1 + (text.length / charactersAStep) * width)
  return pattern.test(text)
}
