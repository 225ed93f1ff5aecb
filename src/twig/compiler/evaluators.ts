import type { Evaluate, Frame, Render } from '../runtime/render.ts'
import type { Expression } from '../syntax/expression.ts'
import type { Value } from '../values/value.ts'

/** A compiled expression that gives undefined where it leads to nothing, instead of an error. */
export type EvaluateMaybe = (render: Render, frame: Frame) => Value | undefined

/** What expressions are compiled with. */
export interface ExpressionCompiler {
  readonly templateName: string | undefined
  evaluator(expression: Expression): Evaluate
  /** As `evaluator`, without the errors of strict variables: for `default`, `??` and `is defined`. */
  lenientEvaluator(expression: Expression): EvaluateMaybe
  /** Told by whatever sets a variable. */
  noteAssignment(name: string): void
  /** Counts a compiled expression into the cost of the statement that holds it. */
  costOf<T>(compile: () => T): { compiled: T; cost: number }
}
