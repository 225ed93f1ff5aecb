import { batches } from '../../../kit/batches.ts'
import { createPacer } from '../../../kit/pause.ts'
import {
  asCount,
  asObject,
  type Condition,
  listOf,
  type MauticClient,
  notMautic,
  toFilterDate,
  where,
} from '../../mautic-client/index.ts'
import type { MirrorRow } from '../table.ts'
import { type MirrorKind, toRow } from './mirror-records.ts'
import { findChanged, type MirrorStore } from './mirror-store.ts'

/** The ids of a Mautic mean other emails or users than before: it was reinstalled, or restored from a backup. */
export class ReinstalledError extends Error {
  override readonly name = 'ReinstalledError'
}

/** Returns the problem of a Mautic whose ids mean other records than before. */
export function reinstalledProblem(detail: string): string {
  const advice =
    'The ids of this Mautic mean other emails or users than before: it was reinstalled, or restored from a backup. ' +
    'Note the assignments of its emails and users, then accept it: they are deleted with that. Until then, nothing is read from it.'
  return [detail, advice].filter((part) => part !== '').join(' ')
}

/** What one run reads and writes. */
export interface SynchronizeParts<Row extends MirrorRow> {
  mauticId: number
  client: MauticClient
  store: MirrorStore<Row>
  /** The time of the run, in milliseconds since the epoch. */
  now: number
  signal: AbortSignal
}

const pageSize = 500
/** Records with all that they have, such as the HTML of an email. */
const fullPageSize = 50
const recordsMax = 500_000
/** A list of a slow Mautic takes long. */
const listTimeoutMs = 60_000
/** Readings of everything are an hour apart, and the clock of a Mautic may differ. */
const recentMs = 7_200_000
/** If at least this number is known and none of them exists any more, the Mautic is another one. */
const allGoneMin = 5

/**
 * Reads all records, then writes what has changed and deletes what no longer exists. Nothing is written unless all of them
 * were read.
 *
 * @throws {MauticError}
 * @throws {ReinstalledError}
 */
export async function synchronizeAll<Row extends MirrorRow>(
  parts: SynchronizeParts<Row>,
): Promise<void> {
  const { mauticId, store } = parts
  // Before the list: a record that is found meanwhile stays.
  const known = await store.readAll(mauticId)
  const rows = await readList(parts, [])
  const ids = new Set(rows.map(({ id }) => id))
  checkSameRecords(store.kind, rows, known)
  const gone = [...known.keys()].filter((id) => !ids.has(id))
  if (known.size >= allGoneMin && gone.length === known.size)
    throw new ReinstalledError(
      `None of the ${known.size} known ${store.kind.many} exists any more.`,
    )
  await store.save(await findChanged(await readDetails(parts, { rows, known }), known))
  await store.remove(mauticId, gone)
}

/**
 * Returns the rows with the detail that their list lacks: as it is known, or read where the record was changed. With the whole
 * list, it is also read where it is not known, and of what was changed lately: maybe in the second of the last reading. A Mautic
 * that does not have it is asked for one page.
 */
async function readDetails<Row extends MirrorRow>(
  parts: SynchronizeParts<Row>,
  {
    rows,
    known,
    changed,
  }: { rows: readonly Row[]; known: ReadonlyMap<number, Row>; changed?: Condition },
): Promise<readonly Row[]> {
  const { now, store } = parts
  const { detail } = store.kind
  if (detail === undefined) return rows
  const detailed = new Map<number, Row>()
  const missing = rows.filter((row) => {
    const before = known.get(row.id)
    if (row[detail] !== null) return false
    const { date_modified: modifiedAt } = row
    if (before?.date_modified !== modifiedAt) return true
    detailed.set(row.id, { ...row, [detail]: before[detail] })
    const isRecent = modifiedAt !== null && modifiedAt > now - recentMs
    return changed === undefined && (isRecent || before[detail] === null)
  })
  for (const some of batches(missing, fullPageSize)) {
    const ids = some.map(({ id }) => id)
    const conditions = [...(changed === undefined ? [] : [changed]), isAmong(ids)]
    const page = await readList(parts, conditions, { isFull: true })
    for (const row of page) detailed.set(row.id, row)
    if (page.every((row) => row[detail] === null)) break
  }
  return rows.map((row) => detailed.get(row.id) ?? row)
}

/**
 * Reads the records that were added or changed since the last time, by Mautic's clock.
 *
 * @throws {MauticError}
 * @throws {ReinstalledError}
 */
export async function synchronizeChanges<Row extends MirrorRow>(
  parts: SynchronizeParts<Row>,
): Promise<void> {
  const { mauticId, store } = parts
  for (const [column, name] of [
    ['date_modified', 'dateModified'],
    ['date_added', 'dateAdded'],
  ] as const) {
    const since = (await store.findLatest(mauticId, column)) ?? 0
    const changed = [name, 'gte', toFilterDate(since)] as const
    const rows = await readList(parts, [changed])
    const ids = rows.map(({ id }) => id)
    const known = await store.readSome(mauticId, ids)
    checkSameRecords(store.kind, rows, known)
    await store.save(await findChanged(await readDetails(parts, { rows, known, changed }), known))
  }
}

const isAmong = (ids: readonly number[]): Condition => ['id', 'in', ids.join(',')]

/** Reads a list in pages, each from the last id of the one before: a deletion meanwhile moves no record to another page. */
async function readList<Row extends MirrorRow>(
  { mauticId, client, store: { kind }, signal }: SynchronizeParts<Row>,
  conditions: readonly Condition[],
  { isFull = false } = {},
): Promise<Row[]> {
  const rows: Row[] = []
  const pace = createPacer()
  for (let after = -1; ; ) {
    const fields = isFull ? { limit: fullPageSize } : { ...kind.query, limit: pageSize }
    const query = {
      ...fields,
      orderBy: 'id',
      ...where(...conditions, ['id', 'gt', Math.max(after, 0)]),
    }
    const options = { timeoutMs: listTimeoutMs, isProbe: true, signal }
    const answer = asObject(await client.get(`/api/${kind.many}`, query, options))
    const list = listOf(answer, kind.many)
    const known = list.flatMap((json) => toRow(kind, mauticId, json) ?? [])
    const newRows = known.filter(({ id }) => id > after)
    for (const row of newRows) rows.push(row)
    await pace()
    if (known.length < list.length) throw notMautic(`The list of ${kind.many} has no ids.`)
    if (list.length === 0 || list.length >= (asCount(answer['total']) ?? Number.POSITIVE_INFINITY))
      return rows.sort((one, other) => one.id - other.id)
    if (newRows.length === 0 || rows.length > recordsMax)
      throw notMautic(`The list of ${kind.many} has no end or no ids.`)
    after = newRows.reduce((max, { id }) => Math.max(max, id), after)
  }
}

/** The date when a record was added never changes. */
export function checkSameRecords<Row extends MirrorRow>(
  kind: MirrorKind<Row>,
  rows: readonly Row[],
  known: ReadonlyMap<number, Row>,
): void {
  for (const row of rows) {
    const before = known.get(row.id)
    if (before === undefined || before.date_added === null || row.date_added === null) continue
    if (before.date_added === row.date_added) continue
    throw new ReinstalledError(
      `${kind.one} ${row.id} was "${kind.nameOf(before)}" and is now "${kind.nameOf(row)}".`,
    )
  }
}
