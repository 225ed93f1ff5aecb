import type { Kysely, SelectQueryBuilder, Transaction } from 'kysely'
import type { Deliveries } from '../../../core/deliveries/index.ts'
import {
  DeliveryEvents,
  type DeliveryTables,
  maskSignatures,
  type NewDeliveryEvent,
  type StoredEvent,
  storableText,
} from '../../../core/delivery/index.ts'
import type { SendingHooks } from '../../../core/sending/index.ts'
import { AppError } from '../../../kit/app-error.ts'
import type { Clock } from '../../../kit/clock.ts'
import type { Log } from '../../../kit/log.ts'
import { Alarm } from '../../../kit/timers.ts'
import { WorkLoop } from '../../../kit/work-loop.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import type { EventEffects, WrittenEffects } from './event-effects.ts'
import { type DatedEvent, type MatchedEvent, matchEvents, readEvents } from './match-events.ts'
import { eventColumns, receivedEventsChannel } from './received-events.ts'
import { neverDue, type ReceivedEventsRow, type ReceivedEventsTables } from './table.ts'
import type { TransportAccounts } from './transport-accounts.ts'

/** Events whose message was not found. */
export interface UnknownEvents {
  /** The transport of the webhook; null: by mail. */
  transportId: number | null
  provider: string
  count: number
}

export interface EventApplierOptions {
  storage: Storage
  clock: Clock
  log: Log
  /** How often it looks for events that are due again, in milliseconds. */
  idleMs: number
  accounts: Pick<TransportAccounts, 'read'>
  effects: EventEffects
  deliveries: Pick<Deliveries, 'confirm' | 'noteConfirmed'>
  hooks: Pick<SendingHooks, 'reported'>
  /** Called with events whose message was not found in time, after the commit. It must not throw. */
  onUnknown?: ((events: UnknownEvents) => void) | undefined
}

type EventTables = ReceivedEventsTables & DeliveryTables

/** What one transaction did. */
interface Applied {
  stored: readonly StoredEvent[]
  /** Whether deliveries were settled by it. */
  hasConfirmed: boolean
  effects: WrittenEffects
  unknown: UnknownEvents | undefined
}

/** When events are looked for again whose message was not found: the log may be written after the provider calls. */
const retriesMs = [30_000, 300_000, 3_600_000]
/** By mail nothing is faster than the log: the Message-ID is written before the message is sent. */
const mailRetriesMs = [30_000]
/** When a row is tried again that cannot be applied. */
const putOffMs = 300_000
/** How long it is tried. */
const giveUpMs = 3 * 86_400_000
/** How long events wait for others that arrive with them. */
const wakeMs = 250
const hourMs = 3_600_000
const reasonLengthMax = 2_000
/** Where rows are locked, a process applies several at a time: while one waits for the database, another is read. */
const rowsAtOnce = 3
const keyLengthMax = 200
/** How many transports are looked at for one that has its turn. */
const transportsLookedAt = 10

/**
 * Applies the events that providers sent: it finds the deliveries that they are about, stores and counts them, suppresses
 * addresses, reports to Mautics and publishes to webhooks. One stored row is applied in one transaction, which removes the row:
 * no event is lost, and none counts twice. Several processes may do so at a time.
 */
export class EventApplier {
  readonly #options: EventApplierOptions
  readonly #db: Kysely<EventTables>
  readonly #deliveryEvents: DeliveryEvents
  readonly #loop: WorkLoop
  /** Whether the last row was claimed in turn, and of which transport; 0 for none. */
  #takesTurn = false
  #lastInTurn = 0
  #unlisten: (() => void) | undefined
  /** Lets a provider that sends many requests be answered first: it would repeat those that wait for too long. */
  readonly #waking = new Alarm(() => this.#loop.wake())

  constructor(options: EventApplierOptions) {
    const { storage, idleMs, log } = options
    this.#options = options
    this.#db = storage.tables<EventTables>()
    this.#deliveryEvents = new DeliveryEvents(storage)
    this.#loop = new WorkLoop({
      work: () => this.#applyDue(),
      idleMs,
      log,
      events: {
        failed: 'events of providers not applied',
        recovered: 'events of providers applied again',
      },
    })
  }

  start(): void {
    this.#unlisten = this.#options.storage.listen(receivedEventsChannel, () => {
      if (!this.#waking.isSet) this.#waking.set(wakeMs)
    })
    this.#retryGivenUp().then(
      () => this.#loop.wake(),
      (err: unknown) => this.#options.log.error({ err }, 'given up events not tried again'),
    )
    this.#loop.start()
  }

  idle(): Promise<boolean> {
    return this.#loop.idle()
  }

  async stop(): Promise<void> {
    this.#unlisten?.()
    this.#waking.cancel()
    await this.#loop.stop()
  }

  /** Applies one row that is due. Returns whether there was one. */
  async applyNext(): Promise<boolean> {
    const { storage, effects, deliveries, hooks, onUnknown } = this.#options
    let claimed: ReceivedEventsRow | undefined
    const work = async (tx: Transaction<object>) => {
      claimed = await this.#claim(tx.withTables<EventTables>())
      return claimed && this.#apply(tx, claimed)
    }
    let applied: Applied | undefined
    try {
      applied = await storage.transaction(work)
    } catch (error) {
      // Where the database does not answer, this row is as good as any other.
      if (claimed === undefined || isDatabaseFault(error)) throw error
      await this.#putOff(claimed, error)
      return true
    }
    if (applied === undefined) return false
    const { stored, unknown, hasConfirmed } = applied
    effects.notify(applied.effects)
    if (hasConfirmed) deliveries.noteConfirmed()
    if (stored.length > 0) hooks.reported.tell(stored)
    if (unknown !== undefined) onUnknown?.(unknown)
    return true
  }

  /** Returns how long to wait. */
  async #applyDue(): Promise<number> {
    const { clock, idleMs } = this.#options
    const first = this.#db.selectFrom('received_events').select('due_at').orderBy('due_at').limit(1)
    const dueAt = (await first.executeTakeFirst())?.due_at ?? Number.POSITIVE_INFINITY
    const waitMs = Math.min(dueAt - clock.now(), idleMs)
    if (waitMs > 0) return waitMs
    const workers = this.#options.storage.locksRows ? rowsAtOnce : 1
    const work = Array.from({ length: workers }, () => this.applyNext())
    // All of them end before the next ones begin, or before this stops.
    const results = await Promise.allSettled(work)
    const failed = results.find((result) => result.status === 'rejected')
    if (failed !== undefined) throw failed.reason
    // Another process may have all rows that are due.
    return results.some((result) => result.status === 'fulfilled' && result.value) ? 0 : idleMs
  }

  /** Locks a row that is due: the oldest one, and every second time that of the next transport, which need not wait for others. */
  async #claim(tx: Transaction<EventTables>): Promise<ReceivedEventsRow | undefined> {
    const now = this.#options.clock.now()
    this.#takesTurn = !this.#takesTurn
    const row = this.#takesTurn ? await this.#claimInTurn(tx, now) : undefined
    if (row !== undefined) return row
    const due = tx.selectFrom('received_events').where('due_at', '<=', now)
    return this.#lockFirst(due.orderBy('due_at'))
  }

  /** Takes the transports by their ids, and mail after the last one. */
  async #claimInTurn(
    tx: Transaction<EventTables>,
    now: number,
  ): Promise<ReceivedEventsRow | undefined> {
    for (let looked = 0; looked < transportsLookedAt; looked += 1) {
      const ids = tx.selectFrom('received_events').select('transport_id')
      const after = ids.where('transport_id', '>', this.#lastInTurn).orderBy('transport_id')
      const id = (await after.limit(1).executeTakeFirst())?.transport_id ?? null
      this.#lastInTurn = id ?? 0
      const due = tx.selectFrom('received_events').where((row) => {
        if (id === null) return row('transport_id', 'is', null).and('due_at', '<=', now)
        const place = row.refTuple('transport_id', 'due_at')
        return row(place, '>=', row.tuple(id, 0)).and(place, '<=', row.tuple(id, now))
      })
      // In the order of its index: the one of `due_at` would lead through the rows of all others.
      const row = await this.#lockFirst(due.orderBy('transport_id').orderBy('due_at'))
      if (row !== undefined || id === null) return row
    }
    return undefined
  }

  /** Another process leaves the row out. */
  #lockFirst(
    due: SelectQueryBuilder<EventTables, 'received_events', object>,
  ): Promise<ReceivedEventsRow | undefined> {
    const first = due.selectAll().orderBy('id').limit(1)
    return first.modifyEnd(this.#options.storage.forUpdateSkipLocked()).executeTakeFirst()
  }

  async #apply(anyTx: Transaction<object>, row: ReceivedEventsRow): Promise<Applied> {
    const { accounts, effects, deliveries } = this.#options
    const tx = anyTx.withTables<EventTables>()
    const { transport_id: transportId, received_at: receivedAt } = row
    const { matched, unmatched, transports } = await matchEvents(
      anyTx,
      readEvents(row.events, receivedAt),
      { deliveryEvents: this.#deliveryEvents, accounts, transportId, receivedAt },
    )
    const deliveryTx = anyTx.withTables<DeliveryTables>()
    const stored = await this.#deliveryEvents.store(
      deliveryTx,
      matched.map((each) => toRow(each, row)),
    )
    const confirmed = stored.filter(isConfirmation).map(({ delivery }) => delivery)
    await deliveries.confirm(deliveryTx, confirmed)
    const written = await effects.write(anyTx, stored, transports)
    const unknown = await this.#keep(tx, row, unmatched)
    await tx.deleteFrom('received_events').where('id', '=', row.id).execute()
    return { stored, hasConfirmed: confirmed.length > 0, effects: written, unknown }
  }

  /** Keeps events whose message was not found, until it is too late. */
  async #keep(
    tx: Transaction<EventTables>,
    row: ReceivedEventsRow,
    unmatched: readonly DatedEvent[],
  ): Promise<UnknownEvents | undefined> {
    const { transport_id: transportId, provider, received_at: receivedAt, attempts } = row
    if (unmatched.length === 0) return undefined
    const waitMs = (transportId === null ? mailRetriesMs : retriesMs)[attempts]
    if (waitMs === undefined) return { transportId, provider, count: unmatched.length }
    const kept = {
      transport_id: transportId,
      provider,
      received_at: receivedAt,
      ...eventColumns(unmatched),
      due_at: this.#options.clock.now() + waitMs,
      attempts: attempts + 1,
    }
    await tx.insertInto('received_events').values(kept).execute()
    return undefined
  }

  /** Lets others be applied before a row that cannot be. After three days it waits for the next start: another version may apply it. */
  async #putOff(row: ReceivedEventsRow, err: unknown): Promise<void> {
    const { clock, log } = this.#options
    const { id, due_at: dueAt, provider, received_at: receivedAt } = row
    const now = clock.now()
    const isGivenUp = now - receivedAt >= giveUpMs
    log.error(
      { err, id, provider },
      isGivenUp ? 'events of a provider given up' : 'events of a provider put off',
    )
    await this.#db
      .updateTable('received_events')
      .set({ due_at: isGivenUp ? neverDue : now + putOffMs })
      .where('id', '=', id)
      .where('due_at', '=', dueAt)
      .execute()
  }

  async #retryGivenUp(): Promise<void> {
    const rows = this.#db.updateTable('received_events')
    const due = rows.set({ due_at: this.#options.clock.now() })
    await due.where('due_at', '=', neverDue).execute()
  }
}

function isDatabaseFault(error: unknown): boolean {
  return error instanceof AppError && error.kind === 'upstream'
}

function toRow(
  { event, delivery, isGuess }: MatchedEvent,
  { transport_id: transportId, provider, received_at: receivedAt }: ReceivedEventsRow,
): NewDeliveryEvent {
  const { type, at, reason } = event
  return {
    delivery_id: delivery.id,
    started_at: delivery.started_at,
    type,
    class: type === 'bounced' ? event.class : null,
    at,
    received_at: receivedAt,
    reason: reason === null ? null : maskSignatures(storableText(reason)).slice(0, reasonLengthMax),
    provider,
    source: transportId === null ? 'mail' : 'webhook',
    is_guess: isGuess,
    event_key: eventKey(event, { isGuess, mailAt: transportId === null ? receivedAt : undefined }),
  }
}

/**
 * A provider may report a delay many times, and everything else once. By mail, where anyone may write ids and times, one an hour is
 * kept. What is certain does not repeat a guess.
 */
function eventKey(
  { type, class: severity, eventId, at }: DatedEvent,
  { isGuess, mailAt }: { isGuess: boolean; mailAt: number | undefined },
): string {
  const parts = [type, severity ?? '']
  if (type === 'deferred')
    parts.push(
      mailAt === undefined ? (eventId ?? String(at)) : `mail ${Math.floor(mailAt / hourMs)}`,
    )
  if (isGuess) parts.push('guess')
  return storableText(parts.join(' ')).slice(0, keyLengthMax)
}

/** Whether an event shows that the provider has accepted a message with an uncertain outcome. */
function isConfirmation({ event, delivery }: StoredEvent): boolean {
  return delivery.outcome === 'uncertain' && !event.is_guess && event.type !== 'rejected'
}
