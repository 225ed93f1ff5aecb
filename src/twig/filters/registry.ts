import type { FilterDefinition } from '../callables/definition.ts'
import { filter, find, invoke, map, reduce } from './arrows.ts'
import { capitalize, lower, title, upper } from './casing.ts'
import { batch, column, keys, merge, sort } from './collections.ts'
import { date, dateModify } from './dates.ts'
import { defaultFilter } from './default.ts'
import { jsonEncode, urlEncode } from './encoding.ts'
import { eFilter, escapeFilter, rawFilter } from './escaping.ts'
import { abs, numberFormat, round } from './numbers.ts'
import { first, join, last, length, reverse, shuffle, slice, split } from './pieces.ts'
import { convertEncoding, format, nl2br, replace, spaceless, striptags, trim } from './text.ts'

/** Every filter of the language itself. */
export const filters: readonly FilterDefinition[] = [
  abs,
  batch,
  capitalize,
  column,
  convertEncoding,
  date,
  dateModify,
  defaultFilter,
  eFilter,
  escapeFilter,
  filter,
  find,
  first,
  format,
  invoke,
  join,
  jsonEncode,
  keys,
  last,
  length,
  lower,
  map,
  merge,
  nl2br,
  numberFormat,
  rawFilter,
  reduce,
  replace,
  reverse,
  round,
  shuffle,
  slice,
  sort,
  spaceless,
  split,
  striptags,
  title,
  trim,
  upper,
  urlEncode,
]
