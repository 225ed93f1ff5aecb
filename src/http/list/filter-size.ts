import { AppError } from '../../kit/app-error.ts'
import type { Filter } from '../../kit/list-query.ts'

/** SQLite nests 1,000 expressions at most, and every condition after another nests once. */
const conditionsMax = 400
/** As many as a batch may have; SQLite takes 32,766 values in a statement. */
const valuesMax = 10_000
/** SQLite takes patterns of 50,000 bytes. */
const textLengthMax = 4_000

/** Throws an AppError (`invalid`) where a search or filter is larger than every database takes. */
export function checkFilterSize(filter: Filter): void {
  const waiting = [filter]
  let conditions = 0
  let values = 0
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    conditions += 1
    const given = valuesOf(next)
    values += given.length
    if (given.some((value) => typeof value === 'string' && value.length > textLengthMax)) {
      throw tooLarge(`a text of more than ${textLengthMax} characters`)
    }
    if (next.op === 'and' || next.op === 'or') waiting.push(...next.of)
    else if (next.op === 'not') waiting.push(next.of)
  }
  if (conditions > conditionsMax) throw tooLarge(`more than ${conditionsMax} conditions`)
  if (values > valuesMax) throw tooLarge(`more than ${valuesMax} values`)
}

function valuesOf(filter: Filter): readonly unknown[] {
  if ('values' in filter) return filter.values
  if ('ids' in filter) return filter.ids
  if ('text' in filter) return [filter.text]
  return 'value' in filter ? [filter.value] : []
}

function tooLarge(what: string): AppError {
  return new AppError(
    'invalid',
    'filter_too_large',
    `The search or filter has ${what}; ask for less at once.`,
  )
}
