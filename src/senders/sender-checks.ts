import type { Transaction } from 'kysely'
import type { Storage } from '../storage/index.ts'
import type { TransportTables } from '../transports/index.ts'
import type { TransportVerdict } from './alignment/judge.ts'
import type { SenderDmarc, SenderMember, Verdict } from './schema.ts'
import { defaultTransportId, type SenderCheckRow, type SenderTables } from './table.ts'

/** A stored check of a From domain and a transport. */
export interface StoredCheck extends TransportVerdict {
  transportId: number
  dmarc: SenderDmarc
  checkedAt: number
  /** See `SenderCheckRow.fresh_until`. */
  freshUntil: number
}

/** What a list shows of a stored check. */
export interface CheckSummary {
  domain: string
  transportId: number
  verdict: Verdict
  sentence: string
  policy: string | null
  checkedAt: number
}

/** The servers and APIs of a stored check. */
export interface CheckedMembers {
  domain: string
  transportId: number
  members: readonly SenderMember[]
}

/** A check that is to be stored. */
export interface NewCheck {
  /** The revision of the transport when its DSN was read; undefined for the default. */
  revision: number | undefined
  check: StoredCheck
}

/** When a pair was last checked, and when a check of it last began. */
export interface CheckTimes {
  checkedAt: number
  triedAt: number
}

/** How many checks are kept. The oldest are deleted first. */
const checksMax = 20_000
/** A check takes less; another process repeats one that was not finished. */
const claimMs = 120_000
const idsPerQuery = 500

/** The last checks of From domains. They are deleted with the DSN of their transport. */
export class SenderChecks {
  readonly #storage: Storage
  /** See `SenderCheckRow.dsn_key`. */
  readonly #defaultKey: () => Promise<string | null>

  constructor(storage: Storage, defaultKey: () => Promise<string | null>) {
    this.#storage = storage
    this.#defaultKey = defaultKey
  }

  /** Finds the checks of a domain, by transport. */
  async find(domain: string): Promise<Map<number, StoredCheck>> {
    const rows = await this.#storage
      .tables<SenderTables>()
      .selectFrom('sender_checks')
      .selectAll()
      .where('domain', '=', domain)
      .where('verdict', 'is not', null)
      .execute()
    const defaultKey = await this.#defaultKey()
    const current = rows.filter((row) => isCurrent(row, defaultKey))
    return new Map(current.map((row) => [row.transport_id, readCheck(row)]))
  }

  /** Finds the members of the checks of a few hundred domains with some transports, in one query. */
  async findMembers(
    domains: readonly string[],
    transportIds: readonly number[],
  ): Promise<CheckedMembers[]> {
    if (domains.length === 0 || transportIds.length === 0) return []
    const rows = await this.#storage
      .tables<SenderTables>()
      .selectFrom('sender_checks')
      .selectAll()
      .where('domain', 'in', domains)
      .where('transport_id', 'in', transportIds)
      .where('verdict', 'is not', null)
      .orderBy('domain')
      .orderBy('transport_id')
      .execute()
    const defaultKey = await this.#defaultKey()
    return rows
      .filter((row) => isCurrent(row, defaultKey))
      .map((row) => {
        const { domain, transport_id: transportId } = row
        return { domain, transportId, members: readCheck(row).members }
      })
  }

  /** Finds what lists show of the checks of some domains: one query for any number of them. */
  async findSummaries(domains: readonly string[]): Promise<CheckSummary[]> {
    const defaultKey = await this.#defaultKey()
    const summaries: CheckSummary[] = []
    for (let at = 0; at < domains.length; at += idsPerQuery) {
      const rows = await this.#storage
        .tables<SenderTables>()
        .selectFrom('sender_checks')
        .select(['domain', 'transport_id', 'verdict', 'sentence', 'policy'])
        .select(['checked_at', 'dsn_key'])
        .where('domain', 'in', domains.slice(at, at + idsPerQuery))
        .where('verdict', 'is not', null)
        .execute()
      for (const row of rows) {
        const { domain, transport_id: transportId, verdict, sentence, policy } = row
        if (verdict === null || !isCurrent(row, defaultKey)) continue
        const checkedAt = row.checked_at
        summaries.push({
          domain,
          transportId,
          verdict,
          sentence: sentence ?? '',
          policy,
          checkedAt,
        })
      }
    }
    return summaries
  }

  /** Stores checks of a domain, but not those of transports that were changed or deleted since their DSN was read. */
  async save(domain: string, checks: readonly NewCheck[]): Promise<void> {
    if (checks.length === 0) return
    const defaultKey = await this.#defaultKey()
    await this.#storage.transaction(async (tx: Transaction<SenderTables & TransportTables>) => {
      const revisions = await readRevisions(tx, checks)
      for (const { revision, check } of checks) {
        const { transportId } = check
        const isDefault = transportId === defaultTransportId
        if (!isDefault && revisions.get(transportId) !== revision) continue
        const columns = columnsOf(check, isDefault ? defaultKey : null)
        await tx
          .insertInto('sender_checks')
          .values({ domain, transport_id: transportId, ...columns })
          .onConflict((conflict) =>
            conflict.columns(['domain', 'transport_id']).doUpdateSet(columns),
          )
          .execute()
      }
      await prune(tx)
    })
  }

  /**
   * Claims pairs whose check is older than `before`, so that one process renews each.
   *
   * @returns Those that are claimed; the others are new enough, or another process has them.
   */
  async claim(
    pairs: readonly { domain: string; transportId: number }[],
    { now, before }: { now: number; before: number },
  ): Promise<{ domain: string; transportId: number }[]> {
    return this.#storage.transaction(async (tx: Transaction<SenderTables>) => {
      await this.#storage.lock(tx, 'sender checks')
      const claimed: { domain: string; transportId: number }[] = []
      for (const { domain, transportId } of pairs) {
        const row = await tx
          .selectFrom('sender_checks')
          .select(['checked_at', 'claimed_until'])
          .where('domain', '=', domain)
          .where('transport_id', '=', transportId)
          .executeTakeFirst()
        if (row !== undefined && (row.checked_at > before || row.claimed_until > now)) continue
        await tx
          .insertInto('sender_checks')
          .values({
            domain,
            transport_id: transportId,
            checked_at: 0,
            fresh_until: 0,
            claimed_until: now + claimMs,
          })
          .onConflict((conflict) =>
            conflict
              .columns(['domain', 'transport_id'])
              .doUpdateSet({ claimed_until: now + claimMs }),
          )
          .execute()
        claimed.push({ domain, transportId })
      }
      return claimed
    })
  }

  /** Finds when pairs were last checked and tried, for all stored checks. */
  async listTimes(): Promise<Map<string, CheckTimes>> {
    const { db } = this.#storage.lists<SenderTables>('senders', true)
    const rows = await db
      .selectFrom('sender_checks')
      .select(['domain', 'transport_id', 'checked_at', 'claimed_until'])
      .execute()
    return new Map(
      rows.map((row) => {
        const triedAt = Math.max(row.checked_at, row.claimed_until - claimMs)
        return [pairKey(row.domain, row.transport_id), { checkedAt: row.checked_at, triedAt }]
      }),
    )
  }

  /** Deletes the checks of a domain after something that they rest on has changed. */
  async forget(domain: string): Promise<void> {
    const db = this.#storage.tables<SenderTables>()
    await db.deleteFrom('sender_checks').where('domain', '=', domain).execute()
  }
}

/** The key of a domain and a transport in a map. */
export function pairKey(domain: string, transportId: number): string {
  return `${transportId} ${domain}`
}

/** Deletes the checks of a transport whose DSN changed, or that is deleted. */
export async function removeTransportChecks(
  transportId: number,
  tx: Transaction<object>,
): Promise<void> {
  const db = tx.withTables<SenderTables>()
  await db.deleteFrom('sender_checks').where('transport_id', '=', transportId).execute()
}

/** The check of the default ends with its DSN, which changes at a restart. */
function isCurrent(
  { transport_id, dsn_key }: Pick<SenderCheckRow, 'transport_id' | 'dsn_key'>,
  defaultKey: string | null,
): boolean {
  return transport_id !== defaultTransportId || dsn_key === defaultKey
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

async function prune(tx: Transaction<SenderTables>): Promise<void> {
  const { count } = await tx
    .selectFrom('sender_checks')
    .select(({ fn }) => fn.countAll().as('count'))
    .executeTakeFirstOrThrow()
  if (Number(count) <= checksMax) return
  const last = await tx
    .selectFrom('sender_checks')
    .select('checked_at')
    .orderBy('checked_at', 'desc')
    .offset(checksMax)
    .limit(1)
    .executeTakeFirst()
  if (last === undefined) return
  await tx.deleteFrom('sender_checks').where('checked_at', '<=', last.checked_at).execute()
}

function columnsOf(
  { verdict, sentence, reasons, records, members, dmarc, checkedAt, freshUntil }: StoredCheck,
  dsnKey: string | null,
): Omit<SenderCheckRow, 'domain' | 'transport_id'> {
  return {
    verdict,
    sentence,
    details: JSON.stringify({ reasons, records, members }),
    dmarc: JSON.stringify(dmarc),
    policy: dmarc.policy,
    checked_at: checkedAt,
    fresh_until: freshUntil,
    claimed_until: 0,
    dsn_key: dsnKey,
  }
}

function readCheck(row: SenderCheckRow): StoredCheck {
  const details = JSON.parse(row.details ?? '{}') as Pick<
    StoredCheck,
    'reasons' | 'records' | 'members'
  >
  return {
    transportId: row.transport_id,
    verdict: row.verdict ?? 'cannotTell',
    sentence: row.sentence ?? '',
    ...details,
    dmarc: JSON.parse(row.dmarc ?? '{}') as SenderDmarc,
    checkedAt: row.checked_at,
    freshUntil: row.fresh_until,
  }
}
