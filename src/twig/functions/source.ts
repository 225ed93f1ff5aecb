import type { FunctionDefinition } from '../callables/definition.ts'
import { signature } from '../callables/signature.ts'
import { TwigError } from '../errors/twig-error.ts'
import { toText } from '../values/text.ts'
import { toBoolean } from '../values/truth.ts'

/** `source(name, ignore_missing)`: the text of a template, not rendered. */
export const source: FunctionDefinition = {
  name: 'source',
  signature: signature('name, ignore_missing = false'),
  safeFor: ['all'],
  call([name = '', ignoreMissing = false], { budget, templates }) {
    const text = templates.findSource(toText(name))
    if (text === undefined) {
      if (toBoolean(ignoreMissing)) return ''
      throw new TwigError('loader', `Template "${toText(name)}" is not defined.`)
    }
    budget.allocateText(text.length)
    return text
  },
}
