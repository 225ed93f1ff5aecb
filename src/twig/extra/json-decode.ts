import { define, type FilterDefinition, requireText } from '../callables/definition.ts'
import { fromHost } from '../runtime/host-values.ts'

const bytesACharacter = 24

export const jsonFilters = define<FilterDefinition>({
  'json_decode(assoc = true, depth = 512, flags = 0)': {
    description: 'The value of a JSON text; null for invalid JSON.',
    apply(value, _args, { budget }) {
      const json = requireText(value, '"json_decode" filter')
      budget.allocate(json.length * bytesACharacter)
      budget.spend(1 + json.length / 2)
      try {
        return fromHost(JSON.parse(json), budget) ?? null
      } catch (error) {
        if (error instanceof SyntaxError) return null
        throw error
      }
    },
  },
})
