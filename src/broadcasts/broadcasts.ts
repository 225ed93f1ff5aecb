import { type Kysely, type SqlBool, sql, type Transaction } from 'kysely'
import {
  brakedByEvents,
  continuedBrake,
  type EventExcess,
  storableText,
} from '../delivery/index.ts'
import type { EmailTables } from '../emails/index.ts'
import { AppError } from '../kit/app-error.ts'
import type { Caller } from '../kit/caller.ts'
import type { Clock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import type { Links } from '../messages/index.ts'
import { readHeadersIfValid, warnOfLinks } from '../messages/index.ts'
import { findDeletedNames } from '../resource/index.ts'
import { readOffsetPage, type Storage } from '../storage/index.ts'
import { domainOf } from '../suppressions/index.ts'
import type { EventSink } from '../webhooks/index.ts'
import { type BroadcastItem, presentBroadcast, type WaitingRecipients } from './broadcast-item.ts'
import { type CountRequest, countRecipients, type RecipientCount } from './count-recipients.ts'
import { brakeBroadcast, countsOf } from './counts.ts'
import { createBroadcast } from './create-broadcast.ts'
import {
  checkNoBroadcastHasKey,
  checkNoBroadcastHasKeyLocked,
  findBroadcastByKey,
  type NewBroadcast,
} from './idempotency.ts'
import type { Producer, ProducerTables } from './producer.ts'
import { pauseRecipients, removeWaiting, resumeRecipients } from './queued-recipients.ts'
import type { BroadcastStop } from './recipient-renderer.ts'
import { listRecipients, type RecipientPage, type RecipientQuery } from './recipients.ts'
import { countRetryable, type Retried, type RetriedBroadcast, retryRefused } from './retry.ts'
import { type BroadcastState, type BroadcastSummary, summaryColumns } from './table.ts'

/** Which broadcasts a list has. */
export interface BroadcastQuery {
  start: number
  limit: number
  state?: BroadcastState | undefined
  emailId?: number | undefined
}

export interface BroadcastsOptions {
  storage: Storage
  clock: Clock
  log: Log
  /** Called when there may be something to send. */
  onWork: () => void
  /** The links in messages; undefined without a public URL. */
  links: Links | undefined
  /** The sender of emails without one. */
  defaultFrom: string
  producer: Producer
  /** Where brakes are published. Default: nowhere. */
  events?: EventSink | undefined
  /** How long a message is tried, in milliseconds. */
  lifetimeMs: number
}

type Tables = ProducerTables & EmailTables

/** The broadcasts of the API: one email to many contacts each. They survive a restart, and all processes share them. */
export class Broadcasts {
  readonly #options: BroadcastsOptions
  readonly #db: Kysely<Tables>

  constructor(options: BroadcastsOptions) {
    this.#options = options
    this.#db = options.storage.tables<Tables>()
  }

  /** Returns the broadcast that the same request with the same key has created. Throws as `create` does. */
  async find(request: NewBroadcast): Promise<BroadcastItem | undefined> {
    const row = await findBroadcastByKey(this.#db, request)
    return row && this.#presentOne(row)
  }

  /** Returns the same broadcast for the same key. Throws an AppError (`conflict`) for a key of another request. */
  async create(request: NewBroadcast): Promise<BroadcastItem> {
    const { log, onWork } = this.#options
    const row = await createBroadcast(request, this.#options)
    const { id: broadcastId, email_id: emailId, segment, total: recipients } = row
    log.info({ broadcastId, emailId, segment, recipients }, 'broadcast started')
    if (row.state === 'done') log.info({ broadcastId, ...countsOf(row) }, 'broadcast finished')
    onWork()
    return this.#presentOne(row)
  }

  /** Throws an AppError (`conflict`) if a broadcast was created with this key. */
  checkKey(caller: Caller, key: string): Promise<void> {
    return checkNoBroadcastHasKey(this.#db, caller, key)
  }

  /** The same check for a message that is logged with this key, against a broadcast that is being created. */
  checkKeyLocked(caller: Caller, key: string): Promise<void> {
    return checkNoBroadcastHasKeyLocked(this.#options.storage, caller, key)
  }

  /** Throws an AppError (`not_found`). */
  async get(id: number): Promise<BroadcastItem> {
    return this.#presentOne(await this.#getRow(id))
  }

  /** The newest first. */
  async list({
    start,
    limit,
    state,
    emailId,
  }: BroadcastQuery): Promise<{ total: number; broadcasts: BroadcastItem[] }> {
    let matching = this.#db.selectFrom('broadcasts')
    if (state !== undefined) matching = matching.where('state', '=', state)
    if (emailId !== undefined) matching = matching.where('email_id', '=', emailId)
    const newest = matching.select(summaryColumns).orderBy('id', 'desc')
    const { rows, total } = await readOffsetPage(newest, { start, limit })
    return { total, broadcasts: await this.#present(rows) }
  }

  /** Counts whom a broadcast would reach. Throws an AppError as `create` does. */
  count(request: CountRequest): Promise<RecipientCount> {
    return countRecipients(this.#options.storage, request)
  }

  async listRecipients(id: number, query: RecipientQuery): Promise<RecipientPage> {
    const { storage, clock } = this.#options
    await this.#getRow(id)
    return listRecipients(storage, id, { ...query, now: clock.now() })
  }

  /** Sends nothing more; messages whose attempt has started end. */
  pause(id: number): Promise<BroadcastItem> {
    return this.#change(id, { from: ['running'], to: 'paused' })
  }

  resume(id: number): Promise<BroadcastItem> {
    return this.#change(id, { from: ['paused'], to: 'running' })
  }

  /** Ends a broadcast. The remaining recipients may be added to another broadcast. */
  cancel(id: number): Promise<BroadcastItem> {
    return this.#change(id, { from: ['running', 'paused'], to: 'cancelled' })
  }

  /** Pauses or cancels a running broadcast that cannot be sent, and says why. */
  async stop(id: number, { state, problem }: BroadcastStop): Promise<void> {
    const { storage, clock, log } = this.#options
    const isStopped = await storage.transaction(async (tx: Transaction<Tables>) => {
      const row = await lockRow(tx, id)
      if (row?.state !== 'running') return false
      const finished = state === 'cancelled' ? { finished_at: clock.now() } : {}
      await tx
        .updateTable('broadcasts')
        .set({ state, problem: storableText(problem), ...finished })
        .where('id', '=', id)
        .execute()
      await (state === 'cancelled' ? removeWaiting(tx, id) : pauseRecipients(tx, id))
      return true
    })
    if (isStopped) log.info({ broadcastId: id, problem }, `broadcast ${state}`)
  }

  /** Returns since when accepted messages of a broadcast count for its brake, 0 for always; undefined unless it runs. */
  async countsSince(id: number): Promise<number | undefined> {
    const query = this.#db.selectFrom('broadcasts').select(['state', 'continued_at'])
    const row = await query.where('id', '=', id).executeTakeFirst()
    return row?.state === 'running' ? (row.continued_at ?? 0) : undefined
  }

  /** Pauses a broadcast for events of its messages, unless a person has continued it after `since`. The producer logs it. */
  async brake(id: number, excess: EventExcess, since: number): Promise<void> {
    const { storage, clock, producer, events } = this.#options
    const isDue = sql<SqlBool>`coalesce(continued_at, 0) = ${since}`
    const columns = brakedByEvents(excess, clock.now())
    const isBraked = await storage.transaction((tx: Transaction<Tables>) =>
      brakeBroadcast(tx, id, { columns, isDue, events }),
    )
    if (isBraked) events?.notify()
    producer.wake()
  }

  /** Sends to refused recipients again. Throws an AppError (`conflict`) if the broadcast was cancelled. */
  async retry(id: number): Promise<Retried & { broadcast: BroadcastItem }> {
    const { storage, clock, log, producer, lifetimeMs, onWork } = this.#options
    const row = await this.#getRow(id)
    if (row.state === 'cancelled') throw cannotRetry()
    const now = clock.now()
    const transportId = await producer.findTransport(row.email_id)
    const retried = await retryRefused(storage, await this.#retriedOf(row), {
      now,
      expiresAt: now + lifetimeMs,
      transportId,
    })
    log.info({ broadcastId: id, recipients: retried.retried }, 'refused recipients queued again')
    onWork()
    return { broadcast: await this.get(id), ...retried }
  }

  /** Counts what `retry` would do, and changes nothing. Throws as `retry` does. */
  async countRetry(id: number): Promise<Retried & { broadcast: BroadcastItem }> {
    const { storage, clock } = this.#options
    const row = await this.#getRow(id)
    if (row.state === 'cancelled') throw cannotRetry()
    const counts = await countRetryable(storage, await this.#retriedOf(row), clock.now())
    return { broadcast: await this.#presentOne(row), ...counts }
  }

  async #retriedOf(row: BroadcastSummary): Promise<RetriedBroadcast> {
    const query = this.#db
      .selectFrom('emails')
      .select('from_address')
      .where('id', '=', row.email_id)
    const from = (await query.executeTakeFirst())?.from_address ?? this.#options.defaultFrom
    return { id: row.id, email_id: row.email_id, senderDomain: domainOf(from) }
  }

  async #change(id: number, change: StateChange): Promise<BroadcastItem> {
    const { storage, clock, log, lifetimeMs, onWork } = this.#options
    const now = clock.now()
    const hasChanged = await storage.transaction((tx: Transaction<Tables>) =>
      changeState(tx, id, { ...change, now, expiresAt: now + lifetimeMs }),
    )
    if (hasChanged) log.info({ broadcastId: id }, `broadcast ${logged[change.to]}`)
    onWork()
    return this.get(id)
  }

  async #getRow(id: number): Promise<BroadcastSummary> {
    const query = this.#db.selectFrom('broadcasts').select(summaryColumns).where('id', '=', id)
    const row = await query.executeTakeFirst()
    if (row === undefined)
      throw new AppError('not_found', 'broadcast_not_found', 'Broadcast not found')
    return row
  }

  async #presentOne(row: BroadcastSummary): Promise<BroadcastItem> {
    const [item] = await this.#present([row])
    if (item === undefined) throw new Error('The broadcast has no presentation.')
    return item
  }

  async #present(rows: readonly BroadcastSummary[]): Promise<BroadcastItem[]> {
    const { storage, clock, links } = this.#options
    const ids = [...new Set(rows.map((row) => row.email_id))]
    const emails = await this.#db
      .selectFrom('emails')
      .select(['id', 'name', 'headers'])
      .where(storage.isAmong('id', ids))
      .execute()
    const byId = new Map(emails.map((email) => [email.id, email]))
    const missing = ids.filter((id) => !byId.has(id))
    const deletedNames = await findDeletedNames(storage, 'emails', missing)
    const waiting = await this.#findWaiting(rows)
    const now = clock.now()
    return rows.map((row) => {
      const email = byId.get(row.email_id)
      const warnings =
        email === undefined ? [] : warnOfLinks(readHeadersIfValid(email.headers), links)
      return presentBroadcast(row, {
        email: {
          name: email?.name ?? deletedNames.get(row.email_id) ?? '',
          isDeleted: email === undefined,
        },
        warnings,
        waiting: waiting.get(row.id),
        now,
      })
    })
  }

  async #findWaiting(
    rows: readonly BroadcastSummary[],
  ): Promise<ReadonlyMap<number, WaitingRecipients>> {
    const running = rows.filter(({ state }) => state === 'running').map(({ id }) => id)
    if (running.length === 0) return new Map()
    const waiting = await this.#db
      .selectFrom('queue_recipients')
      .select((row) => [
        'broadcast_id',
        sql<number | null>`min(case when state <> 'held' then due_at end)`.as('due_at'),
        row.fn.max('problem').as('problem'),
      ])
      .where(this.#options.storage.isAmong('broadcast_id', running))
      .where('state', 'in', ['queued', 'claimed', 'held'])
      .groupBy('broadcast_id')
      .execute()
    return new Map(
      waiting.map((row) => [
        row.broadcast_id ?? 0,
        {
          dueAt: row.due_at === null ? null : Number(row.due_at),
          problem: withoutCode(row.problem),
        },
      ]),
    )
  }
}

/** Problems in the queue are replies: `451 4.3.5 …`. */
function withoutCode(problem: string | null): string | null {
  return problem?.replace(/^\d{3} \d\.\d{1,3}\.\d{1,3} /, '') ?? null
}

interface StateChange {
  from: BroadcastState[]
  to: BroadcastState
}

/** The words of the log lines. */
const logged = { running: 'resumed', paused: 'paused', cancelled: 'cancelled', done: 'finished' }

function lockRow(tx: Transaction<Tables>, id: number) {
  const row = tx.selectFrom('broadcasts').select('state').where('id', '=', id)
  return row.forUpdate().executeTakeFirst()
}

/** Changes the state, and that of the recipients in the queue. Returns whether it changed. */
async function changeState(
  tx: Transaction<Tables>,
  id: number,
  { from, to, now, expiresAt }: StateChange & { now: number; expiresAt: number },
): Promise<boolean> {
  const row = await lockRow(tx, id)
  if (row === undefined || row.state === to) return false
  if (!from.includes(row.state)) throw cannotBecome(row.state, to)
  const update = tx.updateTable('broadcasts').where('id', '=', id)
  if (to === 'running') {
    await update
      .set({
        state: to,
        problem: null,
        ...continuedBrake(now),
      })
      .execute()
    await resumeRecipients(tx, id, expiresAt)
  } else if (to === 'cancelled') {
    await update.set({ state: to, finished_at: now, contact_ids: null }).execute()
    await removeWaiting(tx, id)
  } else {
    await update.set({ state: to }).execute()
    await pauseRecipients(tx, id)
  }
  return true
}

function cannotRetry(): AppError {
  const message =
    'The broadcast is cancelled. Create another broadcast: it includes the contacts that were refused.'
  return new AppError('conflict', 'broadcast_state', message)
}

function cannotBecome(is: BroadcastState, wanted: BroadcastState): AppError {
  const message = `The broadcast is ${is} and cannot become ${wanted}.`
  return new AppError('conflict', 'broadcast_state', message)
}
