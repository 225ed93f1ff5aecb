import { createHash } from 'node:crypto'
import { type FunctionDefinition, requireText, signature } from '../callables/definition.ts'
import { runtimeFault, TwigError } from '../errors.ts'
import { display, isolatedFrame } from '../runtime/inheritance.ts'
import { findTemplate, loadTemplate, templateKind } from '../runtime/loading.ts'
import type { Frame, Render } from '../runtime/render.ts'
import { entriesOf, isCollection, sizeOf } from '../values/collections.ts'
import { toBoolean, toText, typeName } from '../values/conversions.ts'
import { TwigObject, type Value } from '../values/value.ts'

/**
 * `include(template, variables, with_context, ignore_missing, sandboxed)`: renders another
 * template.
 */
export const include: FunctionDefinition = {
  name: 'include',
  signature: signature(
    'template, variables = [], with_context = true, ignore_missing = false, sandboxed = false',
  ),
  safeFor: ['all'],
  call(args, render, frame) {
    const [wanted = null, variables = [], withContext = true, ignoreMissing, sandboxed] = args
    const template = toBoolean(ignoreMissing ?? false)
      ? findTemplate(render, wanted, render.at)
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

/** `source(name, ignore_missing)`: returns the source of a template. */
export const source: FunctionDefinition = {
  name: 'source',
  signature: signature('name, ignore_missing = false'),
  safeFor: ['all'],
  call([name = '', ignoreMissing = false], { at, budget, templates }) {
    const text = templates.findSource(toText(name), at.templateName)
    if (text === undefined) {
      if (toBoolean(ignoreMissing)) return ''
      throw new TwigError('loader', `Template "${toText(name)}" is not defined.`)
    }
    budget.allocateText(text.length)
    return text
  },
}

/** The approximate cost of compiling one character of a template. */
const bytesPerCharacter = 100
const stepsPerCharacter = 10

/** `template_from_string(text, name)`: creates a template from a string, to include or extend. */
export const templateFromString: FunctionDefinition = {
  name: 'template_from_string',
  signature: signature('template, name = null'),
  call([template = '', name = null], { budget, templates }) {
    const text = requireText(template, '"template_from_string" function')
    budget.allocate(text.length * bytesPerCharacter)
    budget.spend(50 + text.length * stepsPerCharacter)
    const hash = createHash('sha1').update(text).digest('hex')
    const title =
      name === null ? `__string_template__${hash}` : `${toText(name)} (string template ${hash})`
    return new TwigObject(templateKind, templates.compile(text, title))
  },
}
