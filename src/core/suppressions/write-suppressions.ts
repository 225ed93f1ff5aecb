import type { QueryExecutorProvider, Transaction } from 'kysely'
import { batches } from '../../kit/batches.ts'
import { type Caller, ownUserId } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import { emailKey } from '../../kit/normalize-for-search.ts'
import { excluded, newRecordStamp, type Storage } from '../../platform/storage/index.ts'
import { type Evidence, toColumns } from './columns.ts'
import { type SuppressionInput, type SuppressionItem, suppressionRecord } from './schema.ts'
import { identityKey, type SuppressionReason, type SuppressionScope } from './scope.ts'
import type { SuppressionRow, SuppressionTables } from './table.ts'

/** A suppression of another system, and when that system added it, in milliseconds since the epoch. */
export type ImportedSuppression = SuppressionInput & { addedAt?: number }

/** A suppression that Mailyard itself adds, with what found it. */
export type NewSuppression = SuppressionInput & { evidence?: Evidence }

/** A suppression that was added or changed. */
export type AddedSuppression = Pick<
  SuppressionItem,
  'address' | 'reason' | 'senderDomain' | 'source' | 'brand'
>

/** Called after suppressions were added or changed; with the transaction, if that is not committed yet. */
export type NoteAdded = (
  added: readonly AddedSuppression[],
  tx?: Transaction<object>,
) => Promise<void>

/** Called in the transaction that creates suppressions. */
export type OnCreated = (
  created: readonly AddedSuppression[],
  tx: QueryExecutorProvider,
) => Promise<void>

/** A suppression that was deleted; with the brands for which the address is still suppressed for this reason. */
export type RemovedSuppression = Pick<AddedSuppression, 'address' | 'reason' | 'brand'> & {
  brandsLeft?: readonly number[]
}

/** Called after suppressions were deleted. */
export type NoteRemoved = (removed: readonly RemovedSuppression[]) => Promise<void>

export interface WriterOptions {
  storage: Storage
  clock: Clock
  /** It throws only in a transaction. */
  noteAdded: NoteAdded
  noteCommitted: () => void
  onCreated: OnCreated
  noteRemoved: NoteRemoved
}

type Tx = Transaction<SuppressionTables>

const { toValues: toAdded } = suppressionRecord

/** 17 values each: below the limit of SQLite for one statement. */
const rowsPerStatement = 500
const system = { name: 'Mailyard', userId: undefined }

/** Writes suppressions beside the API of single records. */
export type SuppressionWriter = ReturnType<typeof openWriter>

export function openWriter(options: WriterOptions) {
  const { storage, clock, noteAdded, noteCommitted, onCreated, noteRemoved } = options
  const db = storage.tables<SuppressionTables>()
  const addIn = async (tx: Tx, inputs: readonly NewSuppression[]) => {
    const stamp = newRecordStamp({ caller: system, clock })
    const rows = inputs.map((input) => ({ ...toColumns(input, input.evidence), ...stamp }))
    const added = await tx
      .insertInto('suppressions')
      .values(distinctRows(rows))
      .onConflict((conflict) =>
        conflict
          .column('identity_key')
          .doUpdateSet((row) => ({
            ...excluded('reason', 'source', 'search_text', 'transport_id', 'delivery_id'),
            date_modified: clock.now(),
            modified_by: system.name,
            revision: row('suppressions.revision', '+', 1),
          }))
          .where('suppressions.reason', '=', 'unsubscribed')
          .where('excluded.reason', '=', 'complained'),
      )
      .returning(addedColumns)
      .execute()
    await onCreated(added.filter(isNew).map(toAdded), tx)
    return added.map(toAdded)
  }
  return {
    /**
     * Adds suppressions; one that exists for the same address and scope stays as it is, but a complaint takes the place of an
     * unsubscribe: it stops more. The first of two inputs with the same address and scope counts in the same way. In a
     * transaction, what others are notified of is written in it, too: call `noteCommitted` after it.
     *
     * @returns Those that were added or changed.
     */
    async add(
      inputs: readonly NewSuppression[],
      tx?: Transaction<object>,
    ): Promise<readonly AddedSuppression[]> {
      if (inputs.length === 0) return []
      const added =
        tx === undefined
          ? await storage.transaction((ownTx: Tx) => addIn(ownTx, inputs))
          : await addIn(tx.withTables<SuppressionTables>(), inputs)
      await noteAdded(added, tx)
      return added
    },
    /** Call it after the commit of a transaction that added suppressions. */
    noteCommitted,
    /** Adds suppressions; one that exists for the same address and scope is changed. Returns how many did not exist, and did. */
    async importAll(inputs: readonly ImportedSuppression[], caller: Caller) {
      const sum = { created: 0, updated: 0 }
      for (const batch of batches(inputs, rowsPerStatement)) {
        const created = await storage.transaction(async (tx: Tx) => {
          const written = await upsert(tx, batch, { caller, clock })
          const createdRows = written.filter(isNew)
          await onCreated(createdRows.map(toAdded), tx)
          return createdRows.length
        })
        sum.created += created
        sum.updated += batch.length - created
        await noteAdded(batch.map((input) => toAdded(toColumns(input))))
      }
      return sum
    },
    /** The reason for which this address and scope is suppressed; undefined if it is not. */
    async reasonFor(address: string, scope: SuppressionScope) {
      const query = db.selectFrom('suppressions').select('reason')
      const key = identityKey(address, scope)
      return (await query.where('identity_key', '=', key).executeTakeFirst())?.reason
    },
    /** Removes the suppression of an address and a scope if it has this reason. */
    async lift(address: string, scope: SuppressionScope, reason: SuppressionReason) {
      const key = identityKey(address, scope)
      const removal = db.deleteFrom('suppressions').where('identity_key', '=', key)
      await removal.where('reason', '=', reason).execute()
    },
    /** Removes the suppressions of addresses, in every scope, that have this source, and takes back what was reported of them. */
    async liftBySource(addresses: readonly string[], source: string) {
      if (addresses.length === 0) return
      const removed = await db
        .deleteFrom('suppressions')
        .where('address_key', 'in', addresses.map(emailKey))
        .where('source', '=', source)
        .returning(['address', 'reason', 'brand_id as brand'])
        .execute()
      await noteRemoved(removed)
    },
    /** Gives suppressions with the same addresses and scopes the sources of `inputs`, where their own source is gone. */
    async replaceSources(inputs: readonly SuppressionInput[], isGone: (source: string) => boolean) {
      if (inputs.length === 0) return
      const byKey = new Map(
        inputs.map((input) => {
          const columns = toColumns(input)
          return [columns.identity_key, columns]
        }),
      )
      const rows = await db
        .selectFrom('suppressions')
        .select(['id', 'identity_key', 'source'])
        .where('identity_key', 'in', [...byKey.keys()])
        .execute()
      for (const { id, identity_key: key, source: before } of rows) {
        const columns = byKey.get(key)
        if (columns === undefined || before === null || !isGone(before)) continue
        const { source, search_text } = columns
        await db
          .updateTable('suppressions')
          .set((set) => ({ source, search_text, revision: set('revision', '+', 1) }))
          .where('id', '=', id)
          .where('source', '=', before)
          .execute()
      }
    },
  }
}

/**
 * One row for each address and scope: PostgreSQL changes no row twice in a statement. In the order of their keys, so that two
 * transactions cannot deadlock.
 */
function distinctRows<Row extends { identity_key: string; reason: SuppressionReason }>(
  rows: readonly Row[],
): Row[] {
  const byKey = new Map<string, Row>()
  for (const row of rows) {
    const before = byKey.get(row.identity_key)
    const stopsMore = before?.reason === 'unsubscribed' && row.reason === 'complained'
    if (before === undefined || stopsMore) byKey.set(row.identity_key, row)
  }
  return [...byKey].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row)
}

const addedColumns = [
  'address',
  'reason',
  'sender_domain',
  'source',
  'brand_id',
  'revision',
] as const
type WrittenRow = Pick<SuppressionRow, (typeof addedColumns)[number]>

/** Whether a suppression that was written did not exist before. */
function isNew({ revision }: WrittenRow): boolean {
  return revision === 1
}

/** Writes suppressions and returns their rows. The last of two inputs with the same address and scope counts. */
async function upsert(
  tx: Tx,
  inputs: readonly ImportedSuppression[],
  change: { caller: Caller; clock: Clock },
): Promise<WrittenRow[]> {
  const { caller, clock } = change
  const stamp = newRecordStamp(change)
  const byKey = new Map(
    inputs.map((input) => {
      const columns = toColumns(input)
      const added = input.addedAt === undefined ? {} : { date_added: input.addedAt }
      return [columns.identity_key, { ...columns, ...stamp, ...added }]
    }),
  )
  return tx
    .insertInto('suppressions')
    .values([...byKey.values()])
    .onConflict((conflict) =>
      conflict.column('identity_key').doUpdateSet((row) => ({
        ...excluded('address', 'reason', 'source', 'search_text'),
        date_modified: clock.now(),
        modified_by: caller.name,
        modified_by_id: ownUserId(caller) ?? null,
        revision: row('suppressions.revision', '+', 1),
      })),
    )
    .returning(addedColumns)
    .execute()
}
