import type { FunctionDefinition } from '../callables/definition.ts'
import { signature } from '../callables/signature.ts'
import { runtimeFault } from '../errors/faults.ts'
import { display, isolatedFrame } from '../runtime/inheritance.ts'
import { findTemplate, loadTemplate } from '../runtime/loading.ts'
import type { Frame, Render } from '../runtime/render.ts'
import { entriesOf, isCollection, sizeOf } from '../values/collections.ts'
import { toBoolean } from '../values/truth.ts'
import { typeName } from '../values/type-name.ts'
import type { Value } from '../values/value.ts'

/** `include(template, variables, with_context, ignore_missing, sandboxed)`: what another template prints. */
export const include: FunctionDefinition = {
  name: 'include',
  signature: signature(
    'template, variables = [], with_context = true, ignore_missing = false, sandboxed = false',
  ),
  safeFor: ['all'],
  call(args, render, frame) {
    const [wanted = null, variables = [], withContext = true, ignoreMissing, sandboxed] = args
    const template = toBoolean(ignoreMissing ?? false)
      ? findTemplate(render, wanted)
      : loadTemplate(render, wanted, render.at)
    if (template === undefined) return ''
    const given = variablesOf(variables, render)
    const inner = toBoolean(withContext)
      ? frame.layer({ template, overrides: [template], variables: given })
      : isolatedFrame(render, template, given)
    return print(render, inner, toBoolean(sandboxed ?? false))
  },
}

function print(render: Render, frame: Frame, isSandboxed: boolean): string {
  const before = render.isSandboxed
  const { at } = render
  render.isSandboxed ||= isSandboxed
  render.budget.enter(at)
  const printed = render.capture(() => display(render, frame), frame)
  render.budget.leave()
  render.isSandboxed = before
  render.at = at
  return printed
}

function variablesOf(value: Value, { budget }: Render): Map<string, Value> {
  if (!isCollection(value)) {
    throw runtimeFault(
      `The variables of the "include" function must be a mapping, got "${typeName(value)}".`,
    )
  }
  budget.allocateElements(sizeOf(value))
  const variables = new Map<string, Value>()
  for (const [name, variable] of entriesOf(value)) variables.set(String(name), variable)
  return variables
}
