import { byName } from './callables/definition.ts'
import { hostFilter, hostFunction, hostTest } from './callables/host-callables.ts'
import { inlineCssFilters } from './extra/css/inline-css.ts'
import { attributeFilters, attributeFunctions } from './extra/html/attributes.ts'
import { classFunctions } from './extra/html/classes.ts'
import { dataUriFilters } from './extra/html/data-uri.ts'
import { markdownFilters } from './extra/html/markdown.ts'
import { dateFilters as intlDateFilters } from './extra/intl/dates.ts'
import { nameFilters, nameFunctions } from './extra/intl/names.ts'
import { numberFilters as intlNumberFilters } from './extra/intl/numbers.ts'
import { unicodeTextFilters } from './extra/text/u.ts'
import { wordFilters } from './extra/text/words.ts'
import { dateFilters } from './filters/dates.ts'
import { encodingFilters } from './filters/encoding.ts'
import { listFilters } from './filters/lists.ts'
import { numberFilters } from './filters/numbers.ts'
import { textFilters } from './filters/text.ts'
import { textAndListFilters } from './filters/text-and-lists.ts'
import { constantFunctions } from './functions/constants.ts'
import { dumpFunctions } from './functions/dump.ts'
import { templateFunctions } from './functions/templates.ts'
import { valueFunctions } from './functions/values.ts'
import type { TwigOptions } from './options.ts'
import type { Vocabulary } from './parser/tag.ts'
import { tags } from './tags/registry.ts'
import { tests } from './tests/registry.ts'

const filters = [
  ...dateFilters,
  ...encodingFilters,
  ...listFilters,
  ...numberFilters,
  ...textAndListFilters,
  ...textFilters,
].sort(byName)

/** Filters of Twig's extra extensions that emails use. */
const extraFilters = [
  ...attributeFilters,
  ...dataUriFilters,
  ...inlineCssFilters,
  ...intlDateFilters,
  ...intlNumberFilters,
  ...markdownFilters,
  ...nameFilters,
  ...unicodeTextFilters,
  ...wordFilters,
].sort(byName)

/** The parser handles `attribute`, `block` and `parent`. */
const functions = [
  ...constantFunctions,
  ...dumpFunctions,
  ...templateFunctions,
  ...valueFunctions,
].sort(byName)

const extraFunctions = [...attributeFunctions, ...classFunctions, ...nameFunctions].sort(byName)

/**
 * Returns the tags, filters, functions and tests of an engine: Twig's own and those of its options.
 */
export function createVocabulary(options: TwigOptions): Vocabulary {
  return {
    tag: keyed(tags),
    filter: keyed([...filters, ...extraFilters, ...hosts(options.filters, hostFilter)]),
    function: keyed([...functions, ...extraFunctions, ...hosts(options.functions, hostFunction)]),
    test: keyed([...tests, ...hosts(options.tests, hostTest)]),
  }
}

function hosts<Host, T>(
  callables: Readonly<Record<string, Host>> = {},
  create: (name: string, callable: Host) => T,
): T[] {
  return Object.entries(callables).map(([name, callable]) => create(name, callable))
}

function keyed<T extends { readonly name: string }>(definitions: readonly T[]): Map<string, T> {
  return new Map(definitions.map((definition) => [definition.name, definition]))
}
