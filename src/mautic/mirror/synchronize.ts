import { createPacer } from '../../kit/pause.ts'
import type { MauticClient } from '../client/mautic-client.ts'
import { MauticError } from '../client/mautic-error.ts'
import { asCount, asList, asObject, toFilterDate } from '../client/read-answer.ts'
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
  signal?: AbortSignal
  /** Called before each request. It throws when the run is to end. */
  onPage: () => Promise<void>
}

const pageSize = 500
const recordsMax = 500_000
/** A list of a slow Mautic takes long. */
const listTimeoutMs = 60_000
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
  await store.save(await findChanged(rows, known))
  await store.remove(mauticId, gone)
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
    const rows = await readList(parts, [[name, 'gte', toFilterDate(since)]])
    const ids = rows.map(({ id }) => id)
    const known = await store.readSome(mauticId, ids)
    checkSameRecords(store.kind, rows, known)
    await store.save(await findChanged(rows, known))
  }
}

type Condition = readonly [column: string, expression: string, value: string]

/** Reads a list in pages, each from the last id of the one before: a deletion meanwhile moves no record to another page. */
async function readList<Row extends MirrorRow>(
  { mauticId, client, store: { kind }, signal, onPage }: SynchronizeParts<Row>,
  conditions: readonly Condition[],
): Promise<Row[]> {
  const rows: Row[] = []
  const pace = createPacer()
  for (let after = -1; ; ) {
    await onPage()
    const page: Condition[] = [...conditions, ['id', 'gt', String(Math.max(after, 0))]]
    const query = { ...kind.query, limit: pageSize, orderBy: 'id', ...toQuery(page) }
    const options = { timeoutMs: listTimeoutMs, isProbe: true, signal }
    const answer = asObject(await client.get(`/api/${kind.many}`, query, options))
    const list = asList(answer[kind.many])
    const newRows = list
      .flatMap((json) => toRow(kind, mauticId, json) ?? [])
      .filter(({ id }) => id > after)
    for (const row of newRows) rows.push(row)
    await pace()
    if (list.length === 0 || list.length >= (asCount(answer['total']) ?? Number.POSITIVE_INFINITY))
      return rows.sort((one, other) => one.id - other.id)
    if (newRows.length === 0 || rows.length > recordsMax) throw strangeList(kind.many)
    after = newRows.reduce((max, { id }) => Math.max(max, id), after)
  }
}

function toQuery(conditions: readonly Condition[]): Record<string, string> {
  const entries = conditions.flatMap(([column, expression, value], index) => [
    [`where[${index}][col]`, column],
    [`where[${index}][expr]`, expression],
    [`where[${index}][val]`, value],
  ])
  return Object.fromEntries(entries) as Record<string, string>
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

function strangeList(many: string): MauticError {
  const detail = `The list of ${many} has no end or no ids.`
  return new MauticError('unexpected', { detail, hint: 'Check that url names a Mautic.' })
}
