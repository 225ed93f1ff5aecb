import { requireText } from '../../callables/arguments.ts'
import type { FilterDefinition } from '../../callables/definition.ts'
import { signature } from '../../callables/signature.ts'
import { createUnicodeText } from './unicode-text.ts'

/** `u`: a text with methods: `text|u.truncate(8, '…')`, `text|u.wordwrap(5)`, `text|u.snake`. */
export const u: FilterDefinition = {
  name: 'u',
  signature: signature(''),
  apply: (value) => createUnicodeText(requireText(value, '"u" filter')),
}
