import type { Clock } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import { SharedCopy } from '../../kit/shared-copy.ts'
import type { Storage } from '../../platform/storage/index.ts'
import type { Deferral } from '../delivery/index.ts'
import { defaultTransport } from '../delivery/index.ts'
import type { QueueTables } from './table.ts'

const channel = 'transport holds'
/** A command of the operator on SQLite notifies no other process. */
const reloadMs = 1_000

/**
 * The transports whose messages a person holds: those that wait, and those that arrive later. Holds are in the database, so
 * they are the same for all processes and after a restart.
 */
export class TransportHolds {
  readonly #storage: Storage
  readonly #clock: Clock
  /** By whom, by the id of the transport. */
  readonly copy: SharedCopy<ReadonlyMap<number, string>>

  constructor({ storage, clock, log }: { storage: Storage; clock: Clock; log: Log }) {
    this.#storage = storage
    this.#clock = clock
    this.copy = new SharedCopy({
      read: () => this.#read(),
      empty: new Map(),
      listen: (onChanged) => storage.listen(channel, onChanged),
      intervalMs: reloadMs,
      log,
      events: { failed: 'transport holds not read', recovered: 'transport holds read again' },
    })
  }

  /** Returns why a message for a transport waits for a person; undefined if it may be sent. Null is the default. */
  find(transportId: number | null): Deferral | undefined {
    const by = this.copy.value.get(transportId ?? defaultTransport)
    if (by === undefined) return undefined
    const problem = `The messages of this transport are held by ${by}. Release them to send them.`
    return { until: this.#clock.now(), problem, brakeId: null }
  }

  /** The transports whose messages are held; see `defaultTransport`. */
  get transportIds(): number[] {
    return [...this.copy.value.keys()]
  }

  async add(transportId: number, by: string): Promise<void> {
    await this.#storage
      .tables<QueueTables>()
      .insertInto('queue_holds')
      .values({ transport_id: transportId, held_by: by, held_at: this.#clock.now() })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    await this.#changed()
  }

  async remove(transportId: number): Promise<void> {
    const holds = this.#storage.tables<QueueTables>().deleteFrom('queue_holds')
    await holds.where('transport_id', '=', transportId).execute()
    await this.#changed()
  }

  async #changed(): Promise<void> {
    await this.copy.read()
    this.#storage.notify(channel)
  }

  async #read(): Promise<ReadonlyMap<number, string>> {
    const query = this.#storage.tables<QueueTables>().selectFrom('queue_holds')
    const rows = await query.select(['transport_id', 'held_by']).execute()
    return new Map(rows.map((row) => [row.transport_id, row.held_by]))
  }
}
