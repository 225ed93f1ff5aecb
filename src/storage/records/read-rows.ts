import { type Kysely, sql } from 'kysely'
import { AppError } from '../../kit/app-error.ts'
import { pause } from '../../kit/pause.ts'
import type { SeenRevisions } from '../../kit/resource.ts'
import type { RecordRow } from './record-table.ts'
import { chunkSize, type RecordTables } from './record-work.ts'

/** Which rows of a table are read. */
export interface RowSelection {
  table: string
  /** Default: `id`. */
  column?: string
  values: readonly (number | string)[]
  /** Whether others may not change them until the transaction ends; in id order, so that two changes cannot block each other. */
  isLocked?: boolean
}

/** Reads the rows whose column has one of the values. */
export async function readRows<Row extends RecordRow>(
  db: Kysely<RecordTables>,
  { table, column = 'id', values, isLocked = false }: RowSelection,
): Promise<Row[]> {
  const rows: RecordRow[] = []
  const sorted = [...new Set(values)].sort((a, b) => (a < b ? -1 : 1))
  for (let start = 0; start < sorted.length; start += chunkSize) {
    if (start > 0) await pause()
    const some = sorted.slice(start, start + chunkSize)
    const query = db.selectFrom(table).selectAll().where(sql.ref(column), 'in', some).orderBy('id')
    rows.push(...(await (isLocked ? query.forUpdate() : query).execute()))
  }
  return rows as Row[]
}

/** Throws an AppError (`conflict`) where a record is at none of the revisions that the caller knows. */
export function checkRevision(current: RecordRow, seen: SeenRevisions): void {
  if (seen === undefined || seen.includes(current.revision)) return
  const message =
    `Somebody else${current.modified_by === null ? '' : `, ${current.modified_by},`} has changed it ` +
    'since you read it. Read it again and repeat your change.'
  throw new AppError('conflict', 'edit_conflict', message)
}
