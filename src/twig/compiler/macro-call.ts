import { runtimeFault } from '../errors/faults.ts'
import { findParent, isolatedFrame } from '../runtime/inheritance.ts'
import type { Evaluate, Frame, Macro, Render, Template } from '../runtime/render.ts'
import { checkSandbox } from '../runtime/sandbox.ts'
import type { MacroCallExpression } from '../syntax/expression.ts'
import { collectionFrom } from '../values/collections.ts'
import { textKey } from '../values/keys.ts'
import { markupOrEmpty } from '../values/markup.ts'
import type { Key, Value } from '../values/value.ts'
import { type ArgumentList, compileArgumentList } from './argument-list.ts'
import type { EvaluateMaybe, ExpressionCompiler } from './evaluators.ts'

/** The variable that holds the arguments beyond a macro's parameters. */
export const varargsName = 'varargs'

/** A call of a macro: what it prints, as safe markup. */
export function compileMacroCall(
  compiler: ExpressionCompiler,
  expression: MacroCallExpression,
): Evaluate {
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

/** As `compileMacroCall`, giving undefined where there is no such macro. */
export function compileLenientMacro(
  compiler: ExpressionCompiler,
  expression: MacroCallExpression,
): EvaluateMaybe {
  const isDefined = compileMacroDefined(expression)
  const call = compileMacroCall(compiler, expression)
  return (render, frame) => (isDefined(render, frame) ? call(render, frame) : undefined)
}

/** Whether the macro that a call names exists: `is defined` asks. */
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

/** The macro of a template, or of the nearest template that it extends. */
function findMacro(
  render: Render,
  frame: Frame,
  sought: { template: Template; name: string },
): FoundMacro | undefined {
  let template: Template | undefined = sought.template
  for (let height = 0; template !== undefined; height++) {
    const macro = template.macros.get(sought.name)
    if (macro !== undefined) return { macro, owner: template }
    // A circle of parents must end soon.
    render.budget.spend(height)
    template = findParent(render, template, frame)
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
    variables.set(name, positional ?? named.get(name) ?? fallback)
    named.delete(name)
  })
  const rest: [Key, Value][] = [...args.positional.slice(macro.parameters.length).entries()]
  for (const [name, value] of named) rest.push([textKey(name), value])
  variables.set(varargsName, collectionFrom(rest))
  return variables
}
