import { byName } from '../callables/definition.ts'
import { inlineCssFilters } from './css/inline-css.ts'
import { attributeFilters, attributeFunctions } from './html/attributes.ts'
import { classFunctions } from './html/classes.ts'
import { cvaFunctions } from './html/cva.ts'
import { dataUriFilters } from './html/data-uri.ts'
import { htmlToMarkdownFilters } from './html/html-to-markdown.ts'
import { markdownFilters } from './html/markdown.ts'
import { dateFilters } from './intl/dates.ts'
import { intlFunctions } from './intl/lists.ts'
import { nameFilters } from './intl/names.ts'
import { numberFilters } from './intl/numbers.ts'
import { jsonFilters } from './json-decode.ts'
import { inflectionFilters } from './text/inflections.ts'
import { slugFilters } from './text/slug.ts'
import { unicodeTextFilters } from './text/u.ts'

/** Filters of Twig's extra extensions that emails use, and `json_decode`. */
export const extraFilters = [
  ...attributeFilters,
  ...dataUriFilters,
  ...dateFilters,
  ...htmlToMarkdownFilters,
  ...inflectionFilters,
  ...inlineCssFilters,
  ...jsonFilters,
  ...markdownFilters,
  ...nameFilters,
  ...numberFilters,
  ...slugFilters,
  ...unicodeTextFilters,
].sort(byName)

/** Functions of Twig's extra extensions. */
export const extraFunctions = [
  ...attributeFunctions,
  ...classFunctions,
  ...cvaFunctions,
  ...intlFunctions,
].sort(byName)
