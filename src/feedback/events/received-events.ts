import type { Transaction } from 'kysely'
import type { ProviderEvent } from '../../mailer/index.ts'
import type { Storage } from '../../storage/index.ts'
import type { ReceivedEventsTables } from './table.ts'

/** Wakes the appliers of all processes. */
export const receivedEventsChannel = 'received_events'
/** The events of one row are applied in one transaction: it blocks SQLite's single writer for some ten milliseconds. */
const eventsPerRow = 250
const rowsPerStatement = 100

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

  constructor(storage: Storage) {
    this.#storage = storage
  }

  /** Stores events, without those that are ignored. Call `notify` after the commit. */
  async add(
    db: Transaction<object> | undefined,
    { transportId, provider, events, receivedAt }: NewReceivedEvents,
  ): Promise<void> {
    const counted = events.filter(({ type }) => type !== 'ignored')
    const rows = inParts(counted).map((part) => ({
      transport_id: transportId,
      provider,
      received_at: receivedAt,
      events: JSON.stringify(part),
      due_at: receivedAt,
      attempts: 0,
    }))
    const tables =
      db?.withTables<ReceivedEventsTables>() ?? this.#storage.tables<ReceivedEventsTables>()
    for (let start = 0; start < rows.length; start += rowsPerStatement) {
      const some = rows.slice(start, start + rowsPerStatement)
      await tables.insertInto('received_events').values(some).execute()
    }
  }

  /** Makes the appliers of all processes look for new events. */
  notify(): void {
    this.#storage.notify(receivedEventsChannel)
  }
}

function inParts(events: readonly ProviderEvent[]): (readonly ProviderEvent[])[] {
  const count = Math.ceil(events.length / eventsPerRow)
  return Array.from({ length: count }, (_, index) =>
    events.slice(index * eventsPerRow, (index + 1) * eventsPerRow),
  )
}
