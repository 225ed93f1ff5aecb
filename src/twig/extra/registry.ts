import type { FilterDefinition, FunctionDefinition } from '../callables/definition.ts'
import { htmlAttr, htmlAttrMerge, htmlAttrType } from './html/attributes.ts'
import { htmlClasses } from './html/classes.ts'
import { htmlCva } from './html/cva.ts'
import { dataUri } from './html/data-uri.ts'
import { htmlToMarkdown } from './html/html-to-markdown.ts'
import { inlineCss } from './html/inline-css.ts'
import { markdownToHtml } from './html/markdown.ts'
import { dateFilters } from './intl/dates.ts'
import { intlFunctions } from './intl/lists.ts'
import {
  countryName,
  currencyName,
  currencySymbol,
  languageName,
  localeName,
  timezoneNameFilter,
} from './intl/names.ts'
import { numberFilters } from './intl/numbers.ts'
import { jsonDecode } from './json-decode.ts'
import { plural, singular } from './text/inflections.ts'
import { slug } from './text/slug.ts'
import { u } from './text/u.ts'

/** Filters of Twig's extra extensions that emails use, and `json_decode`. */
export const extraFilters: readonly FilterDefinition[] = [
  countryName,
  currencyName,
  currencySymbol,
  dataUri,
  ...dateFilters,
  htmlAttrMerge,
  htmlAttrType,
  htmlToMarkdown,
  inlineCss,
  jsonDecode,
  languageName,
  localeName,
  markdownToHtml,
  ...numberFilters,
  plural,
  singular,
  slug,
  timezoneNameFilter,
  u,
]

/** Functions of Twig's extra extensions. */
export const extraFunctions: readonly FunctionDefinition[] = [
  htmlAttr,
  htmlClasses,
  htmlCva,
  ...intlFunctions,
]
