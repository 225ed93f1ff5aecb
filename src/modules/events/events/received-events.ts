import type { Transaction } from 'kysely'
import { batches } from '../../../kit/batches.ts'
import { BoundedMemory } from '../../../kit/bounded-memory.ts'
import type { Clock } from '../../../kit/clock.ts'
import type { ProviderEvent } from '../../../libraries/mailer/index.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import { neverDue, type ReceivedEventsRow, type ReceivedEventsTables } from './table.ts'

/** Wakes the appliers of all processes. */
export const receivedEventsChannel = 'received_events'
/** The events of one row are applied in one transaction: it blocks SQLite's single writer for some ten milliseconds. */
const eventsPerRow = 250
const rowsPerStatement = 100
/** How much of one transport may wait, in characters. */
const waitingMax = 256 * 1_048_576
/** How long a row that was given up is kept: its messages are not looked for later. */
const keptMs = 30 * 86_400_000
const rememberedMax = 1_000
const rereadMs = 1_000

/** Events as a provider sent them. */
export interface NewReceivedEvents {
  /** The transport whose webhook received them; null: by mail. */
  transportId: number | null
  /** The name of the provider. */
  provider: string
  events: readonly ProviderEvent[]
  /** Milliseconds since the epoch. */
  receivedAt: number
}

/** Stores events of providers, which are then applied: see `EventApplier`. */
export class ReceivedEvents {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #full: BoundedMemory<number, boolean>

  constructor(storage: Storage, clock: Clock) {
    this.#storage = storage
    this.#clock = clock
    this.#full = new BoundedMemory({ sizeMax: rememberedMax, expiry: { keepMs: rereadMs, clock } })
  }

  /** Stores events, without those that are ignored. Call `notify` after the commit. */
  async add(
    db: Transaction<object> | undefined,
    { transportId, provider, events, receivedAt }: NewReceivedEvents,
  ): Promise<void> {
    const counted = events.filter(({ type }) => type !== 'ignored')
    const rows = batches(counted, eventsPerRow).map((part) => ({
      transport_id: transportId,
      provider,
      received_at: receivedAt,
      ...eventColumns(part),
      due_at: receivedAt,
      attempts: 0,
    }))
    const tables =
      db?.withTables<ReceivedEventsTables>() ?? this.#storage.tables<ReceivedEventsTables>()
    for (const some of batches(rows, rowsPerStatement))
      await tables.insertInto('received_events').values(some).execute()
  }

  /** Whether so much of a transport waits that no more is to be stored. It is read once a second. */
  async isFull(transportId: number): Promise<boolean> {
    const known = this.#full.get(transportId)
    if (known !== undefined) return known
    const { size } = await this.#storage
      .tables<ReceivedEventsTables>()
      .selectFrom('received_events')
      .select((row) => row.fn.sum<number | null>('size').as('size'))
      .where('transport_id', '=', transportId)
      .where('due_at', '<', neverDue)
      .executeTakeFirstOrThrow()
    const isFull = Number(size ?? 0) >= waitingMax
    this.#full.set(transportId, isFull)
    return isFull
  }

  /** Deletes old events that could not be applied. */
  async pruneGivenUp(): Promise<void> {
    const before = this.#clock.now() - keptMs
    const rows = this.#storage.tables<ReceivedEventsTables>().deleteFrom('received_events')
    await rows.where('due_at', '=', neverDue).where('received_at', '<', before).execute()
  }

  /** Makes the appliers of all processes look for new events. */
  notify(): void {
    this.#storage.notify(receivedEventsChannel)
  }
}

/** The columns of a row that has these events. */
export function eventColumns(
  part: readonly ProviderEvent[],
): Pick<ReceivedEventsRow, 'events' | 'size'> {
  const events = JSON.stringify(part)
  return { events, size: events.length }
}

/** Finds the providers whose events could not be applied for three days: how many requests. */
export async function countGivenUp(
  storage: Pick<Storage, 'tables'>,
): Promise<{ provider: string; count: number }[]> {
  const rows = await storage
    .tables<ReceivedEventsTables>()
    .selectFrom('received_events')
    .select((row) => ['provider', row.fn.countAll<number | string>().as('count')])
    .where('due_at', '=', neverDue)
    .groupBy('provider')
    .orderBy('provider')
    .execute()
  return rows.map(({ provider, count }) => ({ provider, count: Number(count) }))
}
