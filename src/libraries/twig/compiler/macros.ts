import { runtimeFault, syntaxFault } from '../errors.ts'
import { negate, positive } from '../php/arithmetic.ts'
import { checkSandbox, isolatedFrame, lineage } from '../runtime/inheritance.ts'
import type { Evaluate, EvaluateMaybe, Frame, Macro, Render, Template } from '../runtime/render.ts'
import { argumentOr } from '../syntax/bind-arguments.ts'
import type { Expression, MacroCallExpression } from '../syntax/expression.ts'
import type { Compiler } from '../syntax/statement.ts'
import { CollectionBuilder, collectionFrom } from '../values/collections.ts'
import { textKey, toKey } from '../values/conversions.ts'
import { type Key, markupOrEmpty, type Value } from '../values/value.ts'
import { type ArgumentList, compileArgumentList } from './arguments.ts'

/** The variable that holds surplus arguments of a macro. */
export const varargsName = 'varargs'

/** Compiles a macro call: its output, as safe markup. */
export function compileMacroCall(compiler: Compiler, expression: MacroCallExpression): Evaluate {
  const args = compileArgumentList(compiler, expression.args)
  return (render, frame) => {
    const imported = importedTemplate(render, frame, expression)
    const found = findMacro(render, frame, { template: imported, name: expression.name })
    if (found === undefined) {
      throw runtimeFault(
        `Macro "${expression.name}" is not defined in template "${imported.name ?? ''}".`,
        expression.place,
      )
    }
    return callMacro(render, { ...found, args: args(render, frame), expression })
  }
}

/** Like `compileMacroCall`, but a missing macro gives undefined. */
export function compileLenientMacro(
  compiler: Compiler,
  expression: MacroCallExpression,
): EvaluateMaybe {
  const isDefined = compileMacroDefined(expression)
  const call = compileMacroCall(compiler, expression)
  return (render, frame) => (isDefined(render, frame) ? call(render, frame) : undefined)
}

/** Compiles a check whether the called macro exists, for `is defined`. */
export function compileMacroDefined(
  expression: MacroCallExpression,
): (render: Render, frame: Frame) => boolean {
  return (render, frame) => {
    const template = importedTemplate(render, frame, expression)
    return findMacro(render, frame, { template, name: expression.name }) !== undefined
  }
}

interface FoundMacro {
  readonly macro: Macro
  readonly owner: Template
}

/** Finds a macro in a template or in the nearest of its parents. */
function findMacro(
  render: Render,
  frame: Frame,
  sought: { template: Template; name: string },
): FoundMacro | undefined {
  for (const template of lineage(render, frame, sought)) {
    const macro = template.macros.get(sought.name)
    if (macro !== undefined) return { macro, owner: template }
  }
  return undefined
}

function importedTemplate(
  render: Render,
  frame: Frame,
  { source, place }: MacroCallExpression,
): Template {
  if (source.key === '_self') return frame.template
  const local = source.isGlobal ? undefined : frame.findImport(source.key)
  const imported = local ?? render.importsOf(frame.template).get(source.key)
  if (imported !== undefined) return imported
  throw runtimeFault(`Variable "${source.alias}" does not exist.`, place)
}

function callMacro(
  render: Render,
  call: FoundMacro & { args: ArgumentList; expression: MacroCallExpression },
): Value {
  const { macro, owner, expression } = call
  render.at = expression.place
  render.budget.enter(expression.place)
  render.budget.spend(macro.parameters.length + call.args.positional.length)
  if (render.isSandboxed) checkSandbox(render, owner)
  const frame = isolatedFrame(render, owner, macroVariables(macro, call.args))
  const printed = render.capture(macro.execute, frame)
  render.budget.leave()
  render.at = expression.place
  return markupOrEmpty(printed)
}

function macroVariables(macro: Macro, args: ArgumentList): Map<string, Value> {
  const variables = new Map<string, Value>()
  const named = new Map(args.named)
  macro.parameters.forEach(({ name, fallback }, index) => {
    const positional = args.positional[index]
    if (positional !== undefined && named.has(name)) {
      throw runtimeFault(`Argument "${name}" is defined twice for macro "${macro.name}".`)
    }
    variables.set(name, argumentOr([positional, named.get(name)], fallback))
    named.delete(name)
  })
  const rest: [Key, Value][] = [...args.positional.slice(macro.parameters.length).entries()]
  for (const [name, value] of named) rest.push([textKey(name), value])
  variables.set(varargsName, collectionFrom(rest))
  return variables
}

/** Returns true for a constant expression, the only kind allowed as a macro's default value. */
export function isConstant(expression: Expression): boolean {
  if (expression.kind === 'literal') return true
  if (expression.kind === 'unary') {
    return expression.operator !== 'not' && isConstant(expression.operand)
  }
  if (expression.kind !== 'collection') return false
  return expression.items.every(
    ({ key, value, isSpread }) =>
      !isSpread && isConstant(value) && (key === undefined || isConstant(key)),
  )
}

/** Evaluates a constant expression. */
export function constantValue(expression: Expression): Value {
  if (expression.kind === 'literal') return expression.value
  if (expression.kind === 'unary' && expression.operator === '-') {
    return negate(constantValue(expression.operand))
  }
  if (expression.kind === 'unary') return positive(constantValue(expression.operand))
  if (expression.kind !== 'collection') {
    throw syntaxFault('A constant was expected.', expression.place)
  }
  const builder = new CollectionBuilder()
  for (const { key, value } of expression.items) {
    if (key === undefined) builder.append(constantValue(value))
    else builder.set(toKey(constantValue(key)), constantValue(value))
  }
  return builder.build()
}
