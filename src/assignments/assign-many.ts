import type { Transaction } from 'kysely'
import { AppError } from '../kit/app-error.ts'
import { type BatchItemResult, done, failed } from '../kit/batch-item-result.ts'
import { pause } from '../kit/pause.ts'
import type { Storage } from '../storage/index.ts'
import type { EmailAssignmentEntry, UserAssignmentEntry } from './schema.ts'
import { type AssignmentChanges, changesIn } from './store.ts'

/** Few enough that a transaction does not hold up other changes. */
const itemsPerTransaction = 200

/** Assigns transports to many emails or users: one result for each item, in order, with the id that it changed. */
export interface AssignMany {
  toEmails: (entries: readonly EmailAssignmentEntry[]) => Promise<BatchItemResult<number>[]>
  toUsers: (entries: readonly UserAssignmentEntry[]) => Promise<BatchItemResult<number>[]>
}

export function createAssignMany(storage: Storage): AssignMany {
  return {
    toEmails: (entries) =>
      assignInParts(storage, entries, {
        table: 'emails',
        label: 'Email',
        idOf: ({ emailId }) => emailId,
        write: async (changes, { emailId, transportId, useOwnerTransport }) => {
          if (transportId === null && useOwnerTransport !== true)
            return changes.removeFromEmail(emailId)
          const change = useOwnerTransport === undefined ? {} : { useOwnerTransport }
          return changes.assignToEmail(emailId, { transportId, ...change })
        },
      }),
    toUsers: (entries) =>
      assignInParts(storage, entries, {
        table: 'users',
        label: 'User',
        idOf: ({ userId }) => userId,
        write: async (changes, { userId, transportId }) =>
          transportId === null
            ? changes.removeFromUser(userId)
            : changes.assignToUser(userId, transportId),
      }),
  }
}

/** What is assigned, and how one entry is written. */
interface AssignedKind<Entry> {
  table: 'emails' | 'users'
  label: string
  idOf: (entry: Entry) => number
  write: (changes: AssignmentChanges, entry: Entry) => Promise<void>
}

async function assignInParts<Entry extends { transportId: number | null }>(
  storage: Storage,
  entries: readonly Entry[],
  kind: AssignedKind<Entry>,
): Promise<BatchItemResult<number>[]> {
  const results: BatchItemResult<number>[] = []
  for (let start = 0; start < entries.length; start += itemsPerTransaction) {
    const some = entries.slice(start, start + itemsPerTransaction)
    const written = storage.transaction(
      (tx: Transaction<object>) => assignSome(tx, some, kind),
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

type IdTables = Record<'emails' | 'users' | 'transports', { id: number }>

async function assignSome<Entry extends { transportId: number | null }>(
  tx: Transaction<object>,
  entries: readonly Entry[],
  { table, label, idOf, write }: AssignedKind<Entry>,
): Promise<BatchItemResult<number>[]> {
  const targets = await findIds(tx, table, entries.map(idOf))
  const transportIds = entries.flatMap(({ transportId }) => transportId ?? [])
  const transports = await findIds(tx, 'transports', transportIds)
  const changes = changesIn(tx)
  const results: BatchItemResult<number>[] = []
  for (const entry of entries) {
    const id = idOf(entry)
    const { transportId } = entry
    if (!targets.has(id)) results.push(failed(notFound(label, id)))
    else if (transportId !== null && !transports.has(transportId))
      results.push(failed(notFound('Transport', transportId)))
    else {
      await write(changes, entry)
      results.push(done(id))
    }
  }
  return results
}

async function findIds(
  tx: Transaction<object>,
  table: keyof IdTables,
  ids: readonly number[],
): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const query = tx.withTables<IdTables>().selectFrom(table).select('id')
  const rows = await query.where('id', 'in', [...new Set(ids)]).execute()
  return new Set(rows.map(({ id }) => id))
}

function notFound(label: string, id: number): AppError {
  return new AppError('not_found', `${label.toLowerCase()}_not_found`, `${label} not found: ${id}`)
}
