import type { Kysely } from 'kysely'
import { SingleFlight } from '../../../kit/single-flight.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import { finalOutcomes } from '../outcomes.ts'
import { type DeliveryTables, defaultTransport } from '../table.ts'

/** How many of its last recipients say whether a transport works. */
const recipientsMax = 50
/** The attempts that are read to find them: those that are tried again are left out. */
const attemptsMax = 200
const inbox = 'inbox://local'

/**
 * Says whether a transport works, so that its word about an address counts. It reads the delivery log, so that all processes
 * answer alike, also after a restart.
 */
export class TransportEvidence {
  readonly #db: Kysely<DeliveryTables>
  /** Calls at the same time share one query: a transport may refuse a thousand addresses a second. */
  readonly #reading = new SingleFlight<number | null, boolean>()

  constructor(storage: Pick<Storage, 'tables'>) {
    this.#db = storage.tables<DeliveryTables>()
  }

  /**
   * Whether a transport accepted at least half of its last 50 recipients, and at least one. Recipients who are tried again
   * do not count yet.
   *
   * @param transportId Null for the configured default.
   */
  isReliable(transportId: number | null): Promise<boolean> {
    return this.#reading.run(transportId, () => this.#read(transportId))
  }

  async #read(transportId: number | null): Promise<boolean> {
    const attempts = this.#db
      .selectFrom('deliveries')
      .select(['outcome', 'member', 'started_at'])
      .where('transport_id', '=', transportId ?? defaultTransport)
      .orderBy('started_at', 'desc')
      .limit(attemptsMax)
    const recipients = await this.#db
      .selectFrom(attempts.as('attempts'))
      .select('outcome')
      .where('outcome', 'in', finalOutcomes)
      // What the guard captured was not sent.
      .where((where) => where.or([where('member', 'is', null), where('member', '!=', inbox)]))
      .orderBy('started_at', 'desc')
      .limit(recipientsMax)
      .execute()
    const accepted = recipients.filter(({ outcome }) => outcome === 'accepted').length
    return accepted > 0 && accepted * 2 >= recipients.length
  }
}
