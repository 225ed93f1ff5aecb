import type { FunctionDefinition } from '../callables/definition.ts'
import { constant } from './constant.ts'
import { cycle } from './cycle.ts'
import { date } from './date.ts'
import { dump } from './dump.ts'
import { enumCases, enumFunction } from './enum.ts'
import { include } from './include.ts'
import { max, min } from './max-min.ts'
import { random } from './random.ts'
import { rangeFunction } from './range.ts'
import { source } from './source.ts'
import { templateFromString } from './template-from-string.ts'

/** Every function of the language itself, but `attribute`, `block` and `parent`, which the parser knows. */
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
