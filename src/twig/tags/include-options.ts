import { runtimeFault } from '../errors/faults.ts'
import type { TagParser } from '../parser/tag.ts'
import { isolatedFrame } from '../runtime/inheritance.ts'
import type { Evaluate, Frame, Render, Template } from '../runtime/render.ts'
import type { Expression } from '../syntax/expression.ts'
import type { Compiler } from '../syntax/statement.ts'
import { entriesOf, isCollection, sizeOf } from '../values/collections.ts'
import type { Meter } from '../values/meter.ts'
import { typeName } from '../values/type-name.ts'
import type { Collection, Value } from '../values/value.ts'

/** What follows the template in `include` and `embed`: `ignore missing with variables only`. */
export interface IncludeOptions {
  readonly variables: Expression | undefined
  readonly isOnly: boolean
  readonly ignoresMissing: boolean
}

export function parseIncludeOptions(parser: TagParser): IncludeOptions {
  const { tokens } = parser
  const ignoresMissing = tokens.nextIf('name', 'ignore') !== undefined
  if (ignoresMissing) tokens.expect('name', 'missing')
  const variables =
    tokens.nextIf('name', 'with') === undefined ? undefined : parser.parseExpression()
  const isOnly = tokens.nextIf('name', 'only') !== undefined
  tokens.expect('block end')
  return { variables, isOnly, ignoresMissing }
}

/** Compiles to what makes the frame in which the other template begins. */
export function compileIncludeFrame(
  compiler: Compiler,
  { variables, isOnly }: IncludeOptions,
): (render: Render, frame: Frame, template: Template) => Frame {
  const evaluate = variables === undefined ? undefined : compiler.expression(variables)
  return (render, frame, template) => {
    const given = evaluate === undefined ? undefined : evaluateVariables(render, frame, evaluate)
    if (isOnly) return isolatedFrame(render, template, given)
    const overrides = [template]
    return frame.layer(
      given === undefined ? { template, overrides } : { template, overrides, variables: given },
    )
  }
}

function evaluateVariables(render: Render, frame: Frame, evaluate: Evaluate): Map<string, Value> {
  const value = evaluate(render, frame)
  if (isCollection(value)) return variablesOf(value, render.budget)
  throw runtimeFault(
    `The "merge" filter expects a sequence or a mapping, got "${typeName(value)}" for argument 2.`,
  )
}

/** A collection as variables, by name. */
export function variablesOf(collection: Collection, meter: Meter): Map<string, Value> {
  meter.allocateElements(sizeOf(collection))
  const variables = new Map<string, Value>()
  for (const [name, value] of entriesOf(collection)) variables.set(String(name), value)
  return variables
}
