import { sql } from 'kysely'
import { andThen, type Eventual } from '../kit/eventual.ts'
import { inspectDsn, type ParseDsnOptions } from '../mailer/index.ts'
import { createLookUp, type Storage } from '../storage/index.ts'
import type { TransportRow, TransportTables } from './table.ts'

/** Finds what the reader of transports should know of each of them; `dsns` are theirs, undefined where unreadable. */
export type FindWarnings = (
  rows: readonly TransportRow[],
  dsns: readonly (string | undefined)[],
) => Eventual<string[][]>

/** What the transports of a page are looked at with; a long list is read page by page. */
export function createFindWarnings(storage: Storage, dsnOptions: ParseDsnOptions): FindWarnings {
  const findNamesakes = createFindNamesakes(storage)
  const ofDsn = createDsnWarnings(dsnOptions)
  return (rows, dsns) =>
    andThen(findNamesakes(rows), (namesakes) =>
      rows.map((row, index) => {
        const namesake = namesakes.get(row.id)
        const ofName = namesake === undefined ? [] : [sameName(namesake)]
        return [...ofDsn(row, dsns[index]), ...ofName]
      }),
    )
}

function sameName(id: number): string {
  return `Transport ${id} has the same name. Rename one, or use ids where you name a transport.`
}

const rememberedMax = 1_000

/** Reading a DSN takes as long as the rest of a look-up: the last ones are remembered by their sealed text. */
function createDsnWarnings(dsnOptions: ParseDsnOptions) {
  const remembered = new Map<string, readonly string[]>()
  return ({ mailer_dsn: sealed }: TransportRow, dsn: string | undefined): readonly string[] => {
    if (dsn === undefined) return []
    const known = remembered.get(sealed)
    if (known !== undefined) return known
    const inspection = inspectDsn(dsn, dsnOptions)
    // An operator may since have forbidden what was allowed when it was saved.
    const warnings = inspection.valid ? inspection.warnings : [inspection.error]
    if (remembered.size >= rememberedMax) remembered.clear()
    remembered.set(sealed, warnings)
    return warnings
  }
}

/** How many rows one statement asks about. */
const rowsAtOnce = 1_000

/** Finds another transport of the same name for each row that has one, by the row's id. */
function createFindNamesakes(storage: Storage) {
  const db = storage.tables<TransportTables>()
  const ofOne = createLookUp<{ id: number }>(storage, () =>
    db
      .selectFrom('transports')
      .select('id')
      .where('name_key', '=', '')
      .where('id', '<>', 0)
      .orderBy('id')
      .limit(sql.lit(1))
      .compile(),
  )
  const ofMany = async (ids: readonly number[]) => {
    const query = db
      .selectFrom('transports as row')
      .select((select) => [
        'row.id',
        select
          .selectFrom('transports as other')
          .select('other.id')
          .whereRef('other.name_key', '=', 'row.name_key')
          .whereRef('other.id', '<>', 'row.id')
          .orderBy('other.id')
          .limit(1)
          .as('namesake'),
      ])
      .where('row.id', 'in', ids)
    return await query.execute()
  }
  const findOne = rememberWhileUnchanged(storage, (row) => ofOne(row.name_key, row.id))
  return (rows: readonly TransportRow[]): Eventual<Map<number, number>> => {
    const [first, ...others] = rows
    if (first === undefined) return new Map()
    if (others.length > 0) return findAll(rows, ofMany)
    return andThen(findOne(first), (found) =>
      found === undefined ? new Map() : new Map([[first.id, found.id]]),
    )
  }
}

type FindNamesake = (row: TransportRow) => Eventual<{ id: number } | undefined>

/** Ids alone: a few megabytes. */
const namesakesMax = 100_000

/** The second query of reading one transport took a fifth of its rate. */
function rememberWhileUnchanged(storage: Storage, find: FindNamesake): FindNamesake {
  const found = new Map<number, { id: number } | undefined>()
  let stamp: number | undefined
  return (row) => {
    const now = storage.changeStamp()
    if (now === undefined || now !== stamp) found.clear()
    stamp = now
    if (found.has(row.id)) return found.get(row.id)
    return andThen(find(row), (namesake) => {
      if (found.size >= namesakesMax) found.clear()
      if (now !== undefined && now === stamp) found.set(row.id, namesake)
      return namesake
    })
  }
}

async function findAll(
  rows: readonly TransportRow[],
  find: (ids: readonly number[]) => Promise<{ id: number; namesake: number | null }[]>,
): Promise<Map<number, number>> {
  const namesakes = new Map<number, number>()
  for (let start = 0; start < rows.length; start += rowsAtOnce) {
    const ids = rows.slice(start, start + rowsAtOnce).map(({ id }) => id)
    for (const { id, namesake } of await find(ids))
      if (namesake !== null) namesakes.set(id, namesake)
  }
  return namesakes
}
