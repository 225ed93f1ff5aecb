import { AppError } from '../../../kit/app-error.ts'
import type { Filter } from '../../storage/index.ts'

/** SQLite nests 1,000 expressions at most, and every further condition nests once. */
export const conditionsMax = 400
/** As many as a batch may have. SQLite takes 32,766 values in a statement. */
const valuesMax = 10_000
/** No field that lists are filtered by is longer, except descriptions. */
const textLengthMax = 1_000
/** A pattern is compared at every place of every row. */
const patternLengthMax = 200
const patternsMax = 20
const patternsLengthMax = 400

/** Throws an AppError (`invalid`) for a search or filter that would take long, or is larger than a database takes. */
export function checkFilterSize(filter: Filter): void {
  const waiting = [filter]
  let conditions = 0
  let values = 0
  let patterns = 0
  let patternsLength = 0
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const operands = valuesOf(next)
    const isPattern = ['text', 'like', 'notLike', 'has'].includes(next.op)
    conditions += 1
    values += operands.length
    if (isPattern) {
      patterns += 1
      patternsLength += String(operands[0]).length
    }
    checkTexts(operands, isPattern ? patternLengthMax : textLengthMax)
    if (conditions > conditionsMax) throw filterTooLarge(`more than ${conditionsMax} conditions`)
    if (values > valuesMax) throw filterTooLarge(`more than ${valuesMax} values`)
    if (patterns > patternsMax) throw filterTooLarge(`more than ${patternsMax} words or patterns`)
    if (patternsLength > patternsLengthMax)
      throw filterTooLarge(
        `words or patterns of more than ${patternsLengthMax} characters together`,
      )
    if (next.op === 'and' || next.op === 'or') for (const part of next.of) waiting.push(part)
    else if (next.op === 'not') waiting.push(next.of)
  }
}

function checkTexts(values: readonly unknown[], lengthMax: number): void {
  const isTooLong = values.some((value) => typeof value === 'string' && value.length > lengthMax)
  if (isTooLong) throw filterTooLarge(`a text of more than ${lengthMax} characters`)
}

function valuesOf(filter: Filter): readonly unknown[] {
  if ('values' in filter) return filter.values
  if ('ids' in filter) return filter.ids
  if ('text' in filter) return [filter.text]
  return 'value' in filter ? [filter.value] : []
}

/** The error for a search or filter above a limit. */
export function filterTooLarge(excess: string): AppError {
  return new AppError(
    'invalid',
    'filter_too_large',
    `The search or filter has ${excess}. Use a smaller one.`,
  )
}
