import { syntaxFault } from '../errors/faults.ts'
import type { Evaluate } from '../runtime/render.ts'
import type { Expression } from '../syntax/expression.ts'
import { compileArrow } from './arrow.ts'
import { compileAssign, compileDestructure } from './assignment.ts'
import { compileAttribute, compileLenientAttribute } from './attribute.ts'
import { compileBlock, compileLenientBlock, compileParent } from './block.ts'
import { compileFilter, compileFunction, compileTest } from './calls.ts'
import { compileCollection } from './collection.ts'
import type { EvaluateMaybe, ExpressionCompiler } from './evaluators.ts'
import { compileConditional } from './logic.ts'
import { compileLenientMacro, compileMacroCall } from './macro-call.ts'
import { compileLenientName, compileName } from './name.ts'
import { compileBinary, compileUnary } from './operators.ts'

/** Compiles an expression of any kind. */
export function compileExpression(compiler: ExpressionCompiler, expression: Expression): Evaluate {
  switch (expression.kind) {
    case 'literal': {
      const { value } = expression
      return () => value
    }
    case 'name':
      return compileName(compiler, expression)
    case 'collection':
      return compileCollection(compiler, expression)
    case 'unary':
      return compileUnary(compiler, expression)
    case 'binary':
      return compileBinary(compiler, expression)
    case 'conditional':
      return compileConditional(compiler, expression)
    case 'attribute':
      return compileAttribute(compiler, expression)
    case 'filter':
      return compileFilter(compiler, expression)
    case 'function':
      return compileFunction(compiler, expression)
    case 'test':
      return compileTest(compiler, expression)
    case 'arrow':
      return compileArrow(compiler, expression)
    case 'macro':
      return compileMacroCall(compiler, expression)
    case 'block':
      return compileBlock(compiler, expression)
    case 'parent':
      return compileParent(expression)
    case 'assign':
      return compileAssign(compiler, expression)
    case 'destructure':
      return compileDestructure(compiler, expression)
    case 'capture': {
      const { slot } = expression
      return (render) => render.captures.get(slot) ?? ''
    }
    case 'empty':
      throw syntaxFault('A sequence may have gaps only where it is assigned to.', expression.place)
  }
}

/** Compiles an expression so that what leads to nothing gives undefined. */
export function compileLenient(
  compiler: ExpressionCompiler,
  expression: Expression,
): EvaluateMaybe {
  if (expression.kind === 'name') return compileLenientName(expression)
  if (expression.kind === 'attribute') return compileLenientAttribute(compiler, expression)
  if (expression.kind === 'block') return compileLenientBlock(compiler, expression)
  if (expression.kind === 'macro') return compileLenientMacro(compiler, expression)
  return compiler.evaluator(expression)
}
