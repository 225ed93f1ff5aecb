import type { Kysely, Transaction } from 'kysely'
import { createPacer, pause } from '../../kit/pause.ts'
import type { Storage } from '../../storage/index.ts'
import type { MirrorKind, MirrorRow } from './mirror-records.ts'

/** Rows of one statement: a transaction takes a few milliseconds. */
const rowsPerBatch = 200
const rowsPerPage = 1_000

type MirrorTables = Record<string, MirrorRow>

/** What is known of a Mautic's emails or users. */
export interface MirrorStore<Row extends MirrorRow> {
  /** Reads all rows of a Mautic, by id. */
  readAll(mauticId: number): Promise<Map<number, Row>>
  readSome(mauticId: number, ids: readonly number[]): Promise<Map<number, Row>>
  /** The latest date of a change, by Mautic's clock. */
  findLatest(mauticId: number, column: 'date_added' | 'date_modified'): Promise<number | null>
  /** Inserts or replaces rows, in short transactions. */
  save(rows: readonly Row[]): Promise<void>
  remove(mauticId: number, ids: readonly number[]): Promise<void>
  count(mauticId: number): Promise<number>
}

/** Opens the store of one kind. */
export function openMirrorStore<Row extends MirrorRow>(
  storage: Storage,
  { table }: MirrorKind<Row>,
): MirrorStore<Row> {
  const db = storage.tables<MirrorTables>()
  const select = (mauticId: number) =>
    db.selectFrom(table).selectAll().where('mautic_id', '=', mauticId)
  return {
    readAll: (mauticId) => readAll<Row>(db, table, mauticId),
    async readSome(mauticId, ids) {
      const found = new Map<number, Row>()
      for (const some of batches(ids)) {
        const rows = await select(mauticId).where('id', 'in', some).execute()
        for (const row of rows as unknown as Row[]) found.set(row.id, row)
      }
      return found
    },
    async findLatest(mauticId, column) {
      const query = select(mauticId).where(column, 'is not', null).orderBy(column, 'desc').limit(1)
      return (await query.executeTakeFirst())?.[column] ?? null
    },
    async save(rows) {
      for (const some of batches(rows)) {
        await storage.transaction(async (tx: Transaction<MirrorTables>) =>
          saveRows(tx, table, some),
        )
        await pause()
      }
    },
    async remove(mauticId, ids) {
      for (const some of batches(ids)) {
        const query = db.deleteFrom(table).where('mautic_id', '=', mauticId)
        await query.where('id', 'in', some).execute()
        await pause()
      }
    },
    async count(mauticId) {
      const query = db.selectFrom(table).select((select) => select.fn.countAll().as('count'))
      const row = await query.where('mautic_id', '=', mauticId).executeTakeFirst()
      return Number(row?.count ?? 0)
    },
  }
}

async function readAll<Row extends MirrorRow>(
  db: Kysely<MirrorTables>,
  table: string,
  mauticId: number,
): Promise<Map<number, Row>> {
  const found = new Map<number, Row>()
  for (let after = -1; ; ) {
    const query = db.selectFrom(table).selectAll().where('mautic_id', '=', mauticId)
    const page = query.where('id', '>', after).orderBy('id').limit(rowsPerPage)
    const rows = (await page.execute()) as unknown as Row[]
    for (const row of rows) found.set(row.id, row)
    const last = rows.at(-1)
    if (last === undefined) return found
    after = last.id
    await pause()
  }
}

/** A Mautic that was deleted meanwhile gets no rows. */
async function saveRows(
  tx: Kysely<MirrorTables>,
  table: string,
  rows: readonly MirrorRow[],
): Promise<void> {
  const [first] = rows
  if (first === undefined) return
  const mautics = tx as unknown as Kysely<{ mautics: { id: number } }>
  const query = mautics.selectFrom('mautics').select('id').where('id', '=', first.mautic_id)
  if ((await query.forUpdate().executeTakeFirst()) === undefined) return
  const columns = Object.keys(first).filter((name) => !['mautic_id', 'id'].includes(name))
  await tx
    .insertInto(table)
    .values([...rows])
    .onConflict((conflict) =>
      conflict
        .columns(['mautic_id', 'id'])
        .doUpdateSet((set) =>
          Object.fromEntries(
            columns.map((name) => [name, set.ref(`excluded.${name}` as 'excluded.id')]),
          ),
        ),
    )
    .execute()
}

function batches<Value>(values: readonly Value[]): Value[][] {
  const count = Math.ceil(values.length / rowsPerBatch)
  return Array.from({ length: count }, (_, index) =>
    values.slice(index * rowsPerBatch, (index + 1) * rowsPerBatch),
  )
}

/** Returns the rows that differ from what is known. Pauses in between. */
export async function findChanged<Row extends MirrorRow>(
  rows: readonly Row[],
  known: ReadonlyMap<number, Row>,
): Promise<Row[]> {
  const pace = createPacer()
  const changed: Row[] = []
  for (const row of rows) {
    const before = known.get(row.id)
    if (before === undefined || !isSame(before, row)) changed.push(row)
    await pace()
  }
  return changed
}

/** SQLite has booleans as 0 and 1. */
function isSame<Row extends MirrorRow>(one: Row, other: Row): boolean {
  return Object.entries(other).every(([name, value]) => {
    const stored: unknown = one[name as keyof Row]
    return typeof value === 'boolean' ? Boolean(stored) === value : stored === value
  })
}
