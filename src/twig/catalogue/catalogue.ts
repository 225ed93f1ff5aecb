import type { Signature } from '../callables/definition.ts'
import { specialFunctionNames } from '../parser/calls.ts'
import type { Vocabulary } from '../parser/tag.ts'
import {
  filterDescriptions,
  functionDescriptions,
  tagDescriptions,
  testDescriptions,
} from './descriptions.ts'

/**
 * A word of the language, for the completion of an editor.
 *
 * @example
 * ```ts
 * const entries: readonly CatalogueEntry[] = createTwig().catalogue()
 * for (const { kind, name, signature } of entries) console.log(kind, name, signature)
 * ```
 */
export interface CatalogueEntry {
  readonly kind: 'filter' | 'function' | 'test' | 'tag'
  readonly name: string
  /** How it is written: `range(low, high, step = 1)`. */
  readonly signature: string
  /** One line; empty for a filter, function or test of the host. */
  readonly description: string
  readonly isDeprecated: boolean
}

const specialSignatures: Readonly<Record<string, string>> = {
  attribute: 'attribute(object, name, arguments = [])',
  block: 'block(name, template = null)',
  parent: 'parent()',
}

/** Lists the words of a vocabulary, by kind and name. */
export function createCatalogue({ filters, functions, tests, tags }: Vocabulary): CatalogueEntry[] {
  const callables = (
    kind: CatalogueEntry['kind'],
    all: ReadonlyMap<string, { signature: Signature; deprecation?: string }>,
    descriptions: Readonly<Record<string, string>>,
  ) =>
    [...all].map(([name, { signature, deprecation }]) => ({
      kind,
      name,
      signature: `${name}${formatParameters(signature, kind === 'function')}`,
      description: descriptions[name] ?? '',
      isDeprecated: deprecation !== undefined,
    }))
  const special = [...specialFunctionNames].map((name) => ({
    kind: 'function' as const,
    name,
    signature: specialSignatures[name] ?? `${name}()`,
    description: functionDescriptions[name] ?? '',
    isDeprecated: false,
  }))
  const ofTags = [...tags.keys(), 'verbatim'].map((name) => {
    const [signature = `{% ${name} %}`, description = ''] = tagDescriptions[name] ?? []
    return { kind: 'tag' as const, name, signature, description, isDeprecated: false }
  })
  const byName = (one: CatalogueEntry, other: CatalogueEntry) => (one.name < other.name ? -1 : 1)
  return [
    ...callables('filter', filters, filterDescriptions).sort(byName),
    ...[...callables('function', functions, functionDescriptions), ...special].sort(byName),
    ...callables('test', tests, testDescriptions).sort(byName),
    ...ofTags.sort(byName),
  ]
}

/** `(start, length = null)`; empty where a filter or test takes none. */
function formatParameters({ parameters, isVariadic }: Signature, isCall: boolean): string {
  const shown = parameters.map(({ name, fallback }) =>
    fallback === undefined ? name : `${name} = ${formatValue(fallback)}`,
  )
  const all = [...shown, ...(isVariadic ? ['...values'] : [])]
  return all.length === 0 && !isCall ? '' : `(${all.join(', ')})`
}

function formatValue(value: unknown): string {
  return JSON.stringify(value) ?? 'null'
}
