import { type Expression, expressionBuilder, type SqlBool, type Transaction } from 'kysely'
import { type Clock, startStopwatch } from '../../kit/clock.ts'
import type { DatabaseFeatures, Storage } from '../../platform/storage/index.ts'
import {
  type DeliveryTables,
  type OnUnattempted,
  type UnattemptedDelivery,
  unansweredTransport,
} from '../delivery/index.ts'
import { type QueueFilter, readMatching } from './list-queued.ts'
import { createOutcomeRow, type UnattemptedOutcome } from './outcome-row.ts'
import { lockMessages, removeRecipients } from './queue-store.ts'
import type { QueueState } from './shown-state.ts'
import type { QueueTables } from './table.ts'

type Tables = QueueTables & DeliveryTables

/** What a person does with recipients in the queue. */
export const queueActions = ['retry', 'hold', 'release', 'cancel', 'sendUnanswered'] as const
export type QueueAction = (typeof queueActions)[number]

/** The states in which each action applies. */
export const appliesTo: Readonly<Record<QueueAction, readonly QueueState[]>> = {
  retry: ['queued'],
  hold: ['queued'],
  release: ['held'],
  cancel: ['queued', 'held', 'uncertain'],
  sendUnanswered: ['queued'],
}

const makesDue = new Set<QueueAction>(['retry', 'release', 'sendUnanswered'])

/** Whether an action applies to a recipient. A person may hold what a brake holds: it then waits for this person. */
function isApplicable(action: QueueAction): Expression<SqlBool> {
  const where = expressionBuilder<QueueTables, 'queue_recipients'>()
  const isInState = where('state', 'in', appliesTo[action])
  if (action === 'sendUnanswered') return isInState.and('transport_id', '=', unansweredTransport)
  if (action !== 'hold') return isInState
  return isInState.or(where('state', '=', 'held').and('brake_id', 'is not', null))
}

/** What came of an action on many recipients. */
export interface ChangeResult {
  changed: number
  /** They match, but are being sent or in a state in which the action does not apply. */
  skipped: number
  /** The value of `after` that continues; null if all are done. */
  next: number | null
}

export interface ChangeQueuedOptions {
  storage: Storage
  clock: Clock
  processId: string
  /** Called with the size of deleted messages. */
  onRemoved: (bytes: number) => void
  onUnattempted?: OnUnattempted | undefined
  /** Called when recipients may be due. */
  onDue: () => void
}

/** Who does it, for the delivery log. */
export interface QueueChange {
  action: QueueAction
  by: string
}

/** One transaction: it blocks SQLite for some ten milliseconds. */
const batchSize = 200
const timeMaxMs = 15_000
/** Counting changes nothing. */
const countedAtOnce = 2_000

export type ChangeQueued = ReturnType<typeof createChangeQueued>

export function createChangeQueued(options: ChangeQueuedOptions) {
  const { storage, clock, processId, onRemoved, onDue } = options
  const change = async ({ action, by }: QueueChange, ids: readonly number[]): Promise<number> => {
    if (ids.length === 0) return 0
    const work = (tx: Transaction<Tables>) =>
      apply(tx, { storage, clock, processId, action, by, ids })
    const { changed, bytes, logged } = await storage.transaction(work, { isFlushDeferred: true })
    onRemoved(bytes)
    for (const delivery of logged) options.onUnattempted?.(delivery)
    if (changed > 0 && makesDue.has(action)) onDue()
    return changed
  }
  /** `apply` returns to how many recipients the action applies. It stops after some seconds. */
  const inBatches = async (
    filter: QueueFilter,
    { after = 0, size }: { after: number | undefined; size: number },
    apply: (ids: readonly number[]) => Promise<number>,
  ): Promise<ChangeResult> => {
    const elapsedMs = startStopwatch()
    const result: ChangeResult = { changed: 0, skipped: 0, next: null }
    const batches = readMatching(storage, filter, { after, now: clock.now(), size })
    for await (const { ids, end } of batches) {
      const changed = await apply(ids)
      result.changed += changed
      result.skipped += ids.length - changed
      if (elapsedMs() < timeMaxMs) continue
      result.next = end
      break
    }
    return result
  }
  return {
    /** Returns whether the action applied to the recipient. */
    async one(what: QueueChange, id: number) {
      const changed = await change(what, [id])
      await storage.flush()
      return changed > 0
    },
    /** Changes the recipients that match, the oldest first, after an id. */
    async many(what: QueueChange, filter: QueueFilter, after?: number) {
      const page = { after, size: batchSize }
      const result = await inBatches(filter, page, (ids) => change(what, ids))
      await storage.flush()
      return result
    },
    /** Counts what `many` would change. */
    count(action: QueueAction, filter: QueueFilter, after?: number) {
      const page = { after, size: countedAtOnce }
      return inBatches(filter, page, (ids) => countApplicable(storage, action, ids))
    },
  }
}

async function countApplicable(
  storage: Storage,
  action: QueueAction,
  ids: readonly number[],
): Promise<number> {
  if (ids.length === 0) return 0
  const { count } = await storage
    .tables<QueueTables>()
    .selectFrom('queue_recipients')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where(storage.isAmong('id', ids))
    .where(isApplicable(action))
    .executeTakeFirstOrThrow()
  return Number(count)
}

type Applied = Pick<ChangeQueuedOptions, 'storage' | 'clock' | 'processId'> &
  QueueChange & { ids: readonly number[] }

interface AppliedResult {
  changed: number
  /** The size of deleted messages. */
  bytes: number
  /** The outcomes that the delivery log got. */
  logged: readonly UnattemptedDelivery[]
}

async function apply(tx: Transaction<Tables>, applied: Applied): Promise<AppliedResult> {
  const { action, by, storage, clock, ids } = applied
  if (action === 'cancel') return cancel(tx, applied)
  const now = clock.now()
  const row = expressionBuilder<QueueTables, 'queue_recipients'>()
  const isLater = row.case().when('due_at', '>', now)
  const dueNow = { due_at: isLater.then(row.val(now)).else(row.ref('due_at')).end() }
  const changes = {
    retry: dueNow,
    hold: { state: 'held' as const, brake_id: null },
    release: { state: 'queued' as const, brake_id: null, ...dueNow },
    sendUnanswered: { decided_by: by, ...dueNow },
  }
  const { numUpdatedRows } = await tx
    .updateTable('queue_recipients')
    .set(changes[action])
    .where(storage.isAmong('id', ids))
    .where(isApplicable(action))
    .executeTakeFirst()
  return { changed: Number(numUpdatedRows), bytes: 0, logged: [] }
}

/** Removes recipients. The delivery log gets the outcome, unless it has that of an uncertain attempt. */
async function cancel(
  tx: Transaction<Tables>,
  { storage, clock, processId, ids, by }: Applied,
): Promise<AppliedResult> {
  const rows = await readForCancelling(tx, storage, ids)
  const outcomes = rows
    .filter(({ state }) => state !== 'uncertain')
    .map((row) => toOutcome(row, by))
  const about = { startedAt: clock.now(), processId }
  const values = outcomes.map((outcome) => createOutcomeRow(outcome, about))
  if (values.length > 0) await tx.insertInto('deliveries').values(values).execute()
  const { bytes } = await removeRecipients(tx, storage, { ids: rows.map(({ id }) => id) })
  return { changed: rows.length, bytes, logged: values }
}

type CancelledRow = UnattemptedOutcome['message'] & {
  id: number
  address: string
  state: QueueState
  problem: string | null
  brand_id: number
}

async function readForCancelling(
  tx: Transaction<Tables>,
  storage: DatabaseFeatures,
  ids: readonly number[],
): Promise<CancelledRow[]> {
  // Messages are locked before recipients, as in `removeRecipients`.
  await lockMessages(tx, storage, ids)
  return tx
    .selectFrom('queue_recipients as r')
    .innerJoin('queue_messages as m', 'm.id', 'r.message_id')
    .select([
      'r.id',
      'r.address',
      'r.state',
      'r.problem',
      'r.brand_id',
      'm.caller',
      'm.sender',
      'm.mautic_id',
    ])
    .select(['m.email_id', 'm.contact_id', 'm.message_id', 'm.subject', 'm.rendered'])
    .where(storage.isAmong('r.id', ids))
    .where('r.state', 'in', appliesTo.cancel)
    .orderBy('r.id')
    .modifyEnd(storage.forUpdate('r'))
    .execute()
}

function toOutcome(
  { address, problem, brand_id: brand, ...message }: CancelledRow,
  by: string,
): UnattemptedOutcome {
  const last = problem === null ? '' : ` The last answer: ${problem}`
  return { outcome: 'cancelled', message, brand, address, reason: `Cancelled by ${by}.${last}` }
}
