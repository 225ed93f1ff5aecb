import { createHash } from 'node:crypto'
import { define, type FunctionDefinition, requireText } from '../callables/definition.ts'
import { runtimeFault, TwigError } from '../errors.ts'
import { displayIncluded, isolatedFrame, variablesOf } from '../runtime/inheritance.ts'
import { findTemplate, loadTemplate, templateKind } from '../runtime/loading.ts'
import type { Frame, Render } from '../runtime/render.ts'
import { isCollection } from '../values/collections.ts'
import { toBoolean, toText, typeName } from '../values/conversions.ts'
import { TwigObject } from '../values/value.ts'

export const templateFunctions = define<FunctionDefinition>({
  'include(template, variables = [], with_context = true, ignore_missing = false, sandboxed = false)':
    {
      description: 'Renders another template: include("footer").',
      safeFor: ['all'],
      call(args, render, frame) {
        const [wanted = null, variables = [], withContext = true, ignoreMissing, sandboxed] = args
        const template = toBoolean(ignoreMissing ?? false)
          ? findTemplate(render, wanted, render.at)
          : loadTemplate(render, wanted, render.at)
        if (template === undefined) return ''
        if (!isCollection(variables)) {
          throw runtimeFault(
            `The variables of the "include" function must be a mapping, got "${typeName(variables)}".`,
          )
        }
        const given = variablesOf(variables, render.budget)
        const inner = toBoolean(withContext)
          ? frame.layer({ template, overrides: [template], variables: given })
          : isolatedFrame(render, template, given)
        return print(render, inner, toBoolean(sandboxed ?? false))
      },
    },
  'source(name, ignore_missing = false)': {
    description: 'The code of a template, not rendered.',
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
  },
  'template_from_string(template, name = null)': {
    description: 'A template made of a text.',
    call([template = '', name = null], { budget, templates }) {
      const text = requireText(template, '"template_from_string" function')
      budget.allocate(text.length * bytesPerCharacter)
      budget.spend(50 + text.length * stepsPerCharacter)
      const hash = createHash('sha1').update(text).digest('hex')
      const title =
        name === null ? `__string_template__${hash}` : `${toText(name)} (string template ${hash})`
      return new TwigObject(templateKind, templates.compile(text, title))
    },
  },
})

function print(render: Render, frame: Frame, isSandboxed: boolean): string {
  const { at, isSandboxed: before } = render
  render.isSandboxed ||= isSandboxed
  const printed = render.capture(() => displayIncluded(render, frame, at), frame)
  render.isSandboxed = before
  return printed
}

/** The approximate cost of compiling one character of a template. */
const bytesPerCharacter = 100
const stepsPerCharacter = 10
