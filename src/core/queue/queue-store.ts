import {
  type Kysely,
  type QueryExecutorProvider,
  type RawBuilder,
  sql,
  type Transaction,
} from 'kysely'
import { AppError } from '../../kit/app-error.ts'
import type { DatabaseFeatures, SealedBytes, Storage } from '../../platform/storage/index.ts'
import type {
  DeliveryRow,
  DeliveryTables,
  GroupCommit,
  Lane,
  OnUnattempted,
} from '../delivery/index.ts'
import {
  acknowledge,
  findOriginal,
  OutcomeEvents,
  releaseKeys,
  storableText,
} from '../delivery/index.ts'
import type { FailedRecipient } from '../mime/index.ts'
import { type AddedRecipient, createAddMessages, type NewQueueMessage } from './add-messages.ts'
import { createOutcomeRow, type UnattemptedOutcome } from './outcome-row.ts'
import type { QueueState } from './shown-state.ts'
import type { QueueMessageRow, QueueRecipientRow, QueueTables } from './table.ts'

type Tables = QueueTables & DeliveryTables

/** A recipient that this process has claimed. */
export type ClaimedRecipient = Pick<
  QueueRecipientRow,
  | 'id'
  | 'message_id'
  | 'address'
  | 'attempts'
  | 'lane'
  | 'transport_id'
  | 'message_key'
  | 'due_at'
  | 'brake_id'
  | 'brand_id'
  | 'decided_by'
>

/** A message without its encrypted body. */
export type MessageFacts = Omit<QueueMessageRow, 'body' | 'key_id'>

/** A message, and its encrypted body if it is not large. */
export interface QueuedMessage {
  message: MessageFacts
  body: SealedBytes | undefined
}

/** Messages above this size are read and decrypted a few at a time. */
export const largeMessageBytes = 262_144

/** To write so many bytes takes about as long as to write a row. */
const bytesPerRow = 50_000

const factColumns = [
  'id',
  'created_at',
  'expires_at',
  'lane',
  'caller',
  'submitter',
  'sender',
  'message_id',
  'subject',
  'mautic_id',
  'email_id',
  'contact_id',
  'rendered',
  'size_bytes',
] as const satisfies readonly (keyof MessageFacts)[]

/** Some recipients that are due: those that the same transport was chosen for. */
export interface DueRecipients {
  transportId: number
  lane: Lane
  limit: number
}

/** What is due. */
export interface DueTransports {
  /** The values of `transport_id` with due recipients, and the lanes of these. */
  lanesByTransport: Map<number, Lane[]>
  /** When the next of the other recipients is due, in milliseconds since the epoch; undefined if there is none. */
  nextAt: number | undefined
}

/** What follows an attempt for a claimed recipient. */
export type Settlement =
  | {
      id: number
      state: 'done'
      /**
       * The key of an accepted message without a Message-ID, and when it was accepted. Its client was answered 250 when it was
       * stored, before its key was in the delivery log; from now on the same bytes count as a retry for five minutes only.
       */
      accepted?: { messageKeys: readonly string[]; at: number } | undefined
      /** What the sender will be notified of; see `Notices`. */
      notice?: FailedRecipient | undefined
      /** What the delivery log gets, of an end without an attempt. */
      expired?: { outcome: UnattemptedOutcome; at: number } | undefined
    }
  | (SettledAttempt & { state: Extract<QueueState, 'queued' | 'uncertain'> })
  | (SettledAttempt & { state: Extract<QueueState, 'held'>; brakeId: number | null })

/** An attempt after which the recipient stays in the queue. */
interface SettledAttempt {
  id: number
  dueAt: number
  attempts: number
  problem: string
  transportId: number
  /** That of the message with this transport; see `noBrand`. */
  brand: number
  /** See `QueueRecipientRow.waits_for`. */
  waitsFor: number | null
}

/**
 * Claims a message that must be stored once, whichever process stores it, in the transaction that stores it. Returns false
 * where another process has done that.
 */
export type ClaimMessage = (tx: Transaction<DeliveryTables>) => Promise<boolean>

export interface QueueStoreOptions {
  storage: Storage
  processId: string
  group: GroupCommit
  /** Called with the size of deleted messages. */
  onRemoved: (bytes: number) => void
  onUnattempted?: OnUnattempted | undefined
  outcomeEvents?: OutcomeEvents | undefined
}

/** The SQL of the queue. Small writes are combined into group commits. */
export class QueueStore {
  readonly #options: QueueStoreOptions
  readonly #db: Kysely<Tables>
  readonly #outcomeEvents: OutcomeEvents
  readonly #addMessages: ReturnType<typeof createAddMessages>
  readonly #add: (message: NewQueueMessage) => Promise<readonly AddedRecipient[]>
  readonly #settle: (settlement: Settlement) => Promise<Settled>

  constructor(options: QueueStoreOptions) {
    const { storage, group } = options
    this.#options = options
    this.#db = storage.tables<Tables>()
    this.#outcomeEvents = options.outcomeEvents ?? new OutcomeEvents(undefined)
    this.#addMessages = createAddMessages(storage.tables<DeliveryTables>())
    this.#add = group.batched(this.#addMessages, rowsOf)
    this.#settle = group.batched((tx, all: readonly Settlement[]) =>
      this.#settleAll(tx.withTables<Tables>(), all),
    )
  }

  /**
   * Resolves once the message is on the disk; adds none where a claim fails. Throws an AppError (`upstream`) if it is not on
   * the disk.
   */
  async add(message: NewQueueMessage, claim?: ClaimMessage): Promise<readonly AddedRecipient[]> {
    if (claim !== undefined)
      return this.#options.storage.transaction(async (tx: Transaction<DeliveryTables>) => {
        const [added = []] = (await claim(tx)) ? await this.#addMessages(tx, [message]) : []
        return added
      })
    const added = await this.#add(message)
    await this.#options.group.flush()
    return added
  }

  /** Skips from one transport to the next in the index, so that it costs little for a million recipients. */
  async findDue(now: number): Promise<DueTransports> {
    const following = (after: RawBuilder<unknown>) =>
      sql`select min(transport_id) from queue_recipients where state = 'queued' and transport_id > ${after}`
    const { rows } = await sql<{ id: number; lane: Lane; due_at: number }>`
      with recursive transports (id) as (
        select (${following(sql`-1000000000`)})
        union all select (${following(sql`transports.id`)}) from transports where transports.id is not null),
      lanes (lane) as (values ('transactional'), ('bulk'))
      select id, lane, due_at from (
        select transports.id, lanes.lane, (
          select min(due_at) from queue_recipients
          where state = 'queued' and transport_id = transports.id and lane = lanes.lane) as due_at
        from transports, lanes where transports.id is not null) heads
      where due_at is not null order by due_at`.execute(this.#db)
    const due = rows.filter((row) => row.due_at <= now)
    const lanesByTransport = new Map<number, Lane[]>()
    for (const { id, lane } of due)
      lanesByTransport.set(id, [...(lanesByTransport.get(id) ?? []), lane])
    return { lanesByTransport, nextAt: rows[due.length]?.due_at }
  }

  /** Claims recipients that are due, the oldest first. Returns none if this process has expired. */
  claim({ transportId, lane, limit }: DueRecipients, now: number): Promise<ClaimedRecipient[]> {
    const claim = async (tx: Transaction<Tables>) => {
      // The lock makes a process that expires this one wait, or this one sees that it has expired.
      const alive = tx.selectFrom('delivery_processes').select('id')
      const process = alive.where('id', '=', this.#options.processId).forKeyShare()
      if ((await process.executeTakeFirst()) === undefined) return []
      const { rows } = await sql<ClaimedRecipient>`
        update queue_recipients set state = 'claimed', claimed_by = ${this.#options.processId}, waits_for = null
        where id in (
          select id from queue_recipients
          where state = 'queued' and transport_id = ${transportId} and lane = ${lane}
            and due_at <= ${now}
          order by due_at limit ${limit} ${this.#options.storage.forUpdateSkipLocked()})
        returning id, message_id, address, attempts, lane, transport_id, message_key, due_at, brake_id, brand_id, decided_by`.execute(
        tx,
      )
      return rows
    }
    return this.#options.storage.transaction(claim, { isFlushDeferred: true })
  }

  /** Returns messages, with their bodies unless these are large. */
  async findMessages(ids: readonly number[]): Promise<QueuedMessage[]> {
    if (ids.length === 0) return []
    const body = sql<Uint8Array | null>`case when size_bytes <= ${largeMessageBytes} then body end`
    const rows = await this.#db
      .selectFrom('queue_messages')
      .select([...factColumns, 'key_id', body.as('body')])
      .where(this.#options.storage.isAmong('id', ids))
      .execute()
    return rows.map(({ key_id: keyId, body: sealed, ...message }) => {
      return { message, body: sealed === null ? undefined : { keyId, sealed } }
    })
  }

  /** Returns the encrypted body of a message. Throws an AppError (`not_found`) if the message was deleted. */
  async getBody(id: number): Promise<SealedBytes> {
    const query = this.#db.selectFrom('queue_messages').select(['key_id', 'body'])
    const row = await query.where('id', '=', id).executeTakeFirst()
    if (row === undefined)
      throw new AppError('not_found', 'queued_message_not_found', 'Queued message not found')
    return { keyId: row.key_id, sealed: row.body }
  }

  /**
   * Records what follows an attempt for a claimed recipient; deletes messages whose last recipient is done. Returns when the
   * recipient is due again; undefined if it is not.
   */
  async settle(settlement: Settlement): Promise<number | undefined> {
    const { dueAt, bytes = 0, expired } = await this.#settle(settlement)
    this.#options.onRemoved(bytes)
    if (expired !== undefined) {
      this.#options.onUnattempted?.(expired)
      this.#outcomeEvents.notify([expired.outcome])
    }
    return dueAt
  }

  /** Allows another attempt of a message whose outcome is uncertain. */
  async releaseUncertain(messageKey: string): Promise<void> {
    const db = this.#options.storage.tables<DeliveryTables>()
    const original = await findOriginal(db, [messageKey])
    if (original?.outcome === 'uncertain') await releaseKeys(db, [original])
  }

  /** Deletes some uncertain recipients that were added before a time: their delivery is deleted, so they cannot be settled. */
  async removeOldUncertain({ before, limit }: { before: number; limit: number }): Promise<void> {
    const bytes = await this.#options.storage.transaction(async (tx: Transaction<Tables>) => {
      const { rows } = await sql<{ id: number }>`select id from queue_recipients
        where state = 'uncertain' and created_at < ${before} limit ${limit}`.execute(tx)
      const ids = rows.map(({ id }) => id)
      return (await removeRecipients(tx, this.#options.storage, { ids })).bytes
    })
    this.#options.onRemoved(bytes)
  }

  /** Returns the claims of this process to the queue, except those of the given recipients. */
  async releaseClaims(exceptIds: readonly number[] = []): Promise<void> {
    await this.#db
      .updateTable('queue_recipients')
      .set({ state: 'queued', claimed_by: null })
      .where('claimed_by', '=', this.#options.processId)
      .where((where) => where.not(this.#options.storage.isAmong('id', exceptIds)))
      .execute()
  }

  /**
   * Writes settlements. A claim that this process has lost, because others considered it expired, is left alone, unless it is
   * uncertain: this process knows its outcome.
   */
  async #settleAll(tx: Transaction<Tables>, all: readonly Settlement[]): Promise<Settled[]> {
    const { storage, processId } = this.#options
    const deliveries = tx.withTables<DeliveryTables>()
    const ends = new Map(
      all.flatMap((each) => (each.state === 'done' ? [[each.id, each] as const] : [])),
    )
    for (const { id, notice } of ends.values())
      if (notice !== undefined) await addNotice(tx, processId, id, notice)
    const ids = [...ends.keys()]
    const { removed } = await removeRecipients(tx, storage, { ids, processId })
    const settled = new Map<number, Settled>()
    for (const { id, bytes } of removed) {
      const end = ends.get(id)?.expired
      const row = end && createOutcomeRow(end.outcome, { startedAt: end.at, processId })
      settled.set(id, { bytes, expired: row })
    }
    const expired = [...settled.values()].flatMap((each) => each.expired ?? [])
    if (expired.length > 0) await this.#outcomeEvents.insert(deliveries, expired)
    for (const each of all)
      if (each.state !== 'done') settled.set(each.id, { dueAt: await this.#settleOne(tx, each) })
      else if (each.accepted !== undefined) await acknowledge(deliveries, each.accepted)
    return all.map(({ id }) => settled.get(id) ?? {})
  }

  /**
   * Writes what follows for a recipient that stays in the queue: it was claimed, or another process took it for uncertain.
   * Returns when it is due again; undefined if it is not.
   */
  async #settleOne(
    tx: Transaction<Tables>,
    each: Exclude<Settlement, { state: 'done' }>,
  ): Promise<number | undefined> {
    const update = tx.updateTable('queue_recipients').set({
      state: stateOf(each),
      due_at: each.dueAt,
      attempts: each.attempts,
      problem: storableText(each.problem),
      transport_id: each.transportId,
      brand_id: each.brand,
      waits_for: each.waitsFor,
      claimed_by: null,
      brake_id: each.state === 'held' ? each.brakeId : null,
    })
    const settle = update.where('id', '=', each.id).returning('due_at')
    const claimed = await settle
      .where('claimed_by', '=', this.#options.processId)
      .executeTakeFirst()
    const row = claimed ?? (await settle.where('state', '=', 'uncertain').executeTakeFirst())
    return each.state === 'queued' ? row?.due_at : undefined
  }
}

interface Settled {
  /** See `RemovedRecipients`. */
  bytes?: number
  /** When the recipient is due again; undefined if it is not. */
  dueAt?: number | undefined
  /** What was logged of it. */
  expired?: Omit<DeliveryRow, 'id'> | undefined
}

/** A person may have released the transport during the attempt. */
function stateOf(each: Exclude<Settlement, { state: 'done' }>) {
  if (each.state !== 'held' || each.brakeId !== null) return each.state
  return sql<QueueState>`case when exists (
    select 1 from queue_holds where queue_holds.transport_id = ${each.transportId})
    then 'held' else 'queued' end`
}

/** How many rows a message is worth in a group commit: a large one is committed alone, so that others wait for one only. */
function rowsOf({ recipients, message }: NewQueueMessage): number {
  return recipients.length + 1 + Math.floor(message.size_bytes / bytesPerRow)
}

async function addNotice(
  tx: Transaction<Tables>,
  processId: string,
  id: number,
  notice: FailedRecipient,
): Promise<void> {
  await sql`insert into queue_notices (message_id, status)
    select message_id, cast(${JSON.stringify(notice)} as text)
    from queue_recipients where id = ${id} and ${isSettledBy(processId)}`.execute(tx)
}

/** Whether a process may record the outcome of a recipient. */
function isSettledBy(processId: string) {
  return sql<boolean>`(claimed_by = ${processId} or state = 'uncertain')`
}

export interface RemovedRecipients {
  /** Each with the size of its message if that was deleted with it; of several that were the last ones, one has it. */
  removed: { id: number; bytes: number }[]
  /** The size of the deleted messages. */
  bytes: number
}

/**
 * Deletes recipients, and each message that has none left and no notices. `processId`: only those that this process may
 * settle.
 */
export async function removeRecipients(
  tx: Transaction<Tables>,
  storage: DatabaseFeatures,
  { ids, processId }: { ids: readonly number[]; processId?: string },
): Promise<RemovedRecipients> {
  if (ids.length === 0) return { removed: [], bytes: 0 }
  // Two processes that each delete one of the last two recipients would both leave the message.
  await lockMessages(tx, storage, ids)
  let removal = tx.deleteFrom('queue_recipients').where(storage.isAmong('id', ids))
  if (processId !== undefined) removal = removal.where(isSettledBy(processId))
  const rows = await removal.returning(['id', 'message_id']).execute()
  const lastOf = new Map(rows.map((row) => [row.message_id, row.id]))
  const finished = await removeFinished(tx, storage, [...lastOf.keys()])
  const bytesOf = new Map(finished.map((row) => [lastOf.get(row.id), row.size_bytes]))
  const removed = rows.map(({ id }) => ({ id, bytes: bytesOf.get(id) ?? 0 }))
  return { removed, bytes: sizeOf(finished) }
}

/** Returns the size of messages. */
export function sizeOf(messages: readonly { size_bytes: number }[]): number {
  return messages.reduce((sum, { size_bytes: bytes }) => sum + bytes, 0)
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

/** Deletes those of some messages that have no recipients and no notices left; returns these. */
export async function removeFinished(
  tx: Transaction<Tables>,
  storage: DatabaseFeatures,
  ids: readonly number[],
): Promise<Pick<QueueMessageRow, 'id' | 'size_bytes'>[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<Pick<QueueMessageRow, 'id' | 'size_bytes'>>`
    delete from queue_messages where ${storage.isAmong('id', ids)}
      and not exists (select 1 from queue_recipients r where r.message_id = queue_messages.id)
      and not exists (select 1 from queue_notices n where n.message_id = queue_messages.id)
    returning id, size_bytes`.execute(tx)
  return rows
}
