import { type FilterDefinition, requireText, signature } from '../callables/definition.ts'
import { fromHost } from '../runtime/host-values.ts'

const bytesACharacter = 24

/** `json_decode`: the value of a JSON text; null for invalid JSON, as in PHP. */
export const jsonDecode: FilterDefinition = {
  name: 'json_decode',
  signature: signature('assoc = true, depth = 512, flags = 0'),
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
}
