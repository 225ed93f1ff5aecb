import type { Kysely, Transaction } from 'kysely'
import { AppError } from '../kit/app-error.ts'
import { type BatchItemResult, done, failed } from '../kit/batch-item-result.ts'
import type { CallerMautic } from '../kit/caller.ts'
import { pause } from '../kit/pause.ts'
import type { Storage } from '../storage/index.ts'
import type { EmailAssignmentEntry, UserAssignmentEntry } from './schema.ts'
import { type AssignmentCaller, transportFault } from './service.ts'
import { type AssignmentChanges, changesIn } from './store.ts'
import { type MauticDirectory, targetNotFound } from './targets.ts'

/** Few enough that a transaction does not hold up other changes. */
const itemsPerTransaction = 200
/** So many emails or users of a Mautic that no synchronization has seen are fetched for one batch: each takes 30 ms. */
const unseenMax = 200

/** Assigns transports to many emails or users: one result for each item, in order, with the id that it changed. */
export interface AssignMany {
  toEmails: (
    entries: readonly EmailAssignmentEntry[],
    caller: AssignmentCaller,
  ) => Promise<BatchItemResult<number>[]>
  toUsers: (
    entries: readonly UserAssignmentEntry[],
    caller: AssignmentCaller,
  ) => Promise<BatchItemResult<number>[]>
}

export function createAssignMany(storage: Storage, mautics: MauticDirectory): AssignMany {
  return {
    toEmails: (entries, caller) =>
      assignInParts(storage, entries, {
        caller,
        table: 'emails',
        label: 'Email',
        idOf: ({ emailId }) => emailId,
        fetch: (mauticId, id) => mautics.emails.find(mauticId, id),
        write: async (changes, { emailId, transportId, useOwnerTransport }) => {
          if (transportId === null && useOwnerTransport !== true)
            return changes.removeFromEmail(emailId)
          const change = useOwnerTransport === undefined ? {} : { useOwnerTransport }
          return changes.assignToEmail(emailId, { transportId, ...change })
        },
      }),
    toUsers: (entries, caller) =>
      assignInParts(storage, entries, {
        caller,
        table: 'users',
        label: 'User',
        idOf: ({ userId }) => userId,
        fetch: (mauticId, id) => mautics.users.find(mauticId, id),
        write: async (changes, { userId, transportId }) =>
          transportId === null
            ? changes.removeFromUser(userId)
            : changes.assignToUser(userId, transportId),
      }),
  }
}

/** What is assigned, and how one entry is written. */
interface AssignedKind<Entry> {
  /** Its Mautic has the emails or users; without one, they are Mailyard's own. */
  caller: AssignmentCaller
  table: 'emails' | 'users'
  label: 'Email' | 'User'
  idOf: (entry: Entry) => number
  /** Stores what a Mautic has and no synchronization has seen. */
  fetch: (mauticId: number, id: number) => Promise<unknown>
  write: (changes: AssignmentChanges, entry: Entry) => Promise<void>
}

async function assignInParts<Entry extends { transportId: number | null }>(
  storage: Storage,
  entries: readonly Entry[],
  kind: AssignedKind<Entry>,
): Promise<BatchItemResult<number>[]> {
  const fetchFailed = await fetchUnseen(storage, entries, kind)
  const results: BatchItemResult<number>[] = []
  for (let start = 0; start < entries.length; start += itemsPerTransaction) {
    const some = entries.slice(start, start + itemsPerTransaction)
    const written = storage.transaction(
      (tx: Transaction<object>) => assignSome(tx, some, { ...kind, fetchFailed }),
      // Where an email or a transport is deleted meanwhile, the second run finds that it is missing.
      { checksConstraints: true },
    )
    // The parts before are committed, so the rest is answered item by item.
    const part = await written.catch((error: unknown) => {
      if (start === 0 || !(error instanceof AppError)) throw error
      return some.map(() => failed(error))
    })
    results.push(...part)
    await pause()
  }
  return results
}

/** Fetches what no synchronization has seen. Returns why that failed, by id. */
async function fetchUnseen<Entry>(
  storage: Storage,
  entries: readonly Entry[],
  { caller: { mautic }, table, idOf, fetch }: AssignedKind<Entry>,
): Promise<ReadonlyMap<number, AppError>> {
  const errors = new Map<number, AppError>()
  if (mautic === undefined) return errors
  const ids = [...new Set(entries.map(idOf))]
  const seen = await findTargets(storage.tables(), { table, mautic, ids })
  const unseen = ids.filter((id) => !seen.has(id))
  let failure: AppError | undefined
  for (const [place, id] of unseen.entries()) {
    // A Mautic that does not answer is not asked again.
    if (place === unseenMax) failure ??= tooManyUnseen(mautic)
    failure ??= await fetch(mautic.id, id).then(() => undefined, asAppError)
    if (failure !== undefined) errors.set(id, failure)
  }
  return errors
}

function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  throw error
}

function tooManyUnseen({ name }: CallerMautic): AppError {
  const message = `The last synchronization of Mautic ${JSON.stringify(name)} has not seen it, as many others of this batch. Repeat it in a minute.`
  return new AppError('upstream', 'mautic_not_synchronized', message)
}

type IdTables = Record<'emails' | 'users', { id: number }> &
  Record<'mautic_emails' | 'mautic_users', { id: number; mautic_id: number }> &
  Record<'transports', { id: number; mautic_id: number | null }>

async function assignSome<Entry extends { transportId: number | null }>(
  tx: Transaction<object>,
  entries: readonly Entry[],
  kind: AssignedKind<Entry> & { fetchFailed: ReadonlyMap<number, AppError> },
): Promise<BatchItemResult<number>[]> {
  const { caller, table, label, idOf, write, fetchFailed } = kind
  const { mautic } = caller
  const targets = await findTargets(tx, { table, mautic, ids: entries.map(idOf) })
  const transportIds = entries.flatMap(({ transportId }) => transportId ?? [])
  const transports = await findTransports(tx, transportIds)
  const changes = changesIn(tx, mautic)
  const results: BatchItemResult<number>[] = []
  for (const entry of entries) {
    const id = idOf(entry)
    const { transportId } = entry
    const fault =
      transportId === null
        ? undefined
        : transportFault(transports.get(transportId), { id: transportId, caller })
    if (!targets.has(id))
      results.push(failed(fetchFailed.get(id) ?? targetNotFound(label, id, mautic)))
    else if (fault !== undefined) results.push(failed(fault))
    else {
      await write(changes, entry)
      results.push(done(id))
    }
  }
  return results
}

async function findTargets(
  tx: Kysely<object>,
  {
    table,
    mautic,
    ids,
  }: { table: 'emails' | 'users'; mautic: CallerMautic | undefined; ids: readonly number[] },
): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const db = tx.withTables<IdTables>()
  const wanted = [...new Set(ids)]
  const rows =
    mautic === undefined
      ? await db.selectFrom(table).select('id').where('id', 'in', wanted).execute()
      : await db
          .selectFrom(`mautic_${table}`)
          .select('id')
          .where('mautic_id', '=', mautic.id)
          .where('id', 'in', wanted)
          .execute()
  return new Set(rows.map(({ id }) => id))
}

async function findTransports(
  tx: Transaction<object>,
  ids: readonly number[],
): Promise<Map<number, { mautic_id: number | null }>> {
  if (ids.length === 0) return new Map()
  const query = tx.withTables<IdTables>().selectFrom('transports').select(['id', 'mautic_id'])
  const rows = await query.where('id', 'in', [...new Set(ids)]).execute()
  return new Map(rows.map((row) => [row.id, row]))
}
