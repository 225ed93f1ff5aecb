import type { Transaction } from 'kysely'
import type { TransportTables } from '../../core/transports/index.ts'
import { batches } from '../../kit/batches.ts'
import type { Brands } from '../../kit/caller.ts'
import { seenBy } from '../../platform/resource/index.ts'
import type { Storage } from '../../platform/storage/index.ts'
import type { TransportVerdict } from './alignment/judge.ts'
import type { MissingStep, SenderDmarc, SenderMember } from './schema.ts'
import { defaultTransportId, type SenderCheckRow, type SenderTables } from './table.ts'

/** A check of a From domain and a transport, for the messages of a brand. */
export interface StoredCheck extends TransportVerdict {
  domain: string
  transportId: number
  brand: number
  dmarc: SenderDmarc
  checkedAt: number
}

/** What a list shows of it. */
export interface CheckSummary extends Omit<StoredCheck, 'members' | 'dmarc'> {
  policy: string | null
}

/** By `pairKey`. */
export type CheckSummaries = ReadonlyMap<string, CheckSummary>

/** A check that is to be stored. */
export interface NewCheck {
  /** The revision of the transport when its DSN was read; undefined for the default. */
  revision: number | undefined
  check: StoredCheck
}

/** How many checks are kept. The oldest are deleted first. */
const checksMax = 20_000
const idsPerQuery = 500

/** The last checks of From domains. They are deleted with the DSN of their transport. */
export class SenderChecks {
  readonly #storage: Storage

  constructor(storage: Storage) {
    this.#storage = storage
  }

  /** Finds the checks of a few hundred domains for brands and for none, with all transports or some, in one query. */
  async find(
    domains: readonly string[],
    brands: Brands,
    transportIds?: readonly number[],
  ): Promise<StoredCheck[]> {
    if (domains.length === 0 || transportIds?.length === 0) return []
    const ofDomains = this.#db.selectFrom('sender_checks').where('domain', 'in', domains)
    const all = ofDomains.selectAll().where(seenBy({ brands }))
    const checks = transportIds ? all.where('transport_id', 'in', transportIds) : all
    const rows = await checks.orderBy('domain').orderBy('transport_id').execute()
    return rows.map(readCheck)
  }

  /** Finds what lists show of the checks of some domains for brands and for none: one query for any number of them. */
  async findSummaries(domains: readonly string[], brands: Brands): Promise<CheckSummaries> {
    const summaries = new Map<string, CheckSummary>()
    for (const some of batches(domains, idsPerQuery)) {
      const rows = await this.#db
        .selectFrom('sender_checks')
        .select(['domain', 'transport_id', 'brand_id', 'verdict', 'sentence', 'missing'])
        .select(['policy', 'checked_at'])
        .where('domain', 'in', some)
        .where(seenBy({ brands }))
        .execute()
      for (const {
        transport_id: transportId,
        brand_id: brand,
        checked_at: checkedAt,
        ...row
      } of rows) {
        const missing = JSON.parse(row.missing) as MissingStep | null
        const summary = { ...row, transportId, brand, checkedAt, missing }
        summaries.set(pairKey(row.domain, transportId, brand), summary)
      }
    }
    return summaries
  }

  /** Stores checks, but not those of transports that were changed or deleted since their DSN was read. */
  async save(checks: readonly NewCheck[]): Promise<void> {
    if (checks.length === 0) return
    await this.#storage.transaction(async (tx: Transaction<SenderTables & TransportTables>) => {
      const revisions = await readRevisions(tx, checks)
      for (const { revision, check } of checks) {
        const { transportId } = check
        const isDefault = transportId === defaultTransportId
        if (!isDefault && revisions.get(transportId) !== revision) continue
        const row = rowOf(check)
        const insert = tx.insertInto('sender_checks').values(row)
        await insert
          .onConflict((conflict) =>
            conflict.columns(['domain', 'transport_id', 'brand_id']).doUpdateSet(row),
          )
          .execute()
      }
    })
  }

  /** Lists when pairs were last checked, by `pairKey`. */
  async listTimes(): Promise<Map<string, number>> {
    const { db } = this.#storage.lists<SenderTables>('senders', true)
    const rows = await db
      .selectFrom('sender_checks')
      .select(['domain', 'transport_id', 'brand_id', 'checked_at'])
      .execute()
    return new Map(
      rows.map((row) => [pairKey(row.domain, row.transport_id, row.brand_id), row.checked_at]),
    )
  }

  /** Deletes the oldest of too many checks. */
  async prune(): Promise<void> {
    const last = await this.#db
      .selectFrom('sender_checks')
      .select('checked_at')
      .orderBy('checked_at', 'desc')
      .offset(checksMax)
      .limit(1)
      .executeTakeFirst()
    if (last === undefined) return
    const oldest = this.#db.deleteFrom('sender_checks')
    await oldest.where('checked_at', '<=', last.checked_at).execute()
  }

  /** Deletes the checks of a domain after something that they rest on has changed. */
  async forget(domain: string): Promise<void> {
    await this.#db.deleteFrom('sender_checks').where('domain', '=', domain).execute()
  }

  /** Deletes the checks of the default transport, whose DSN may be another one after a start. */
  async forgetDefault(): Promise<void> {
    const ofDefault = this.#db.deleteFrom('sender_checks')
    await ofDefault.where('transport_id', '=', defaultTransportId).execute()
  }

  get #db() {
    return this.#storage.tables<SenderTables>()
  }
}

/** The key of a domain, a transport and a brand in a map. */
export function pairKey(domain: string, transportId: number, brand: number): string {
  return `${transportId} ${brand} ${domain}`
}

/** Deletes the checks of a transport whose DSN changed, or that is deleted. */
export async function removeTransportChecks(
  transportId: number,
  tx: Transaction<object>,
): Promise<void> {
  const db = tx.withTables<SenderTables>()
  await db.deleteFrom('sender_checks').where('transport_id', '=', transportId).execute()
}

async function readRevisions(
  tx: Transaction<TransportTables>,
  checks: readonly NewCheck[],
): Promise<Map<number, number>> {
  const ids = checks.map(({ check }) => check.transportId)
  const rows = await tx
    .selectFrom('transports')
    .select(['id', 'revision'])
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, revision }) => [id, revision]))
}

function rowOf(check: StoredCheck): SenderCheckRow {
  const { transportId, brand, missing, members, dmarc, checkedAt, ...columns } = check
  return {
    ...columns,
    transport_id: transportId,
    brand_id: brand,
    missing: JSON.stringify(missing),
    members: JSON.stringify(members),
    dmarc: JSON.stringify(dmarc),
    policy: dmarc.policy,
    checked_at: checkedAt,
  }
}

function readCheck(row: SenderCheckRow): StoredCheck {
  const { transport_id: transportId, brand_id: brand, checked_at: checkedAt, ...columns } = row
  return {
    ...columns,
    transportId,
    brand,
    missing: JSON.parse(row.missing) as MissingStep | null,
    members: JSON.parse(row.members) as SenderMember[],
    dmarc: JSON.parse(row.dmarc) as SenderDmarc,
    checkedAt,
  }
}
