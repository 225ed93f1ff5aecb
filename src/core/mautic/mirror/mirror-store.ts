import type { Kysely, Transaction } from 'kysely'
import { batches } from '../../../kit/batches.ts'
import { createPacer, pause } from '../../../kit/pause.ts'
import { excluded, type Storage } from '../../../platform/storage/index.ts'
import type { MauticTables, MirrorRow } from '../table.ts'
import type { MirrorKind } from './mirror-records.ts'

/** Rows of one statement: a transaction takes a few milliseconds. */
const rowsPerBatch = 200
const rowsPerPage = 1_000

type MirrorTables = Record<string, MirrorRow>

/** What is known of the emails or the users of Mautics. */
export class MirrorStore<Row extends MirrorRow> {
  readonly kind: MirrorKind<Row>
  readonly #storage: Storage
  readonly #db: Kysely<MirrorTables>

  constructor(storage: Storage, kind: MirrorKind<Row>) {
    this.kind = kind
    this.#storage = storage
    this.#db = storage.tables<MirrorTables>()
  }

  async readAll(mauticId: number): Promise<Map<number, Row>> {
    const all = new Map<number, Row>()
    for (let after = -1; ; ) {
      const page = this.#select(mauticId).where('id', '>', after).orderBy('id').limit(rowsPerPage)
      const rows = await page.$castTo<Row>().execute()
      for (const row of rows) all.set(row.id, row)
      const last = rows.at(-1)
      if (last === undefined) return all
      after = last.id
      await pause()
    }
  }

  async readSome(mauticId: number, ids: readonly number[]): Promise<Map<number, Row>> {
    const known = new Map<number, Row>()
    for (const batch of batches(ids, rowsPerBatch)) {
      const rows = this.#select(mauticId).where('id', 'in', batch).$castTo<Row>()
      for (const row of await rows.execute()) known.set(row.id, row)
    }
    return known
  }

  /** Returns the latest date of a change, by Mautic's clock. */
  async findLatest(
    mauticId: number,
    column: 'date_added' | 'date_modified',
  ): Promise<number | null> {
    const dated = this.#select(mauticId).where(column, 'is not', null)
    return (await dated.orderBy(column, 'desc').limit(1).executeTakeFirst())?.[column] ?? null
  }

  /** Inserts or replaces rows, in short transactions. A Mautic that was deleted meanwhile gets none. */
  async save(rows: readonly Row[]): Promise<void> {
    for (const batch of batches(rows, rowsPerBatch)) {
      await this.#storage.transaction((tx: Transaction<MirrorTables>) => this.#upsert(tx, batch))
      await pause()
    }
  }

  async remove(mauticId: number, ids: readonly number[]): Promise<void> {
    for (const batch of batches(ids, rowsPerBatch)) {
      const removal = this.#db.deleteFrom(this.kind.table).where('mautic_id', '=', mauticId)
      await removal.where('id', 'in', batch).execute()
      await pause()
    }
  }

  async count(mauticId: number): Promise<number> {
    const rows = this.#db.selectFrom(this.kind.table).where('mautic_id', '=', mauticId)
    const counted = rows.select((row) => row.fn.countAll<number>().as('count'))
    return Number((await counted.executeTakeFirstOrThrow()).count)
  }

  #select(mauticId: number) {
    return this.#db.selectFrom(this.kind.table).selectAll().where('mautic_id', '=', mauticId)
  }

  async #upsert(tx: Transaction<MirrorTables>, rows: readonly Row[]): Promise<void> {
    const [first] = rows
    if (first === undefined) return
    const mautics = tx.withTables<MauticTables>().selectFrom('mautics').select('id')
    const mautic = mautics.where('id', '=', first.mautic_id).forUpdate()
    if ((await mautic.executeTakeFirst()) === undefined) return
    const columns = Object.keys(first).filter((name) => !['mautic_id', 'id'].includes(name))
    await tx
      .insertInto(this.kind.table)
      .values([...rows])
      .onConflict((conflict) =>
        conflict.columns(['mautic_id', 'id']).doUpdateSet(excluded(...columns)),
      )
      .execute()
  }
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
    const isFlag = typeof value === 'boolean' && stored !== null
    return isFlag ? Boolean(stored) === value : stored === value
  })
}
