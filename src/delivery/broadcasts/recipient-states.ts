import { sql, type Transaction } from 'kysely'
import type { DatabaseFeatures } from '../../storage/index.ts'
import type { SettledOutcome } from '../deliveries/settle-delivery.ts'
import type { DeliveryTables } from '../table.ts'
import { type CountChange, changeCounts, noChange } from './counts.ts'
import type { BroadcastTables, RecipientState } from './table.ts'

type Tables = BroadcastTables & DeliveryTables

/** A contact of a broadcast. */
export interface RecipientId {
  broadcastId: number
  emailId: number
  contactId: number
}

/** What becomes of a claimed recipient. */
export interface Settlement extends RecipientId {
  /** `queued`: it is due again at `dueAt`. */
  state: Exclude<RecipientState, 'claimed' | 'attempting'>
  dueAt: number
  /** The time of the attempt; null if there was none. */
  triedAt: number | null
  /** Whether an attempt was made. Default: true. */
  isAttempted?: boolean
}

/** The process that has claimed the recipients, and the time. */
export interface StateContext {
  storage: DatabaseFeatures
  processId: string
  now: number
}

/**
 * Marks recipients as `attempting`, in the transaction that logs the start of their attempts. Returns those that may be
 * sent to: this process has not expired and still claims them, and their broadcast runs.
 */
export async function startRecipients(
  transaction: Transaction<DeliveryTables>,
  recipients: readonly RecipientId[],
  { storage, processId }: Omit<StateContext, 'now'>,
): Promise<ReadonlySet<RecipientId>> {
  const started = new Set<RecipientId>()
  const tx = transaction.withTables<BroadcastTables>()
  // The lock makes a process that expires this one wait, or this one sees that it has expired.
  const alive = tx.selectFrom('delivery_processes').select('id').where('id', '=', processId)
  if ((await alive.forKeyShare().executeTakeFirst()) === undefined) return started
  const byBroadcast = Map.groupBy(recipients, ({ broadcastId }) => broadcastId)
  for (const [broadcastId, ofOne] of [...byBroadcast].sort(([one], [other]) => one - other)) {
    // Pausing or cancelling it waits for the end of this transaction, and vice versa.
    const current = tx.selectFrom('broadcasts').select('state').where('id', '=', broadcastId)
    if ((await current.forKeyShare().executeTakeFirst())?.state !== 'running') continue
    const ids = ofOne.map(({ contactId }) => contactId)
    const { rows } = await sql<{ contact_id: number }>`update broadcast_recipients
      set state = 'attempting'
      where email_id = ${ofOne[0]?.emailId} and ${storage.isAmong('contact_id', ids)}
        and broadcast_id = ${broadcastId} and ${storage.unindexed('claimed_by')} = ${processId}
        and state = 'claimed'
      returning contact_id`.execute(tx)
    const contactIds = new Set(rows.map((row) => row.contact_id))
    for (const each of ofOne) if (contactIds.has(each.contactId)) started.add(each)
  }
  return started
}

/**
 * Writes what becomes of claimed recipients, and the counters of their broadcasts. If this process had expired
 * meanwhile, it replaces the state `uncertain` that another process has written. Returns those that it changed: repeated
 * after a lost answer, it changes nothing.
 */
export async function settleRecipients(
  transaction: Transaction<DeliveryTables>,
  settlements: readonly Settlement[],
  context: StateContext,
): Promise<ReadonlySet<Settlement>> {
  if (settlements.length === 0) return new Set()
  const tx = transaction.withTables<Tables>()
  const own = await writeSettlements(tx, settlements, { ...context, wasUncertain: false })
  const others = settlements.filter((each) => !own.has(each))
  const resolved = await writeSettlements(tx, others, { ...context, wasUncertain: true })
  const changed = new Set([...own, ...resolved])
  const counts = countChanges([...changed], resolved)
  await changeCounts(tx.withTables<BroadcastTables>(), counts, context.now)
  return changed
}

async function writeSettlements(
  tx: Transaction<Tables>,
  settlements: readonly Settlement[],
  { storage, processId, wasUncertain }: StateContext & { wasUncertain: boolean },
): Promise<Set<Settlement>> {
  const before = sql.raw(wasUncertain ? "('uncertain')" : "('claimed', 'attempting')")
  const changed = new Set<Settlement>()
  for (const [broadcastId, ofOne] of Map.groupBy(settlements, (each) => each.broadcastId)) {
    const given = storage.valuesByKey(
      { column: 'contact_id', common: { column: 'email_id', value: ofOne[0]?.emailId ?? 0 } },
      ofOne.map(({ contactId, state, dueAt, triedAt }) => [contactId, state, dueAt, triedAt]),
    )
    const triedAt = given.integer(3)
    const { rows } = await sql<{ contact_id: number }>`update broadcast_recipients set
        state = ${given.text(1)}, due_at = ${given.integer(2)}, claimed_by = null,
        attempts = attempts + case when ${triedAt} is null then 0 else 1 end,
        tried_at = coalesce(tried_at, ${triedAt})
      from ${given.from}
      where ${given.isRow} and broadcast_id = ${broadcastId}
        and ${storage.unindexed('claimed_by')} = ${processId} and state in ${before}
      returning contact_id`.execute(tx)
    const contactIds = new Set(rows.map((row) => row.contact_id))
    for (const each of ofOne) if (contactIds.has(each.contactId)) changed.add(each)
  }
  return changed
}

function countChanges(
  settlements: readonly Settlement[],
  resolved: ReadonlySet<Settlement>,
): Map<number, CountChange> {
  const changes = new Map<number, CountChange>()
  for (const settlement of settlements) {
    const { broadcastId, state, dueAt, isAttempted = true } = settlement
    const change = changes.get(broadcastId) ?? { ...noChange, dueAt: undefined }
    changes.set(broadcastId, change)
    if (state === 'queued') change.dueAt = Math.min(change.dueAt ?? dueAt, dueAt)
    else {
      change[state] += 1
      if (isAttempted) change.attempted += 1
      if (isAttempted && state === 'refused') change.attemptedRefused += 1
    }
    if (resolved.has(settlement)) change.uncertain -= 1
  }
  return changes
}

/** Claims that are returned to the queue, and when they are due again. */
export interface Release {
  recipients: readonly RecipientId[]
  /** Default: now. */
  dueAt?: number | undefined
}

/** Returns claims to the queue for which no attempt was started. */
export async function releaseRecipients(
  transaction: Transaction<DeliveryTables>,
  releases: readonly Release[],
  { storage, processId, now }: StateContext,
): Promise<void> {
  const tx = transaction.withTables<BroadcastTables>()
  const changes = new Map<number, CountChange>()
  for (const { recipients, dueAt = now } of releases)
    for (const [id, ofOne] of Map.groupBy(recipients, ({ broadcastId }) => broadcastId)) {
      const contactIds = ofOne.map(({ contactId }) => contactId)
      await sql`update broadcast_recipients
        set state = 'queued', claimed_by = null, due_at = ${dueAt}
        where email_id = ${ofOne[0]?.emailId} and ${storage.isAmong('contact_id', contactIds)}
          and broadcast_id = ${id} and ${storage.unindexed('claimed_by')} = ${processId}
          and state = 'claimed'`.execute(tx)
      changes.set(id, { ...noChange, dueAt: Math.min(changes.get(id)?.dueAt ?? dueAt, dueAt) })
    }
  await changeCounts(tx, changes, now)
}

/** Returns all claims of some processes to the queue for which no attempt was started; returns their number. */
export async function releaseAll(
  transaction: Transaction<DeliveryTables>,
  processIds: readonly string[],
  now: number,
): Promise<number> {
  const tx = transaction.withTables<BroadcastTables>()
  const { rows } = await sql<{ broadcast_id: number }>`update broadcast_recipients
    set state = 'queued', claimed_by = null
    where claimed_by in (${sql.join(processIds)}) and state = 'claimed'
    returning broadcast_id`.execute(tx)
  const change = { ...noChange, dueAt: now }
  await changeCounts(tx, new Map(rows.map((row) => [row.broadcast_id, change])), now)
  return rows.length
}

/**
 * Recovers the recipients of expired processes: claimed ones go back to the queue; those of started attempts become
 * uncertain, as their deliveries. Returns the number of each.
 */
export async function recoverRecipients(
  transaction: Transaction<DeliveryTables>,
  processIds: readonly string[],
  now: number,
): Promise<{ requeued: number; uncertain: number }> {
  const tx = transaction.withTables<BroadcastTables>()
  const requeued = await releaseAll(transaction, processIds, now)
  // Their process stays named: if it still runs, it settles them.
  const { rows } = await sql<{ broadcast_id: number }>`update broadcast_recipients
    set state = 'uncertain', attempts = attempts + 1, tried_at = coalesce(tried_at, ${now})
    where claimed_by in (${sql.join(processIds)}) and state = 'attempting'
    returning broadcast_id`.execute(tx)
  const changes = new Map<number, CountChange>()
  for (const { broadcast_id: id } of rows) {
    const uncertain = (changes.get(id)?.uncertain ?? 0) + 1
    changes.set(id, { ...noChange, uncertain, dueAt: undefined })
  }
  await changeCounts(tx, changes, now)
  return { requeued, uncertain: rows.length }
}

/**
 * Updates the recipient of a broadcast after an operator has settled its uncertain delivery. An accepted one is done. A
 * deferred one goes back to the queue as a new recipient, and a broadcast that was done runs again; in a cancelled broadcast
 * it stays refused. Does nothing if the recipient is not uncertain.
 */
export async function settleUncertain(
  transaction: Transaction<DeliveryTables>,
  { broadcastId, emailId, contactId }: RecipientId,
  { outcome, now }: { outcome: SettledOutcome; now: number },
): Promise<void> {
  const tx = transaction.withTables<BroadcastTables>()
  const broadcast = await tx
    .selectFrom('broadcasts')
    .select('state')
    .where('id', '=', broadcastId)
    .forUpdate()
    .executeTakeFirst()
  if (broadcast === undefined) return
  const ofRefused = broadcast.state === 'cancelled' ? 'refused' : 'queued'
  const state = outcome === 'accepted' ? 'accepted' : ofRefused
  const { numUpdatedRows } = await tx
    .updateTable('broadcast_recipients')
    .set({ state, due_at: now, claimed_by: null, attempts: 0, tried_at: null })
    .where('email_id', '=', emailId)
    .where('contact_id', '=', contactId)
    .where('broadcast_id', '=', broadcastId)
    .where('state', '=', 'uncertain')
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return
  const change = {
    ...noChange,
    accepted: state === 'accepted' ? 1 : 0,
    refused: state === 'refused' ? 1 : 0,
    uncertain: -1,
    dueAt: state === 'queued' ? now : undefined,
  }
  await changeCounts(tx, new Map([[broadcastId, change]]), now)
}
