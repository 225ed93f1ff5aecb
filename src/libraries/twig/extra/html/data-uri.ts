import { define, type FilterDefinition, requireText } from '../../callables/definition.ts'
import { escapeUrl } from '../../escaping/escape.ts'
import { entriesOf, isCollection } from '../../values/collections.ts'
import { toText } from '../../values/conversions.ts'

export const dataUriFilters = define<FilterDefinition>({
  'data_uri(mime = null, parameters = [])': {
    description: 'A text as a data: URL (RFC 2397).',
    apply(value, [mime = null, parameters = []], { budget }) {
      const text = requireText(value, '"data_uri" filter')
      const type = mime === null ? guessType(text) : toText(mime)
      let uri = `data:${type}`
      if (isCollection(parameters)) {
        for (const [name, parameter] of entriesOf(parameters)) {
          budget.allocateText(String(name).length)
          uri += `;${name}=${escapeUrl(toText(parameter), budget)}`
        }
      }
      if (type.startsWith('text/')) return `${uri},${escapeUrl(text, budget)}`
      budget.allocateText(text.length * 4)
      return `${uri};base64,${Buffer.from(text).toString('base64')}`
    },
  },
})

/** What a text says that it is in its beginning. */
function guessType(text: string): string {
  const start = text.slice(0, 200).trimStart().toLowerCase()
  if (start.startsWith('<svg')) return 'image/svg+xml'
  return start.startsWith('<!doctype html') || start.startsWith('<html')
    ? 'text/html'
    : 'text/plain'
}
