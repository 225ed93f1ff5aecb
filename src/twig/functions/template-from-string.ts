import { createHash } from 'node:crypto'
import { requireText } from '../callables/arguments.ts'
import type { FunctionDefinition } from '../callables/definition.ts'
import { signature } from '../callables/signature.ts'
import { templateKind } from '../runtime/loading.ts'
import { toText } from '../values/text.ts'
import { TwigObject } from '../values/value.ts'

/** Compiling takes about so many bytes and so many steps for each character of a template. */
const bytesACharacter = 100
const stepsACharacter = 10

/** `template_from_string(text, name)`: a template that is in no loader, to include or to extend. */
export const templateFromString: FunctionDefinition = {
  name: 'template_from_string',
  signature: signature('template, name = null'),
  call([template = '', name = null], { budget, templates }) {
    const text = requireText(template, '"template_from_string" function')
    budget.allocate(text.length * bytesACharacter)
    budget.spend(50 + text.length * stepsACharacter)
    const hash = createHash('sha1').update(text).digest('hex')
    const title =
      name === null ? `__string_template__${hash}` : `${toText(name)} (string template ${hash})`
    return new TwigObject(templateKind, templates.compile(text, title))
  },
}
