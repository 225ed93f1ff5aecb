import { syntaxFault } from '../errors.ts'
import type { Evaluate, EvaluateMaybe } from '../runtime/render.ts'
import type { Expression } from '../syntax/expression.ts'
import type { Compiler } from '../syntax/statement.ts'
import { compileAttribute, compileLenientAttribute } from './attribute.ts'
import { compileBlock, compileLenientBlock, compileParent } from './block.ts'
import { compileFilter, compileFunction, compileTest } from './calls.ts'
import { compileCollection } from './collection.ts'
import { compileLenientMacro, compileMacroCall } from './macros.ts'
import { compileBinary, compileConditional, compileUnary } from './operators.ts'
import {
  compileArrow,
  compileAssign,
  compileDestructure,
  compileLenientName,
  compileName,
} from './variables.ts'

/** Compiles an expression of any kind. */
export function compileExpression(compiler: Compiler, expression: Expression): Evaluate {
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
      throw syntaxFault(
        'A sequence can have gaps only in a destructuring assignment.',
        expression.place,
      )
  }
}

/** Compiles an expression so that a missing value gives undefined. */
export function compileLenient(compiler: Compiler, expression: Expression): EvaluateMaybe {
  if (expression.kind === 'name') return compileLenientName(expression)
  if (expression.kind === 'attribute') return compileLenientAttribute(compiler, expression)
  if (expression.kind === 'block') return compileLenientBlock(compiler, expression)
  if (expression.kind === 'macro') return compileLenientMacro(compiler, expression)
  return compiler.expression(expression)
}
