import { expressionBuilder, type QueryExecutorProvider, type Transaction } from 'kysely'
import { brandData, type EventSink } from '../../../core/published/index.ts'
import { type Caller, callerKey, type OfBrand } from '../../../kit/caller.ts'
import type { Clock } from '../../../kit/clock.ts'
import type { Log } from '../../../kit/log.ts'
import { Periodic } from '../../../kit/periodic.ts'
import { WorkQueue } from '../../../kit/work-queue.ts'
import { type Dns, type DnsCheck, findDkimKey } from '../../../libraries/dns/index.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import { type PublishedRecord, recordOf } from './dns-record.ts'
import { judgeRecord, type RecordJudgement } from './judge-record.ts'
import type { DkimKeyRow, DkimTables, KeyAlgorithm } from './table.ts'

/** A key whose record is not in DNS any more. */
interface MissingKey extends OfBrand {
  id: number
  domain: string
  selector: string
  /** What was found, as sentences. */
  problem: string
}

/** Whose messages a key signs. */
export interface KeySender {
  /** The domain in From. */
  domain: string
  /** Their brand; see `noBrand`. */
  brand: number
}

/** The key of a domain, and what DNS has at its name now. */
export interface DomainKey {
  algorithm: KeyAlgorithm
  /** Whether messages are signed with it: it is published here, and its record was found. */
  isActive: boolean
  record: PublishedRecord
  /** `equal`: receivers can verify with what DNS has. `failed`: DNS did not answer. */
  state: 'equal' | 'other' | 'failed'
}

export interface KeyCheckerOptions {
  storage: Storage
  dns: Dns
  clock: Clock
  log: Log
  /** Called after the keys that sign have changed. */
  onChanged: () => Promise<void>
  /** Hears of active keys whose record is gone. */
  published: EventSink
}

const intervalMs = 600_000
const dayMs = 86_400_000
/** How many keys one process looks up in a row. */
const atOnceMax = 4

/** Looks up the records of keys in DNS, each once a day, and notes what was found. */
export class KeyChecker {
  readonly #options: KeyCheckerOptions
  readonly checking: Periodic
  /** The look-ups that callers ask for. */
  readonly #requested = new WorkQueue({ totalMax: 8 })

  constructor(options: KeyCheckerOptions) {
    this.#options = options
    this.checking = new Periodic({
      task: (signal) => this.checkDue(signal),
      intervalMs,
      log: options.log,
      events: { failed: 'dkim keys not looked up', recovered: 'dkim keys looked up again' },
    })
  }

  /** Looks up all keys that are due. */
  async checkDue(signal: AbortSignal): Promise<void> {
    const { dns } = this.#options
    while (!signal.aborted) {
      const rows = await this.#claim()
      if (rows.length === 0) return
      await Promise.all(
        rows.map(async (row) => this.#note(row, await this.lookUp(row, dns.check(signal)))),
      )
    }
  }

  /**
   * Looks up one key now. A key that is deleted meanwhile stays deleted. Callers take turns, because a silent DNS server takes
   * seconds.
   *
   * @throws AppError (`rate_limited`) if the caller is waiting for too many.
   */
  check(id: number, caller: Caller): Promise<void> {
    return this.#requested.run(callerKey(caller), async () => {
      const query = this.#db.selectFrom('dkim_keys').selectAll().where('id', '=', id)
      const row = await query.executeTakeFirst()
      if (row !== undefined) await this.#note(row, await this.lookUp(row))
    })
  }

  /** Looks up the record of a key, and notes nothing. */
  async lookUp(
    key: Pick<DkimKeyRow, 'domain' | 'selector' | 'public_key'>,
    check = this.#options.dns.check(),
  ): Promise<RecordJudgement> {
    const { domain, selector, public_key: publicKey } = key
    const found = await findDkimKey(check, selector, domain)
    return judgeRecord(found, { name: `${selector}._domainkey.${domain}`, publicKey })
  }

  /** Finds the published key of a domain and brand, or else their newest one, and looks its record up; undefined if there is none. */
  async findKey({ domain, brand }: KeySender, check: DnsCheck): Promise<DomainKey | undefined> {
    const row = await this.#db
      .selectFrom('dkim_keys')
      .selectAll()
      .where('domain', '=', domain)
      .where('brand_id', '=', brand)
      .orderBy('is_published', 'desc')
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst()
    if (row === undefined) return undefined
    const judged = await this.lookUp(row, check)
    const isFound = judged.state === 'usable'
    if (isFound && row.active_at === null) await this.#note(row, judged)
    const { algorithm, selector, public_key: publicKey } = row
    // With a problem, receivers may not count its signatures.
    const isEqual = isFound && judged.problem === null
    return {
      algorithm,
      isActive: Boolean(row.is_published) && (isFound || row.active_at !== null),
      record: recordOf({ domain, selector, algorithm, publicKey }),
      state: isEqual ? 'equal' : judged.state === 'failed' ? 'failed' : 'other',
    }
  }

  /** Returns keys that are due, and notes that they are looked up, so that no other process takes them. */
  async #claim(): Promise<DkimKeyRow[]> {
    const now = this.#options.clock.now()
    const where = expressionBuilder<DkimTables, 'dkim_keys'>()
    const isDue = where(where.fn.coalesce('checked_at', 'date_added'), '<=', now - dayMs)
    // On SQLite a change would take the one writer at each interval.
    const due = this.#db.selectFrom('dkim_keys').select('id').where(isDue).limit(atOnceMax)
    const ids = (await due.execute()).map(({ id }) => id)
    if (ids.length === 0) return []
    const update = this.#db.updateTable('dkim_keys').set({ checked_at: now })
    return update.where('id', 'in', ids).where(isDue).returningAll().execute()
  }

  /** Writes what was found, unless the key is deleted by now. */
  async #note(seen: DkimKeyRow, judged: RecordJudgement): Promise<void> {
    const { clock, log, storage, onChanged, published } = this.#options
    const now = clock.now()
    const change = await storage.transaction(async (tx: Transaction<DkimTables>) => {
      const query = tx.selectFrom('dkim_keys').selectAll().where('id', '=', seen.id).forUpdate()
      const before = await query.executeTakeFirst()
      if (before === undefined) return undefined
      const shown = { ...foundColumns(before, judged, now), problem: judged.problem }
      const isChanged = Object.entries(shown).some(
        ([name, value]) => before[name as keyof typeof shown] !== value,
      )
      const revision = isChanged ? before.revision + 1 : before.revision
      const after = { ...before, ...shown, revision }
      const update = tx.updateTable('dkim_keys').set({ ...shown, revision, checked_at: now })
      await update.where('id', '=', before.id).execute()
      const isGone = before.absent_since === null && after.absent_since !== null
      if (isGone && after.is_published)
        await publishMissing(published, tx, { ...after, problem: after.problem ?? '' })
      return { isGone, isNew: before.active_at === null && after.active_at !== null }
    })
    if (change === undefined) return
    const { id, domain, selector } = seen
    if (change.isNew) log.info({ dkimKeyId: id, domain, selector }, 'dkim record found')
    if (change.isGone)
      log.warn({ dkimKeyId: id, domain, selector, problem: judged.problem }, 'dkim record missing')
    if (change.isGone) published.notify()
    if (change.isNew) await onChanged()
  }

  get #db() {
    return this.#options.storage.tables<DkimTables>()
  }
}

/** The columns that say whether a record is there. A DNS server that fails changes neither. */
function foundColumns(
  { active_at, absent_since }: DkimKeyRow,
  { state }: RecordJudgement,
  now: number,
): Pick<DkimKeyRow, 'active_at' | 'absent_since'> {
  if (state === 'failed') return { active_at, absent_since }
  if (state === 'usable') return { active_at: active_at ?? now, absent_since: null }
  return { active_at, absent_since: active_at === null ? null : (absent_since ?? now) }
}

async function publishMissing(
  published: EventSink,
  tx: QueryExecutorProvider,
  { id, brand_id, domain, selector, problem }: MissingKey,
): Promise<void> {
  if (!published.wants('dkim.missing')) return
  const message = `Receivers cannot verify the DKIM signatures of ${domain} any more. ${problem}`
  const data = { ...brandData(brand_id), dkimKeyId: id, domain, selector, problem, message }
  await published.publish(tx, [{ type: 'dkim.missing', data, cause: domain }])
}
