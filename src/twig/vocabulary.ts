import { hostFilter, hostFunction, hostTest } from './callables/host-callables.ts'
import { extraFilters, extraFunctions } from './extra/registry.ts'
import { filters } from './filters/registry.ts'
import { functions } from './functions/registry.ts'
import type { TwigOptions } from './options.ts'
import type { Vocabulary } from './parser/tag.ts'
import { tags } from './tags/registry.ts'
import { tests } from './tests/registry.ts'

/**
 * Returns the tags, filters, functions and tests of an engine: Twig's own and those of its options.
 */
export function createVocabulary(options: TwigOptions): Vocabulary {
  const own = {
    filters: Object.entries(options.filters ?? {}),
    functions: Object.entries(options.functions ?? {}),
    tests: Object.entries(options.tests ?? {}),
  }
  return {
    tag: keyed(tags),
    filter: keyed([
      ...filters,
      ...extraFilters,
      ...own.filters.map(([name, it]) => hostFilter(name, it)),
    ]),
    function: keyed([
      ...functions,
      ...extraFunctions,
      ...own.functions.map(([name, it]) => hostFunction(name, it)),
    ]),
    test: keyed([...tests, ...own.tests.map(([name, it]) => hostTest(name, it))]),
  }
}

function keyed<T extends { readonly name: string }>(definitions: readonly T[]): Map<string, T> {
  return new Map(definitions.map((definition) => [definition.name, definition]))
}
