import type { Transaction } from 'kysely'
import { batches } from '../../kit/batches.ts'
import { BoundedMemory } from '../../kit/bounded-memory.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import { Periodic } from '../../kit/periodic.ts'
import type { Storage } from '../../platform/storage/index.ts'
import { defaultTransportId, type SenderTables, type SenderUseRow } from './table.ts'

/** An attempt to send a message, of which the domains are noted. */
export interface SenderUse {
  /** The domain in From, in lower case, as ASCII. */
  domain: string
  envelopeDomain: string
  /** Null for the default. */
  transportId: number | null
  /** The brand of the message; see `noBrand`. */
  brand: number
}

/** How many pairs of a domain and a transport are kept. A sender may use any number of domains. */
const usesMax = 10_000
/** How many of one transport: the messages of one cannot take the places of all others. */
const usesOfTransportMax = 2_000
/** How often the use of a pair is written. */
const writtenEveryMs = 3_600_000
const flushMs = 30_000
/** A domain counts as used for this time. */
export const usedMs = 30 * 86_400_000
const rowsPerStatement = 100
/** The longest domain (RFC 1035, section 2.3.4). */
const domainLengthMax = 253

/** Notes which From domains are sent through which transports. On the path of a message it is one look-up in a map. */
export class SenderUses {
  readonly #storage: Storage
  readonly #clock: Clock
  /** Writes what was noted. */
  readonly flushing: Periodic
  /** The uses that were noted within an hour. */
  readonly #noted: BoundedMemory<string, true>
  readonly #pending = new Map<string, SenderUseRow>()

  constructor({ storage, clock, log }: { storage: Storage; clock: Clock; log: Log }) {
    this.#storage = storage
    this.#clock = clock
    this.#noted = new BoundedMemory({
      sizeMax: usesMax,
      expiry: { keepMs: writtenEveryMs, clock },
    })
    this.flushing = new Periodic({
      task: () => this.#write(),
      intervalMs: flushMs,
      log,
      events: { failed: 'from domains not noted', recovered: 'from domains noted again' },
    })
  }

  async stop(): Promise<void> {
    await this.flushing.stop()
    await this.#write().catch(() => undefined)
  }

  /** Notes an attempt; it is written within half a minute. */
  note({ domain, transportId, brand, envelopeDomain }: SenderUse): void {
    const transport = transportId ?? defaultTransportId
    const key = `${transport} ${brand} ${domain}`
    const isOther = envelopeDomain !== '' && envelopeDomain !== domain
    const noted = isOther ? `${key} ${envelopeDomain}` : key
    if (this.#noted.get(noted)) return
    const isLong = Math.max(domain.length, envelopeDomain.length) > domainLengthMax
    if (this.#pending.size >= usesMax || isLong) return
    this.#noted.set(noted, true)
    const now = this.#clock.now()
    const before = this.#pending.get(key)
    this.#pending.set(key, {
      domain,
      transport_id: transport,
      brand_id: brand,
      last_used_at: now,
      other_envelope: isOther ? envelopeDomain : (before?.other_envelope ?? null),
      other_envelope_at: isOther ? now : (before?.other_envelope_at ?? null),
    })
  }

  async #write(): Promise<void> {
    if (this.#pending.size === 0) return
    // In one order, so that two processes do not lock each other out.
    const rows = [...this.#pending].sort(([one], [other]) => (one < other ? -1 : 1))
    this.#pending.clear()
    try {
      for (const some of batches(rows, rowsPerStatement))
        await this.#writePart(some.map(([, row]) => row))
      await this.#prune()
    } catch (error) {
      // The next attempts are noted.
      this.#noted.clear()
      throw error
    }
  }

  async #writePart(rows: readonly SenderUseRow[]): Promise<void> {
    await this.#storage
      .tables<SenderTables>()
      .insertInto('sender_uses')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(['domain', 'transport_id', 'brand_id']).doUpdateSet((use) => ({
          last_used_at: use.ref('excluded.last_used_at'),
          other_envelope: use.fn.coalesce('excluded.other_envelope', 'sender_uses.other_envelope'),
          other_envelope_at: use.fn.coalesce(
            'excluded.other_envelope_at',
            'sender_uses.other_envelope_at',
          ),
        })),
      )
      .execute()
  }

  /** Deletes what was not used for long, and the oldest of too many. */
  async #prune(): Promise<void> {
    const before = this.#clock.now() - usedMs
    await this.#storage.transaction(async (tx: Transaction<SenderTables>) => {
      await tx.deleteFrom('sender_uses').where('last_used_at', '<', before).execute()
      await removeOldest(tx, usesOfTransportMax, 'transport_id')
      await removeOldest(tx, usesMax)
    })
  }
}

/** Leaves the newest uses of each group; of all, without a column. */
async function removeOldest(
  tx: Transaction<SenderTables>,
  count: number,
  column?: 'transport_id',
): Promise<void> {
  const ranked = tx
    .selectFrom('sender_uses')
    .select(['domain', 'transport_id', 'brand_id'])
    .select(({ fn }) =>
      fn
        .agg<number>('row_number')
        .over((uses) => (column ? uses.partitionBy(column) : uses).orderBy('last_used_at', 'desc'))
        .as('place'),
    )
  await tx
    .deleteFrom('sender_uses')
    .where((use) =>
      use(
        use.refTuple('domain', 'transport_id', 'brand_id'),
        'in',
        tx
          .selectFrom(ranked.as('ranked'))
          .select(['domain', 'transport_id', 'brand_id'])
          .where('place', '>', count)
          .$asTuple('domain', 'transport_id', 'brand_id'),
      ),
    )
    .execute()
}
