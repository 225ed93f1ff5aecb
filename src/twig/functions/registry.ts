import type { FunctionDefinition } from '../callables/definition.ts'
import { constant, enumCases, enumFunction } from './constants.ts'
import { dump } from './dump.ts'
import { include, source, templateFromString } from './templates.ts'
import { cycle, date, max, min, random, rangeFunction } from './values.ts'

/**
 * Every function of Twig itself, one per line. The parser handles `attribute`, `block` and
 * `parent`.
 */
export const functions: readonly FunctionDefinition[] = [
  constant,
  cycle,
  date,
  dump,
  enumFunction,
  enumCases,
  include,
  max,
  min,
  random,
  rangeFunction,
  source,
  templateFromString,
]
