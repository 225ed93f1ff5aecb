import type { CompiledQuery } from 'kysely'
import { runQuery, type Statements } from '../../storage/index.ts'
import { storableText } from './storable-text.ts'

/** Runs one statement for many rows; its SQL is compiled once for each number of rows. */
export type BulkQuery<Row> = (rows: readonly (readonly unknown[])[]) => Statements<Row[]>

/** The most rows of one statement: more of them save nothing more. */
const rowsMax = 32

/**
 * A statement whose parameters are the values of its rows, row by row. `build` makes it for rows of
 * placeholders: compiling it anew each time would cost more than running it.
 */
export function createBulkQuery<Row>(build: (count: number) => CompiledQuery): BulkQuery<Row> {
  const compiled = new Map<number, CompiledQuery>()
  return function* (rows) {
    const answers: Row[] = []
    for (let from = 0; from < rows.length; from += rowsMax) {
      const some = rows.slice(from, from + rowsMax)
      const query = compiled.get(some.length) ?? build(some.length)
      compiled.set(some.length, query)
      const parameters = some.flat().map(storable)
      answers.push(...(yield* runQuery<Row>({ ...query, parameters })))
    }
    return answers
  }
}

function storable(value: unknown): unknown {
  return typeof value === 'string' ? storableText(value) : value
}
