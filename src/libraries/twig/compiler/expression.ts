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

type Compilers = {
  readonly [Kind in Expression['kind']]: (
    compiler: Compiler,
    expression: Extract<Expression, { kind: Kind }>,
  ) => Evaluate
}

const compilers: Compilers = {
  literal:
    (_compiler, { value }) =>
    () =>
      value,
  name: compileName,
  collection: compileCollection,
  unary: compileUnary,
  binary: compileBinary,
  conditional: compileConditional,
  attribute: compileAttribute,
  filter: compileFilter,
  function: compileFunction,
  test: compileTest,
  arrow: compileArrow,
  macro: compileMacroCall,
  block: compileBlock,
  parent: compileParent,
  assign: compileAssign,
  destructure: compileDestructure,
  capture:
    (_compiler, { slot }) =>
    (render) =>
      render.captures.get(slot) ?? '',
  empty(_compiler, { place }) {
    throw syntaxFault('A sequence can have gaps only in a destructuring assignment.', place)
  },
}

/** Compiles an expression of any kind. */
export function compileExpression<Kind extends Expression['kind']>(
  compiler: Compiler,
  expression: Extract<Expression, { kind: Kind }>,
): Evaluate {
  const compile: Compilers[Kind] = compilers[expression.kind]
  return compile(compiler, expression)
}

/** Compiles an expression so that a missing value gives undefined. */
export function compileLenient(compiler: Compiler, expression: Expression): EvaluateMaybe {
  if (expression.kind === 'name') return compileLenientName(expression)
  if (expression.kind === 'attribute') return compileLenientAttribute(compiler, expression)
  if (expression.kind === 'block') return compileLenientBlock(compiler, expression)
  if (expression.kind === 'macro') return compileLenientMacro(compiler, expression)
  return compiler.expression(expression)
}
