import { type SqlBool, sql } from 'kysely'
import { BoundedMemory } from '../../kit/bounded-memory.ts'
import { type MaybePromise, mapMaybe } from '../../kit/maybe-promise.ts'
import { inspectDsn, type ParseDsnOptions } from '../../libraries/mailer/index.ts'
import { seenBy } from '../../platform/resource/index.ts'
import { type ChangeStamp, createLookUp, type Storage } from '../../platform/storage/index.ts'
import type { TransportRow, TransportTables } from './table.ts'

/** Finds the warnings of each transport. `dsns` are in the order of the rows, undefined where one cannot be decrypted. */
export type FindWarnings = (
  rows: readonly TransportRow[],
  dsns: readonly (string | undefined)[],
) => MaybePromise<(readonly string[])[]>

/** Creates the function that finds the warnings of one page of transports. */
export function createFindWarnings(
  storage: Storage,
  { stamps, dsnOptions }: { stamps: ReadStamps; dsnOptions: ParseDsnOptions },
): FindWarnings {
  const findNamesakes = createFindNamesakes(storage, stamps)
  const ofDsn = createDsnWarnings(dsnOptions)
  return (rows, dsns) =>
    mapMaybe(findNamesakes(rows), (namesakes) =>
      rows.map((row, index) => {
        const namesake = namesakes[index]
        const warnings = ofDsn(row, dsns[index])
        return namesake === undefined ? warnings : [...warnings, sameName(namesake)]
      }),
    )
}

function sameName(id: number): string {
  return `Transport ${id} has the same name. Rename one, or use ids where you name a transport.`
}

const rememberedMax = 1_000

/** Remembers warnings by the encrypted DSN: parsing a DSN takes as long as the rest of a look-up. */
function createDsnWarnings(dsnOptions: ParseDsnOptions) {
  const remembered = new BoundedMemory<string, readonly string[]>({ sizeMax: rememberedMax })
  return ({ mailer_dsn: sealed }: TransportRow, dsn: string | undefined): readonly string[] => {
    if (dsn === undefined) return []
    const known = remembered.get(sealed)
    if (known !== undefined) return known
    const inspection = inspectDsn(dsn, dsnOptions)
    // The settings may forbid now what they allowed when the DSN was saved.
    const warnings = inspection.valid ? inspection.warnings : [inspection.error]
    remembered.set(sealed, warnings)
    return warnings
  }
}

/** A message of the brand of `row` can name both; where it has none, only others of none count: a brand sees no other one. */
const isOneSender = sql<SqlBool>`other.brand_id in (0, row.brand_id)`

/** Finds the id of another transport of the same name for each row; not that of another brand. */
function createFindNamesakes(storage: Storage, stamps: ReadStamps) {
  const db = storage.tables<TransportTables>()
  const ofOne = createLookUp(
    storage,
    ({ key, id, brand }: { key: string; id: number; brand: number }) =>
      db
        .selectFrom('transports')
        .select('id')
        .where('name_key', '=', key)
        .where('id', '<>', id)
        .where(seenBy({ brands: [brand] }))
        .orderBy('id')
        .limit(sql.lit(1)),
  )
  const ofMany = async (ids: readonly number[]) => {
    const found = await db
      .selectFrom('transports as row')
      .select((select) => [
        'row.id',
        select
          .selectFrom('transports as other')
          .select('other.id')
          .whereRef('other.name_key', '=', 'row.name_key')
          .whereRef('other.id', '<>', 'row.id')
          .where(isOneSender)
          .orderBy('other.id')
          .limit(1)
          .as('namesake'),
      ])
      .where('row.id', 'in', ids)
      .execute()
    const namesakes = new Map(found.map(({ id, namesake }) => [id, namesake ?? undefined]))
    return ids.map((id) => namesakes.get(id))
  }
  const findOne = rememberWhileUnchanged(stamps, ({ name_key: key, id, brand_id: brand }) =>
    ofOne({ key, id, brand }),
  )
  return (rows: readonly TransportRow[]): MaybePromise<(number | undefined)[]> => {
    const [first] = rows
    if (first === undefined) return []
    if (rows.length > 1) return ofMany(rows.map(({ id }) => id))
    return mapMaybe(findOne(first), (namesake) => [namesake?.id])
  }
}

type FindNamesake = (row: TransportRow) => MaybePromise<{ id: number } | undefined>

/** The result for a row; the row may have been read before a change that its stamp has. */
type Namesake = Pick<TransportRow, 'revision'> & { namesake: { id: number } | undefined }

/** They are ids only: a few megabytes. */
const namesakesMax = 100_000

/** The stamp of the database for each row. Where asking takes a round trip, it is asked in that of the row. */
export class ReadStamps {
  readonly #storage: Storage
  readonly #stamps = new WeakMap<TransportRow, MaybePromise<ChangeStamp | undefined>>()

  constructor(storage: Storage) {
    this.#storage = storage
  }

  /** Asks for the stamp of a row that is being read. */
  with(reading: MaybePromise<TransportRow | undefined>): MaybePromise<TransportRow | undefined> {
    if (!(reading instanceof Promise)) return reading
    const stamp = this.#storage.changeStamp()
    return reading.then((row) => {
      if (row !== undefined) this.#stamps.set(row, stamp)
      return row
    })
  }

  /** The stamp that was asked with the row; else the current one. */
  of(row: TransportRow): MaybePromise<ChangeStamp | undefined> {
    return this.#stamps.get(row) ?? this.#storage.changeStamp()
  }
}

/** Remembers results until the database changes: this second query made reading one transport a fifth slower. */
function rememberWhileUnchanged(stamps: ReadStamps, find: FindNamesake): FindNamesake {
  const memory = new BoundedMemory<number, Namesake>({ sizeMax: namesakesMax })
  let stamp: ChangeStamp | undefined
  return (row) =>
    mapMaybe(stamps.of(row), (now) => {
      const { id, revision } = row
      if (now === undefined || now !== stamp) memory.clear()
      stamp = now
      const known = memory.get(id)
      if (known?.revision === revision) return known.namesake
      return mapMaybe(find(row), (namesake) => {
        if (now !== undefined && now === stamp) memory.set(id, { revision, namesake })
        return namesake
      })
    })
}
