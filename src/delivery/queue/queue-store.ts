import { type Kysely, type QueryExecutorProvider, sql, type Transaction } from 'kysely'
import { AppError } from '../../kit/app-error.ts'
import type { RecipientStatus } from '../../messages/index.ts'
import type { DatabaseFeatures, SealedBytes, Storage } from '../../storage/index.ts'
import { storableText } from '../log/delivery-row.ts'
import { createGroupCommit, type GroupCommit } from '../log/group-commit.ts'
import type { DeliveryTables } from '../table.ts'
import { type AddedRecipient, createAddMessages, type NewQueueMessage } from './add-messages.ts'
import {
  type Lane,
  type QueueMessageRow,
  type QueueRecipientRow,
  type QueueTables,
  repairedMeanwhile,
} from './table.ts'

type Tables = QueueTables & DeliveryTables

/** A recipient that this process has claimed. */
export type ClaimedRecipient = Pick<
  QueueRecipientRow,
  'id' | 'message_id' | 'address' | 'attempts' | 'lane' | 'transport_id' | 'message_key' | 'due_at'
>

/** A message without its encrypted body. */
export type MessageFacts = Omit<QueueMessageRow, 'body' | 'key_id'>

/** A message, and its encrypted body if it is not large. */
export interface QueuedMessage {
  message: MessageFacts
  body: SealedBytes | undefined
}

/** Messages above this size are read and decrypted a few at a time. */
export const largeBytes = 262_144

/** To write so many bytes takes about as long as to write a row. */
const bytesPerRow = 50_000

const factColumns = [
  ...(['id', 'created_at', 'expires_at', 'lane', 'caller', 'submitter', 'sender'] as const),
  ...(['notification', 'deliver_by', 'message_id', 'mautic_id'] as const),
  ...(['email_id', 'contact_id', 'rendered', 'size_bytes'] as const),
] satisfies (keyof MessageFacts)[]

/** Some recipients that are due: those that the same transport was chosen for. */
export interface Claim {
  transportId: number
  lane: Lane
  limit: number
}

/** What is due. */
export interface DueTransports {
  /** The values of `transport_id` with due recipients. */
  transportIds: number[]
  /** When the next of the other recipients is due, in milliseconds since the epoch; undefined if there is none. */
  nextAt: number | undefined
}

/** What becomes of a claimed recipient after an attempt. */
export type Settlement =
  | {
      id: number
      state: 'done'
      /** The key of an accepted message without a Message-ID, and when it was accepted. */
      accepted?: { messageKey: string; at: number } | undefined
      /** What the sender will be notified of; see `Notices`. */
      notice?: { status: RecipientStatus; at: number } | undefined
    }
  | (SettledAttempt & { state: 'queued' | 'uncertain' })
  | (SettledAttempt & { state: 'held'; brakeId: number })

/** An attempt after which the recipient stays in the queue. */
interface SettledAttempt {
  id: number
  at: number
  dueAt: number
  attempts: number
  problem: string
  transportId: number
  /** See `QueueRecipientRow.waits_for`. If a route was repaired during the attempt, it is due at `at` instead. */
  waitsFor: number | null
}

/**
 * Claims a message that must be stored once, whichever process stores it, in the transaction that stores it. Returns false
 * where another process has done that.
 */
export type ClaimMessage = (tx: Transaction<DeliveryTables>) => Promise<boolean>

/** The SQL of the queue. Small writes are combined into group commits. */
export interface QueueStore {
  /**
   * Resolves once the message is on the disk; adds none where a claim fails. Throws an AppError (`upstream`) if it is not on
   * the disk.
   */
  add(message: NewQueueMessage, claim?: ClaimMessage): Promise<readonly AddedRecipient[]>
  findDue(now: number): Promise<DueTransports>
  /** Claims recipients that are due, the oldest first. Returns none if this process has expired. */
  claim(claim: Claim, now: number): Promise<ClaimedRecipient[]>
  /** Returns messages, with their bodies unless these are large. */
  findMessages(ids: readonly number[]): Promise<QueuedMessage[]>
  /** Returns the encrypted body of a message. Throws an AppError (`not_found`) if the message was deleted. */
  getBody(id: number): Promise<SealedBytes>
  /**
   * Records what became of a claimed recipient; deletes messages whose last recipient is done. Returns when the recipient is
   * due again; undefined if it is not.
   */
  settle(settlement: Settlement): Promise<number | undefined>
  /** Deletes some uncertain recipients that were added before a time: their delivery is deleted, so they cannot be settled. */
  removeOldUncertain(old: { before: number; limit: number }): Promise<void>
  /** Returns the claims of this process to the queue, except those of the given recipients. */
  releaseClaims(exceptIds?: readonly number[]): Promise<void>
}

export interface QueueStoreOptions {
  storage: Storage
  processId: string
  /** Called with the size of deleted messages. */
  onRemoved: (bytes: number) => void
  /** Default: one of its own. */
  group?: GroupCommit
}

export function openQueueStore(options: QueueStoreOptions): QueueStore {
  const { storage, processId, onRemoved } = options
  const db = storage.tables<Tables>()
  const { group = createGroupCommit(storage) } = options
  const base = storage.tables<DeliveryTables>()
  const addMessages = createAddMessages(base)
  const add = group.batched(addMessages, rowsOf)
  const settle = group.batched(async (tx, all: readonly Settlement[]) => {
    const { bytes, dueAts } = await settleAll(tx.withTables<Tables>(), all, options)
    return dueAts.map((dueAt, index) => ({ dueAt, bytes: index === 0 ? bytes : 0 }))
  })
  return {
    async add(message, claim) {
      if (claim !== undefined)
        return storage.transaction(async (tx: Transaction<DeliveryTables>) => {
          const [added = []] = (await claim(tx)) ? await addMessages(tx, [message]) : []
          return added
        })
      const added = await add(message)
      await group.flush()
      return added
    },
    findDue: (now) => findDue(db, now),
    claim: (claim, now) => claimDue(options, claim, now),
    async findMessages(ids) {
      if (ids.length === 0) return []
      const body = sql<Uint8Array | null>`case when size_bytes <= ${largeBytes} then body end`
      const query = db.selectFrom('queue_messages').select([...factColumns, 'key_id'])
      const found = query.select(body.as('body')).where(storage.isAmong('id', ids))
      const rows = await found.execute()
      return rows.map(({ key_id: keyId, body: sealed, ...message }) => {
        return { message, body: sealed === null ? undefined : { keyId, sealed } }
      })
    },
    async getBody(id) {
      const query = db.selectFrom('queue_messages').select(['key_id', 'body']).where('id', '=', id)
      const row = await query.executeTakeFirst()
      if (row === undefined)
        throw new AppError('not_found', 'queued_message_not_found', 'Queued message not found')
      return { keyId: row.key_id, sealed: row.body }
    },
    async settle(settlement) {
      const { dueAt, bytes } = await settle(settlement)
      onRemoved(bytes)
      return dueAt
    },
    removeOldUncertain: async (old) => onRemoved(await removeOldUncertain(storage, old)),
    async releaseClaims(exceptIds = []) {
      const claimed = db.updateTable('queue_recipients').set({ state: 'queued', claimed_by: null })
      await claimed
        .where('claimed_by', '=', processId)
        .where((where) => where.not(storage.isAmong('id', exceptIds)))
        .execute()
    },
  }
}

/** Skips from one transport to the next in the index, so that it costs little for a million recipients. */
async function findDue(db: Kysely<Tables>, now: number): Promise<DueTransports> {
  const next = (after: ReturnType<typeof sql>) =>
    sql`select min(transport_id) from queue_recipients where state = 'queued' and transport_id > ${after}`
  const { rows } = await sql<{ id: number; due_at: number }>`
    with recursive transports (id) as (
      select (${next(sql`-1000000000`)})
      union all select (${next(sql`transports.id`)}) from transports where transports.id is not null),
    lanes (lane) as (values ('transactional'), ('bulk'))
    select id, due_at from (
      select transports.id, (
        select min(due_at) from queue_recipients
        where state = 'queued' and transport_id = transports.id and lane = lanes.lane) as due_at
      from transports, lanes where transports.id is not null) heads
    where due_at is not null order by due_at`.execute(db)
  const due = rows.filter((row) => row.due_at <= now)
  return {
    transportIds: [...new Set(due.map(({ id }) => id))],
    nextAt: rows[due.length]?.due_at,
  }
}

/** How many rows a message is worth in a group commit: a large one is committed alone, so that others wait for one only. */
function rowsOf({ recipients, message }: NewQueueMessage): number {
  return recipients.length + 1 + Math.floor(message.size_bytes / bytesPerRow)
}

function claimDue(
  { storage, processId }: QueueStoreOptions,
  { transportId, lane, limit }: Claim,
  now: number,
): Promise<ClaimedRecipient[]> {
  return storage.transaction(
    async (tx: Transaction<Tables>) => {
      // The lock makes a process that expires this one wait, or this one sees that it has expired.
      const alive = tx.selectFrom('delivery_processes').select('id').where('id', '=', processId)
      if ((await alive.forKeyShare().executeTakeFirst()) === undefined) return []
      const lock = storage.forUpdateSkipLocked()
      const { rows } = await sql<ClaimedRecipient>`
        update queue_recipients set state = 'claimed', claimed_by = ${processId}, waits_for = null
        where id in (
          select id from queue_recipients
          where state = 'queued' and transport_id = ${transportId} and lane = ${lane}
            and due_at <= ${now}
          order by due_at limit ${limit} ${lock})
        returning id, message_id, address, attempts, lane, transport_id, message_key, due_at`.execute(
        tx,
      )
      return rows
    },
    { isFlushDeferred: true },
  )
}

interface Settled {
  /** The size of the deleted messages. */
  bytes: number
  /** When each recipient is due again; undefined if it is not. */
  dueAts: readonly (number | undefined)[]
}

/**
 * Writes settlements. A claim that this process has lost, because others considered it expired, is left alone, unless it is
 * uncertain: this process knows its outcome.
 */
async function settleAll(
  tx: Transaction<Tables>,
  all: readonly Settlement[],
  { storage, processId }: QueueStoreOptions,
): Promise<Settled> {
  const done = all.filter((each) => each.state === 'done').map(({ id }) => id)
  for (const each of all)
    if (each.state === 'done' && each.notice !== undefined)
      await addNotice(tx, processId, { id: each.id, ...each.notice })
  const bytes = await removeRecipients(tx, storage, { ids: done, processId })
  const dueAts: (number | undefined)[] = []
  for (const each of all) {
    if (each.state === 'done') {
      if (each.accepted !== undefined) await acknowledge(tx, each.accepted)
      dueAts.push(undefined)
      continue
    }
    const row = await tx
      .updateTable('queue_recipients')
      .set({
        state: each.state,
        due_at: dueAtOf(each),
        attempts: each.attempts,
        problem: storableText(each.problem),
        transport_id: each.transportId,
        waits_for: each.waitsFor,
        claimed_by: null,
        brake_id: each.state === 'held' ? each.brakeId : null,
      })
      .where('id', '=', each.id)
      .where(isSettledBy(processId))
      .returning('due_at')
      .executeTakeFirst()
    dueAts.push(each.state === 'queued' ? row?.due_at : undefined)
  }
  return { bytes, dueAts }
}

/** What the recipient waits for may have been repaired during the attempt. */
function dueAtOf({ dueAt, at, waitsFor }: SettledAttempt) {
  if (waitsFor === null) return dueAt
  return sql<number>`case when waits_for = ${sql.lit(repairedMeanwhile)}
    then cast(${Math.min(at, dueAt)} as bigint) else cast(${dueAt} as bigint) end`
}

async function addNotice(
  tx: Transaction<Tables>,
  processId: string,
  { id, status, at }: { id: number; status: RecipientStatus; at: number },
): Promise<void> {
  await sql`insert into queue_notices (message_id, status, created_at)
    select message_id, cast(${JSON.stringify(status)} as text), cast(${at} as bigint)
    from queue_recipients where id = ${id} and ${isSettledBy(processId)}`.execute(tx)
}

/**
 * The client was answered 250 when the message was stored, before its key was in the delivery log. From now on the same
 * bytes count as a retry for five minutes, and then as a new message.
 */
async function acknowledge(
  tx: Transaction<Tables>,
  { messageKey, at }: { messageKey: string; at: number },
): Promise<void> {
  const update = tx.updateTable('delivery_keys').set({ acknowledged_at: at })
  await update.where('key', '=', messageKey).where('acknowledged_at', 'is', null).execute()
}

async function removeOldUncertain(
  storage: Storage,
  { before, limit }: { before: number; limit: number },
): Promise<number> {
  return storage.transaction(async (tx: Transaction<Tables>) => {
    const { rows } = await sql<{ id: number }>`select id from queue_recipients
      where state = 'uncertain' and created_at < ${before} limit ${limit}`.execute(tx)
    return removeRecipients(tx, storage, { ids: rows.map(({ id }) => id) })
  })
}

/** Whether a process may record what became of a recipient. */
function isSettledBy(processId: string) {
  return sql<boolean>`(claimed_by = ${processId} or state = 'uncertain')`
}

/**
 * Deletes recipients, and each message that has none left and no notices. `processId`: only those that this process may
 * settle. Returns the size of the deleted messages in bytes.
 */
export async function removeRecipients(
  tx: Transaction<Tables>,
  storage: DatabaseFeatures,
  { ids, processId }: { ids: readonly number[]; processId?: string },
): Promise<number> {
  if (ids.length === 0) return 0
  // Two processes that each delete one of the last two recipients would both leave the message.
  await lockMessages(tx, storage, ids)
  let removal = tx.deleteFrom('queue_recipients').where(storage.isAmong('id', ids))
  if (processId !== undefined) removal = removal.where(isSettledBy(processId))
  const removed = await removal.returning('message_id').execute()
  const messageIds = [...new Set(removed.map((row) => row.message_id))]
  if (messageIds.length === 0) return 0
  return removeFinished(tx, storage, messageIds)
}

/** Locks the messages of some recipients, where rows are locked. */
export async function lockMessages(
  tx: QueryExecutorProvider,
  storage: DatabaseFeatures,
  ids: readonly number[],
): Promise<void> {
  if (!storage.locksRows) return
  await sql`select id from queue_messages where id in (
    select message_id from queue_recipients where ${storage.isAmong('id', ids)})
    order by id ${storage.forUpdate()}`.execute(tx)
}

/** Deletes those of some messages that have no recipients and no notices left; returns their size in bytes. */
export async function removeFinished(
  tx: Transaction<Tables>,
  storage: DatabaseFeatures,
  ids: readonly number[],
): Promise<number> {
  const { rows } = await sql<{ size_bytes: number }>`
    delete from queue_messages where ${storage.isAmong('id', ids)}
      and not exists (select 1 from queue_recipients r where r.message_id = queue_messages.id)
      and not exists (select 1 from queue_notices n where n.message_id = queue_messages.id)
    returning size_bytes`.execute(tx)
  return rows.reduce((sum, row) => sum + row.size_bytes, 0)
}
