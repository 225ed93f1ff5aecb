import { byName } from '../callables/definition.ts'
import { dateFilters } from './dates.ts'
import { encodingFilters } from './encoding.ts'
import { listFilters } from './lists.ts'
import { numberFilters } from './numbers.ts'
import { textFilters } from './text.ts'
import { textAndListFilters } from './text-and-lists.ts'

/** Every filter of Twig itself. */
export const filters = [
  ...dateFilters,
  ...encodingFilters,
  ...listFilters,
  ...numberFilters,
  ...textAndListFilters,
  ...textFilters,
].sort(byName)
