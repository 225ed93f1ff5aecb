import { sql, type Transaction } from 'kysely'
import { BoundedMemory } from '../kit/bounded-memory.ts'
import type { Clock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import { Periodic } from '../kit/periodic.ts'
import type { Storage } from '../storage/index.ts'
import { defaultTransportId, type SenderTables } from './table.ts'

/** An attempt to send a message, of which the domains are noted. */
export interface SenderUse {
  /** The domain in From, in lower case, as ASCII. */
  domain: string
  /** The domain of the envelope sender. */
  envelopeDomain: string
  /** Null for the default. */
  transportId: number | null
  /** Undefined for Mailyard's own messages. */
  mauticId: number | undefined
}

/** How many pairs of a domain and a transport are kept. A sender may use any number of domains. */
const usesMax = 10_000
/** How many of one transport: the messages of one cannot take the places of all others. */
const usesOfTransportMax = 2_000
/** How often the use of a pair is written. */
const writtenEveryMs = 3_600_000
const flushMs = 30_000
/** A domain counts as used for this time. */
export const usedDays = 30
const usedMs = usedDays * 86_400_000
const rowsPerStatement = 100

/** Notes which From domains are sent through which transports. On the path of a message it is one look-up in a map. */
export class SenderUses {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #flush: Periodic
  /** When the use of a pair was written or is going to be. */
  readonly #written: BoundedMemory<string, number>
  readonly #pending = new Map<string, { use: SenderUse; usedAt: number }>()

  constructor({ storage, clock, log }: { storage: Storage; clock: Clock; log: Log }) {
    this.#storage = storage
    this.#clock = clock
    this.#written = new BoundedMemory({ sizeMax: usesMax })
    this.#flush = new Periodic({
      task: () => this.#write(),
      intervalMs: flushMs,
      log,
      events: { failed: 'from domains not noted', recovered: 'from domains noted again' },
    })
  }

  start(): void {
    this.#flush.start()
  }

  async stop(): Promise<void> {
    await this.#flush.stop()
    await this.#write().catch(() => undefined)
  }

  /** Notes an attempt; it is written within half a minute. It does not throw: the outcome of the attempt is not stored yet. */
  note(use: SenderUse): void {
    try {
      this.#note(use)
    } catch {
      // The next attempt is noted.
    }
  }

  #note(use: SenderUse): void {
    const { domain, transportId, mauticId, envelopeDomain } = use
    const key = `${transportId ?? defaultTransportId} ${mauticId ?? 0} ${domain} ${envelopeDomain}`
    const now = this.#clock.now()
    const writtenAt = this.#written.get(key)
    if (writtenAt !== undefined && Math.abs(now - writtenAt) < writtenEveryMs) return
    if (this.#pending.size >= usesMax || !isShort(domain) || !isShort(envelopeDomain)) return
    this.#written.set(key, now)
    this.#pending.set(key, { use, usedAt: now })
  }

  /** Writes what was noted. */
  flush(): Promise<void> {
    return this.#flush.run()
  }

  async #write(): Promise<void> {
    const entries = [...this.#pending]
    if (entries.length === 0) return
    for (const [key] of entries) this.#pending.delete(key)
    try {
      for (let at = 0; at < entries.length; at += rowsPerStatement)
        await this.#writePart(entries.slice(at, at + rowsPerStatement).map(([, entry]) => entry))
      await this.#prune()
    } catch (error) {
      for (const [key] of entries) this.#written.delete(key)
      throw error
    }
  }

  async #writePart(entries: readonly { use: SenderUse; usedAt: number }[]): Promise<void> {
    const rows = new Map<string, ReturnType<typeof rowOf>>()
    for (const { use, usedAt } of entries) {
      const row = rowOf(use, usedAt)
      const key = `${row.domain} ${row.transport_id} ${row.mautic_id}`
      const other = rows.get(key)
      // A statement may write a row once.
      rows.set(key, other?.other_envelope ? { ...row, ...envelopeOf(other) } : row)
    }
    // In one order, so that two processes do not lock each other out.
    const values = [...rows].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row)
    await this.#storage
      .tables<SenderTables>()
      .insertInto('sender_uses')
      .values(values)
      .onConflict((conflict) =>
        conflict.columns(['domain', 'transport_id', 'mautic_id']).doUpdateSet({
          last_used_at: sql<number>`excluded.last_used_at`,
          other_envelope: sql<string>`coalesce(excluded.other_envelope, sender_uses.other_envelope)`,
          other_envelope_at: sql<number>`coalesce(excluded.other_envelope_at, sender_uses.other_envelope_at)`,
        }),
      )
      .execute()
  }

  /** Deletes what was not used for long, and the oldest of too many. */
  async #prune(): Promise<void> {
    const before = this.#clock.now() - usedMs
    await this.#storage.transaction(async (tx: Transaction<SenderTables>) => {
      await tx.deleteFrom('sender_uses').where('last_used_at', '<', before).execute()
      const counts = await tx
        .selectFrom('sender_uses')
        .select(({ fn }) => ['transport_id', fn.countAll().as('count')])
        .groupBy('transport_id')
        .execute()
      let total = 0
      for (const { transport_id: id, count } of counts) {
        total += Number(count)
        const excess = Number(count) - usesOfTransportMax
        if (excess > 0) await removeOldest(tx, excess, id)
      }
      if (total > usesMax) await removeOldest(tx, total - usesMax)
    })
  }
}

async function removeOldest(
  tx: Transaction<SenderTables>,
  count: number,
  transportId?: number,
): Promise<void> {
  const ofTransport = transportId === undefined ? sql`` : sql`where transport_id = ${transportId}`
  await sql`delete from sender_uses where (domain, transport_id, mautic_id) in (
    select domain, transport_id, mautic_id from sender_uses ${ofTransport}
    order by last_used_at limit ${count})`.execute(tx)
}

function rowOf({ domain, envelopeDomain, transportId, mauticId }: SenderUse, usedAt: number) {
  const isOther = envelopeDomain !== '' && envelopeDomain !== domain
  return {
    domain,
    transport_id: transportId ?? defaultTransportId,
    mautic_id: mauticId ?? 0,
    last_used_at: usedAt,
    other_envelope: isOther ? envelopeDomain : null,
    other_envelope_at: isOther ? usedAt : null,
  }
}

function envelopeOf({
  other_envelope,
  other_envelope_at,
}: Pick<ReturnType<typeof rowOf>, 'other_envelope' | 'other_envelope_at'>) {
  return { other_envelope, other_envelope_at }
}

/** The longest domain (RFC 1035, section 2.3.4). */
const domainLengthMax = 253

function isShort(domain: string): boolean {
  return domain.length <= domainLengthMax
}
