import { type Kysely, sql, type Transaction } from 'kysely'
import { AppError } from '../../../kit/app-error.ts'
import type { Log } from '../../../kit/log.ts'
import type { DeliveryResult } from '../../../libraries/mailer/index.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import { outcomeOf } from '../outcomes.ts'
import type { DeliveryRow, DeliveryTables } from '../table.ts'
import { type DeliveryReference, releaseKeys } from './delivery-keys.ts'
import { createBulkQuery, memberText, replyClass, replyText } from './delivery-row.ts'
import type { GroupCommit } from './group-commit.ts'
import type { OutcomeEvents } from './outcome-events.ts'
import { openRetriedWrites } from './retried-writes.ts'
import type { StartedAttempt } from './start-attempts.ts'

/** The most outcomes in memory: some ten megabytes. */
const waitingMax = 10_000

/** The outcomes of attempts, on their way to the database. They are kept in memory until they are written. */
export function openOutcomes({
  storage,
  group,
  log,
  events,
}: {
  storage: Pick<Storage, 'tables'>
  group: GroupCommit
  log: Log
  events: OutcomeEvents
}) {
  const finish = group.batched(createFinishAttempts(storage, events), (rows) => rows.length)
  const writes = openRetriedWrites(log, {
    failed: 'delivery outcomes not written',
    recovered: 'delivery outcomes written again',
  })
  return {
    idle: writes.idle,
    drain: writes.drain,
    close: writes.close,
    /** Throws an AppError (`upstream`) if so many wait for the database that nothing more should be sent. */
    checkCapacity() {
      if (writes.size < waitingMax) return
      const message = `${waitingMax} outcomes of deliveries wait for the database. Nothing more is sent until it stores them; try again in a moment.`
      throw new AppError('upstream', 'database_unavailable', message, { retryAfterSeconds: 5 })
    },
    /** Resolves once the outcome is written. It does not reject. */
    async write(attempts: readonly StartedAttempt[], result: DeliveryResult) {
      const rows = rowsOf(attempts, result)
      const write = async (some: readonly FinishedRow[]) => {
        await writes.run(() => finish(some), some.length)
        events.notify(some.map(({ outcome }) => outcome))
      }
      try {
        await write(rows)
      } catch (err) {
        const deliveryIds = rows.map(({ id }) => id)
        log.error({ err, deliveryIds }, 'delivery outcome stored without the words of the server')
        await write(rows.map(reduceOutcome)).catch((error: unknown) => {
          log.error({ err: error, deliveryIds }, 'delivery outcome not stored')
        })
      }
    },
  }
}

/** In the order of the columns of `finished`. */
const columns = [
  'id',
  'started_at',
  'outcome',
  'duration_ms',
  'member',
  'reply',
  'class',
  'reason',
  'provider_id',
] as const satisfies (keyof DeliveryRow)[]

/** The outcome of one attempt, as it is stored. */
type FinishedRow = Pick<DeliveryRow, (typeof columns)[number]>

/** Creates the write that records the outcomes of attempts. A refused message may be submitted again. */
function createFinishAttempts(storage: Pick<Storage, 'tables'>, events: OutcomeEvents) {
  const finish = createFinish(storage.tables<DeliveryTables>())
  return async (tx: Transaction<DeliveryTables>, all: readonly (readonly FinishedRow[])[]) => {
    const rows = all.flat().map((row) => columns.map((column) => row[column]))
    const { rows: finished } = await finish(tx, rows)
    await releaseKeys(
      tx,
      finished.filter(({ outcome }) => outcome === 'deferred' || outcome === 'refused'),
    )
    await events.publish(tx, finished)
    return all.map(() => undefined)
  }
}

/** Returns the rows of attempts: each recipient may have their own result. */
function rowsOf(attempts: readonly StartedAttempt[], result: DeliveryResult): FinishedRow[] {
  const byAddress = new Map(result.recipients.map((recipient) => [recipient.address, recipient]))
  const { outcome, reply, isPermanent } = result
  return attempts.map(({ id, startedAt, address }) => {
    const recipient = byAddress.get(address) ?? { address, outcome, reply, isPermanent }
    const { member, inboxId } = recipient.guarded ?? { member: null, inboxId: result.messageId }
    return {
      id,
      started_at: startedAt,
      outcome: outcomeOf(recipient),
      duration_ms: Math.round(result.durationMs),
      member: member ?? memberText(result),
      reply: replyText(recipient),
      class: replyClass(recipient),
      reason: recipient.outcome === 'accepted' ? null : (result.fault?.message ?? null),
      provider_id: inboxId,
    }
  })
}

const reducedReason =
  "The database refused to store the server's words; only the outcome is recorded."

/** Leaves out all that a server or a transport can make unstorable: the outcome is kept. */
function reduceOutcome(row: FinishedRow): FinishedRow {
  const nothing = { duration_ms: null, member: null, reply: null, class: null, provider_id: null }
  return { ...row, ...nothing, reason: reducedReason }
}

/** With casts: PostgreSQL does not infer the types of a values list from where it is used. */
function placeholders() {
  return sql`(cast(${0} as bigint), cast(${0} as bigint), cast(${''} as text), cast(${0} as bigint),
    cast(${''} as text), cast(${''} as text), cast(${''} as text), cast(${''} as text), cast(${''} as text))`
}

function createFinish(db: Kysely<DeliveryTables>) {
  const build = (count: number) => {
    const rows = sql.join(Array.from({ length: count }, placeholders))
    return sql`
      with finished (id, started_at, outcome, duration_ms, member, reply, class, reason,
        provider_id) as (values ${rows})
      update deliveries set outcome = finished.outcome, duration_ms = finished.duration_ms,
        member = finished.member, reply = finished.reply, class = finished.class,
        reason = finished.reason,
        provider_id = finished.provider_id
      from finished where deliveries.id = finished.id
        and deliveries.started_at = finished.started_at
        -- The partitions, known before the statement runs.
        and deliveries.started_at >= ${0} and deliveries.started_at <= ${0}
        -- An operator may have settled it meanwhile, if this process was considered expired.
        and deliveries.outcome in ('started', 'uncertain')
      returning deliveries.id, deliveries.started_at, deliveries.outcome`.compile(db)
  }
  return createBulkQuery<DeliveryReference & Pick<DeliveryRow, 'outcome'>>(build, (rows) => {
    const times = rows.map(([_id, startedAt]) => Number(startedAt))
    return [Math.min(...times), Math.max(...times)]
  })
}
