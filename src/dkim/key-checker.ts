import type { QueryExecutorProvider, Transaction } from 'kysely'
import { type Dns, findDkimKey } from '../dns/index.ts'
import { type Caller, callerKey } from '../kit/caller.ts'
import type { Clock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import { Periodic } from '../kit/periodic.ts'
import { WorkQueue } from '../kit/work-queue.ts'
import type { Keyring, Storage } from '../storage/index.ts'
import type { DkimSecrets } from './dkim-secrets.ts'
import { recordName } from './dns-record.ts'
import { judgeRecord, type RecordJudgement } from './judge-record.ts'
import { type KeyLookUp, readRemovable, stateAfter } from './state-after.ts'
import type { DkimKeyRow, DkimTables } from './table.ts'

/** A key whose record is not in DNS any more. */
export interface MissingKey {
  id: number
  domain: string
  selector: string
  /** What was found, as sentences. */
  problem: string
}

/** Dependencies of `KeyChecker`. */
export interface KeyCheckerOptions {
  storage: Storage
  keyring: Keyring
  secrets: DkimSecrets
  dns: Dns
  clock: Clock
  log: Log
  /** How often keys are looked for that are due, in milliseconds. */
  intervalMs: number
  /** Called after the keys that sign have changed. */
  onChanged: () => Promise<void>
  /** Called, in the transaction, where an active key becomes missing. */
  onMissing: (tx: QueryExecutorProvider, key: MissingKey) => Promise<void>
  /** Called after that transaction. */
  onMissingCommitted: () => void
}

/** How many keys one process looks up at a time. */
const atOnceMax = 4
/** For how long a process has a key to itself: longer than a look-up takes. */
const claimMs = 120_000

/** What is said of a next key that cannot be decrypted: it cannot sign, although its record is there. */
const unreadableNext: RecordJudgement = {
  state: 'unusable',
  problem:
    'The record was found, but the private key of this next key cannot be decrypted, because its data key is missing. Cancel the rotation, start another one, and publish its record.',
}

/** Looks up the records of keys in DNS, and notes what was found. Each key is looked up by one process at a time. */
export class KeyChecker {
  readonly #options: KeyCheckerOptions
  readonly #checking: Periodic
  /** The look-ups that callers ask for. */
  readonly #requested = new WorkQueue({ totalMax: 8 })

  constructor(options: KeyCheckerOptions) {
    this.#options = options
    this.#checking = new Periodic({
      task: (signal) => this.checkDue(signal),
      intervalMs: options.intervalMs,
      runsAtStart: true,
      log: options.log,
      events: { failed: 'dkim keys not looked up', recovered: 'dkim keys looked up again' },
    })
  }

  start(): void {
    this.#checking.start()
  }

  stop(): Promise<void> {
    return this.#checking.stop()
  }

  /** Looks up all keys that are due. */
  async checkDue(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const rows = await this.#claim()
      if (rows.length === 0) return
      await Promise.all(rows.map((row) => this.#check(row, signal)))
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
      if (row !== undefined) await this.#check(row)
    })
  }

  /** Returns keys that are due, and postpones them, so that no other process takes them. */
  async #claim(): Promise<DkimKeyRow[]> {
    const now = this.#options.clock.now()
    // On SQLite a transaction would take the one writer at each interval.
    const due = this.#db.selectFrom('dkim_keys').select('id').where('check_at', '<=', now).limit(1)
    if ((await due.executeTakeFirst()) === undefined) return []
    return this.#options.storage.transaction(async (tx: Transaction<DkimTables>) => {
      const query = tx.selectFrom('dkim_keys').selectAll().where('check_at', '<=', now)
      const rows = await query.orderBy('check_at').limit(atOnceMax).forUpdate().execute()
      const ids = rows.map(({ id }) => id)
      if (ids.length === 0) return []
      const update = tx.updateTable('dkim_keys').set({ check_at: now + claimMs })
      await update.where('id', 'in', ids).execute()
      return rows
    })
  }

  async #check(row: DkimKeyRow, signal?: AbortSignal): Promise<void> {
    const lookUp = await this.#lookUp(row, signal)
    // What was cancelled says nothing.
    if (signal?.aborted === true) return
    const { clock, log, storage, onChanged, onMissingCommitted } = this.#options
    const change = await storage.transaction((tx: Transaction<DkimTables>) =>
      this.#write(tx, { seen: row, lookUp, now: clock.now() }),
    )
    if (change === undefined) return
    const { before, after } = change
    const facts = { dkimKeyId: after.id, domain: after.domain, selector: after.selector }
    if (before.selector !== after.selector)
      log.info({ ...facts, oldSelector: before.selector }, 'dkim key replaced')
    else if (before.state !== after.state && after.state === 'active')
      log.info(facts, 'dkim key active')
    else if (before.state !== after.state)
      log.warn({ ...facts, problem: after.problem }, 'dkim record missing')
    else return
    if (after.state === 'missing') onMissingCommitted()
    await onChanged()
  }

  async #lookUp(row: DkimKeyRow, signal: AbortSignal | undefined): Promise<KeyLookUp> {
    const { dns } = this.#options
    const check = dns.check(signal)
    const judge = async (selector: string, publicKey: string): Promise<RecordJudgement> => {
      const found = await findDkimKey(check, selector, row.domain)
      return judgeRecord(found, { name: recordName(selector, row.domain), publicKey })
    }
    const { next_selector: nextSelector, next_public_key: nextKey } = row
    const hasNext = nextSelector !== null && nextKey !== null
    const [current, next, removed] = await Promise.all([
      judge(row.selector, row.public_key),
      hasNext ? judge(nextSelector, nextKey) : undefined,
      Promise.all(
        readRemovable(row).map(async ({ selector }) => {
          const { state } = await findDkimKey(check, selector, row.domain)
          return state === 'absent' ? [selector] : []
        }),
      ),
    ])
    return { current, next, removed: removed.flat() }
  }

  /** Writes what was found, unless the key is another one by now. */
  async #write(
    tx: Transaction<DkimTables>,
    { seen, lookUp, now }: { seen: DkimKeyRow; lookUp: KeyLookUp; now: number },
  ): Promise<{ before: DkimKeyRow; after: DkimKeyRow } | undefined> {
    const { keyring, secrets, onMissing } = this.#options
    const query = tx.selectFrom('dkim_keys').selectAll().where('id', '=', seen.id).forUpdate()
    const before = await query.executeTakeFirst()
    const isSame =
      before?.public_key === seen.public_key && before.next_public_key === seen.next_public_key
    if (before === undefined || !isSame) return undefined
    const isNextFound = lookUp.next?.state === 'usable'
    const text = isNextFound
      ? await secrets.open(before, 'next_private_key', { isMany: true })
      : undefined
    const isUnreadable = isNextFound && !text
    const known = isUnreadable ? { ...lookUp, next: unreadableNext } : lookUp
    const change = stateAfter(before, known, now)
    if (text) change.private_key = secrets.sealWith(await keyring.sealer(tx), 'private_key', text)
    const { checked_at: _checkedAt, check_at: _checkAt, ...shown } = change
    const isChanged = Object.entries(shown).some(
      ([name, value]) => before[name as keyof DkimKeyRow] !== value,
    )
    const revision = isChanged ? before.revision + 1 : before.revision
    const after = { ...before, ...change, revision }
    const update = tx.updateTable('dkim_keys').set({ ...change, revision })
    await update.where('id', '=', before.id).execute()
    if (before.state === 'active' && after.state === 'missing')
      await onMissing(tx, { ...after, problem: after.problem ?? '' })
    return { before, after }
  }

  get #db() {
    return this.#options.storage.tables<DkimTables>()
  }
}
