import type { CompiledQuery, Transaction } from 'kysely'
import { storableText } from './storable-text.ts'

/** Runs one statement for many rows; its SQL is compiled once for each number of rows. */
export type BulkQuery<Tables, Row> = (
  tx: Transaction<Tables>,
  rows: readonly (readonly unknown[])[],
) => Promise<Row[]>

/** The most rows of one statement: more of them save nothing more. */
const rowsMax = 32

/**
 * A statement whose parameters are the values of its rows, row by row. `build` makes it for rows of
 * placeholders: compiling it anew each time would cost more than running it.
 */
export function createBulkQuery<Tables, Row>(
  build: (tx: Transaction<Tables>, count: number) => CompiledQuery,
): BulkQuery<Tables, Row> {
  const compiled = new Map<number, CompiledQuery>()
  return async (tx, rows) => {
    const answers: Row[] = []
    for (let from = 0; from < rows.length; from += rowsMax) {
      const some = rows.slice(from, from + rowsMax)
      const query = compiled.get(some.length) ?? build(tx, some.length)
      compiled.set(some.length, query)
      const result = await tx.executeQuery({ ...query, parameters: some.flat().map(storable) })
      answers.push(...(result.rows as Row[]))
    }
    return answers
  }
}

function storable(value: unknown): unknown {
  return typeof value === 'string' ? storableText(value) : value
}
