import { type Kysely, sql } from 'kysely'
import { AppError } from '../../kit/app-error.ts'
import type { RecordRules } from './record-rules.ts'
import type { RecordRow } from './record-table.ts'
import type { RecordTables } from './record-work.ts'

const megabyte = 1_048_576
/** What the records of a request may hold together, since they and the answer are in memory at the same time. */
const requestMegabytesMax = 100
/** SQLite takes 32,766 values in a statement. */
const idsAtOnce = 5_000

/**
 * Throws an AppError (`too_large`) for a request whose records hold too much text together, before any of it is read. A
 * record counts as often as the request names it.
 */
export async function checkSize<Row extends RecordRow, Input>(
  db: Kysely<RecordTables>,
  { table, largeColumns = [] }: Pick<RecordRules<Row, unknown, Input>, 'table' | 'largeColumns'>,
  requests: readonly { id?: number }[],
): Promise<void> {
  if (requests.length < 2 || largeColumns.length === 0) return
  const ids = requests.flatMap(({ id }) => id ?? [])
  const sizes = await readSizes(db, { table, largeColumns, ids: [...new Set(ids)] })
  const bytes = ids.reduce((sum, id) => sum + (sizes.get(id) ?? 0), 0)
  if (bytes <= requestMegabytesMax * megabyte) return
  const message =
    `The records of this batch hold ${Math.ceil(bytes / megabyte)} MB together; ` +
    `a batch may have ${requestMegabytesMax} MB. Send it in parts.`
  throw new AppError('too_large', 'batch_too_large', message)
}

/** The bytes of the large columns, by id. */
async function readSizes(
  db: Kysely<RecordTables>,
  { table, largeColumns, ids }: { table: string; largeColumns: readonly string[]; ids: number[] },
): Promise<Map<number, number>> {
  // It is known without reading the text, however long that is.
  const lengths = largeColumns.map((name) => sql`coalesce(octet_length(${sql.ref(name)}), 0)`)
  const bytes = sql<number>`${sql.join(lengths, sql` + `)}`
  const sizes = new Map<number, number>()
  for (let start = 0; start < ids.length; start += idsAtOnce) {
    const some = ids.slice(start, start + idsAtOnce)
    const query = db
      .selectFrom(table)
      .select(['id', bytes.as('bytes')])
      .where('id', 'in', some)
    for (const row of await query.execute()) sizes.set(row.id, Number(row.bytes))
  }
  return sizes
}
