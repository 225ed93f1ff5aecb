import { byName } from '../callables/definition.ts'
import { constantFunctions } from './constants.ts'
import { dumpFunctions } from './dump.ts'
import { templateFunctions } from './templates.ts'
import { valueFunctions } from './values.ts'

/** Every function of Twig itself. The parser handles `attribute`, `block` and `parent`. */
export const functions = [
  ...constantFunctions,
  ...dumpFunctions,
  ...templateFunctions,
  ...valueFunctions,
].sort(byName)
