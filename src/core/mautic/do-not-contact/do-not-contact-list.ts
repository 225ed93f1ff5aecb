import { startStopwatch } from '../../../kit/clock.ts'
import type { Log } from '../../../kit/log.ts'
import { createOutage, type Outage } from '../../../kit/outage.ts'
import { pause } from '../../../kit/pause.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import { type MauticClient, MauticError } from '../../mautic-client/index.ts'
import { inputOf, type SuppressionScope } from '../../suppressions/index.ts'
import { addressKeyOf } from '../contact-address.ts'
import { isSourceGone, type ReportReason, reportReasons, sourceOf } from '../reports/report.ts'
import type { MauticListEntryRow, MauticListRow, MauticTables } from '../table.ts'
import { entryKey, type FoundEntry, forgetList, type ListRemoval, ListStore } from './list-store.ts'
import { type ListPage, type ListQuery, readAddresses, readEntries } from './read-entries.ts'

/** An entry of a list, applied to a brand or a domain. */
interface ListSuppression {
  address: string
  reason: ReportReason
  /** Only email of this brand is stopped, or from this domain. */
  brand: number | null
  senderDomain: string | null
  source: string
}

/** Where the entries of a Mautic's Do not contact list are stored. */
export interface SuppressionTarget {
  /** Adds suppressions; one that exists stays as it is. */
  add(suppressions: readonly ListSuppression[]): Promise<unknown>
  /** Removes the suppressions of addresses that have this source, and takes back what was reported of them. */
  liftBySource(addresses: readonly string[], source: string): Promise<void>
  /** Gives suppressions of the same addresses and domains these sources, where theirs is gone. */
  replaceSources(
    suppressions: readonly ListSuppression[],
    isGone: (source: string) => boolean,
  ): Promise<void>
}

export interface DoNotContactListOptions {
  storage: Storage
  suppressions: SuppressionTarget
  log: Log
  /** Called with entries that were added or changed since the last reading, once they are stored. */
  onFound?: (mauticId: number, entries: readonly FoundEntry[]) => Promise<void>
  /** How long one run reads changes, and then the whole list, in milliseconds. Default: 20 s. */
  budgetMs?: number
  /** A list with more entries is not read any further. Default: 20 million. */
  entriesMax?: number
}

/** What one run reads. */
export interface ListRun {
  mauticId: number
  client: Pick<MauticClient, 'get'>
  /** Whether the whole list is read, and not only what was added or changed since the last time. */
  isAll: boolean
  signal: AbortSignal
}

/** How a run ended. */
export interface ListRunResult {
  /** Whether the whole list is being read, and the next run goes on with it. */
  hasMore: boolean
  /** What a person has to know, as a sentence. */
  problem: string | null
}

/** How long one run reads changes, and then the whole list: emails and users are read in between. */
const defaultBudgetMs = 20_000
/** A list with more entries than this may have no end. */
const defaultEntriesMax = 20_000_000
/** The clocks of Mailyard and Mautic may differ this much. What is missed is found by the next full reading. */
const overlapMs = 600_000
/** If more than half of at least this number of entries are gone at once, their suppressions stay for a while. */
const allGoneMin = 5
const holdMs = 86_400_000
/** Addresses that are read again after each full reading: that of a contact may change. */
const addressesPerRun = 20_000
const addressesPerBatch = 1_000

/**
 * The Do not contact lists of Mautics. They are read once in whole, then what was added or changed, and from time to time in
 * whole again, to find what was removed. Each entry is applied once to the brand of its Mautic, or else to each domain that it sends from, as a
 * suppression: one that a person deletes in Mailyard does not come back, unless the entry changes.
 */
export class DoNotContactList {
  readonly #options: DoNotContactListOptions
  readonly #store: ListStore
  readonly #outage: Outage
  readonly #applying = new Map<number, Promise<void>>()
  readonly #stopping = new AbortController()

  constructor(options: DoNotContactListOptions) {
    this.#options = options
    this.#store = new ListStore(options.storage)
    this.#outage = createOutage(options.log, {
      level: 'warn',
      failed: 'do not contact of mautic not applied',
      recovered: 'do not contact of mautic applied again',
    })
  }

  /**
   * Reads a list, and applies what is new. A run that is interrupted is continued by the next one.
   *
   * @throws {MauticError}
   */
  async synchronize(run: ListRun): Promise<ListRunResult> {
    try {
      return await this.#read(run)
    } finally {
      await this.apply(run.mauticId, run.signal)
    }
  }

  /** Applies a list to a new domain in the background. If that fails, the next synchronization does it. */
  applyLater(mauticId: number): void {
    const { signal } = this.#stopping
    if (signal.aborted) return
    void this.apply(mauticId, signal).then(this.#outage.recover, (error) => {
      if (!signal.aborted) this.#outage.report(error)
    })
  }

  /** Applies what was read of a list to the domains that it is not applied to yet. */
  apply(mauticId: number, signal: AbortSignal): Promise<void> {
    const before = this.#applying.get(mauticId)?.catch(() => undefined) ?? Promise.resolve()
    const applying = before.then(() => this.#applyAll(mauticId, signal))
    this.#applying.set(mauticId, applying)
    const forget = () => {
      if (this.#applying.get(mauticId) === applying) this.#applying.delete(mauticId)
    }
    applying.then(forget, forget)
    return applying
  }

  /** Takes an entry over that is off the list, unless another contact with its address is on it. */
  async remove(removal: ListRemoval): Promise<void> {
    await this.#store.remove(removal)
    await this.#lift(removal.mauticId, [addressKeyOf(removal.address)])
  }

  /** Forgets what was read of a Mautic that is about to be deleted. */
  forget(mauticId: number): Promise<void> {
    return forgetList(this.#options.storage.tables<MauticTables>(), mauticId)
  }

  prune(): Promise<void> {
    return this.#store.pruneRemovals()
  }

  /** Resolves when nothing is being applied any more: whether something was. */
  async idle(): Promise<boolean> {
    return (await Promise.allSettled(this.#applying.values())).length > 0
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.allSettled(this.#applying.values())
  }

  async #read(run: ListRun): Promise<ListRunResult> {
    const { mauticId, isAll } = run
    const list = await this.#store.findList(mauticId)
    if (list === undefined) return { hasMore: false, problem: null }
    await this.#checkSize(list)
    const { read_at: readAt, after_id: afterId } = list
    // More changes than one run can read are read with the whole list, which the next run goes on with.
    const isUpToDate = readAt !== null && (await this.#readChanges(run, readAt))
    if (isUpToDate && afterId === null && !isAll)
      return { hasMore: false, problem: heldProblem(list.held) }
    if (afterId === null) {
      list.started_at = await this.#options.storage.now()
      await this.#store.updateList(mauticId, { after_id: 0, started_at: list.started_at })
    }
    if (!(await this.#readAll(run, afterId ?? 0)))
      return { hasMore: true, problem: heldProblem(list.held) }
    const held = await this.#removeMissing(run)
    await this.#store.updateList(mauticId, {
      after_id: null,
      read_at: Math.max(readAt ?? 0, list.started_at ?? 0),
      held,
    })
    await this.#refreshAddresses(run, list)
    return { hasMore: false, problem: heldProblem(held) }
  }

  /** Throws a MauticError for a list that may have no end. Each entry has increased `seq`, and so has each change of one. */
  async #checkSize({ mautic_id: mauticId, seq }: MauticListRow): Promise<void> {
    const { entriesMax: max = defaultEntriesMax } = this.#options
    if (seq <= max || !(await this.#store.hasEntries(mauticId, max + 1))) return
    throw new MauticError('unexpected', {
      detail: `The list of Do not contact has more than ${max} entries. It is not read any further; what was read stays in force.`,
      hint: 'Check that url names a Mautic. Then delete this connection, and create it again.',
    })
  }

  /** Reads what was added or changed. Returns false if there is more than fits into this run. */
  async #readChanges(run: ListRun, since: number): Promise<boolean> {
    const { storage, budgetMs = defaultBudgetMs } = this.#options
    const startedAt = await storage.now()
    const elapsedMs = startStopwatch()
    for (let after = 0; ; ) {
      const page = await this.#readPage(run, { after, since: since - overlapMs })
      if (page.isLast) break
      if (elapsedMs() >= budgetMs) return false
      after = page.lastId
    }
    await this.#store.updateList(run.mauticId, { read_at: startedAt })
    return true
  }

  /** Reads the whole list from an id on. Returns false if there is more than fits into this run. */
  async #readAll(run: ListRun, from: number): Promise<boolean> {
    const { mauticId } = run
    const { storage, budgetMs = defaultBudgetMs } = this.#options
    const elapsedMs = startStopwatch()
    for (let after = from; ; ) {
      const { entries, lastId, isLast } = await this.#readPage(run, { after })
      await this.#store.markMissing(mauticId, {
        after,
        upTo: isLast ? undefined : lastId,
        presentIds: entries.map(({ id }) => id),
        now: await storage.now(),
      })
      if (isLast) return true
      after = lastId
      await this.#store.updateList(mauticId, { after_id: after })
      if (elapsedMs() >= budgetMs) return false
    }
  }

  /** Reads one page, and writes what is new in it. */
  async #readPage(
    { mauticId, client, signal }: ListRun,
    query: Pick<ListQuery, 'after' | 'since'>,
  ): Promise<ListPage> {
    const readAt = await this.#options.storage.now()
    const page = await readEntries(client, { ...query, signal })
    const ids = page.entries.map(({ id }) => id)
    const known = await this.#store.findByIds(mauticId, ids)
    const byKey = new Map(known.map((row) => [entryKey(row), row]))
    const fresh = page.entries.filter((entry) => {
      const row = byKey.get(entryKey({ id: entry.id, contact_id: entry.contactId }))
      if (row === undefined || row.missing_since !== null) return true
      return row.reason !== entry.reason || row.added_at !== entry.addedAt
    })
    const contactIds = [...new Set(fresh.map(({ contactId }) => contactId))]
    const addresses = await readAddresses(client, contactIds, signal)
    const changed = fresh.map((entry) => {
      const row = byKey.get(entryKey({ id: entry.id, contact_id: entry.contactId }))
      return { ...entry, addressKey: addresses.get(entry.contactId) ?? row?.address_key ?? '' }
    })
    await this.#store.save(mauticId, changed, readAt)
    if (query.since !== undefined) await this.#options.onFound?.(mauticId, changed)
    const contactOf = new Map(page.entries.map(({ id, contactId }) => [id, contactId]))
    const replaced = known.filter((row) => contactOf.get(row.id) !== row.contact_id)
    await this.#store.markEntriesMissing(
      replaced.filter((row) => row.missing_since === null),
      readAt,
    )
    return page
  }

  /** Undoes what is gone, unless most of the list is gone at once. Returns how many entries stay in force for now. */
  async #removeMissing({ mauticId, signal }: ListRun): Promise<number> {
    const missing = await this.#store.countMissing(mauticId)
    const now = await this.#options.storage.now()
    const isHeld = missing >= allGoneMin && !(await this.#store.hasEntries(mauticId, missing * 2))
    const since = isHeld ? now - holdMs : now
    for (;;) {
      signal.throwIfAborted()
      const gone = await this.#store.findMissing(mauticId, since)
      if (gone.length === 0) break
      await this.#lift(
        mauticId,
        gone.map((row) => row.address_key),
      )
      const ids = gone.map(({ id }) => id)
      await this.#store.removeMissing(mauticId, ids)
      this.#options.log.info({ mauticId, entries: gone.length }, 'contacts may be sent to again')
    }
    return isHeld ? this.#store.countMissing(mauticId) : 0
  }

  /** Reads some addresses again. An entry counts for the address that its contact has now. */
  async #refreshAddresses(run: ListRun, { address_after: from }: MauticListRow): Promise<void> {
    const { mauticId, client, signal } = run
    let after = from
    for (let read = 0; read < addressesPerRun; read += addressesPerBatch) {
      const readAt = await this.#options.storage.now()
      const rows = await this.#store.findAfterId(mauticId, after, addressesPerBatch)
      const contactIds = [...new Set(rows.map((row) => row.contact_id))]
      const addresses = await readAddresses(client, contactIds, signal)
      const moved = rows.filter((row) => {
        const address = addresses.get(row.contact_id)
        return row.missing_since === null && address !== undefined && address !== row.address_key
      })
      await this.#lift(
        mauticId,
        moved.map((row) => row.address_key),
        moved,
      )
      const entries = moved.map((row) => ({
        id: row.id,
        contactId: row.contact_id,
        addressKey: addresses.get(row.contact_id) ?? '',
        reason: row.reason,
        addedAt: row.added_at,
      }))
      await this.#store.save(mauticId, entries, readAt)
      after = rows.length < addressesPerBatch ? 0 : (rows.at(-1)?.id ?? 0)
      await this.#store.updateList(mauticId, { address_after: after })
      if (after === 0) return
    }
  }

  async #applyAll(mauticId: number, signal: AbortSignal): Promise<void> {
    for (const scope of await this.#store.findScopesBehind(mauticId)) {
      for (let after = scope.appliedTo; ; ) {
        signal.throwIfAborted()
        const rows = await this.#store.findAfterSeq(mauticId, after)
        const last = rows.at(-1)
        if (last === undefined) break
        await this.#applyRows(mauticId, scope, rows)
        after = last.seq
        await this.#store.noteApplied(mauticId, scope, after)
        await pause()
      }
    }
  }

  async #applyRows(
    mauticId: number,
    scope: SuppressionScope,
    rows: readonly MauticListEntryRow[],
  ): Promise<void> {
    const applied = rows.filter(
      (row) => row.address_key !== '' && !row.is_reported && row.missing_since === null,
    )
    const source = sourceOf(mauticId)
    const { suppressions: target } = this.#options
    const suppressions = applied.map((row) => {
      return { address: row.address_key, reason: reasonOf(row.reason), ...inputOf(scope), source }
    })
    await target.add(suppressions)
    // A Mautic that is connected again has another id than before.
    const mauticIds = await this.#store.listMautics()
    await target.replaceSources(suppressions, (each) => isSourceGone(each, mauticIds))
    // What was taken off the list meanwhile was lifted before it was added.
    await this.#lift(
      mauticId,
      applied.map((row) => row.address_key),
    )
  }

  /** Removes the suppressions of addresses that are not on the list of a Mautic, apart from some entries. */
  async #lift(
    mauticId: number,
    addresses: readonly string[],
    apartFrom: readonly MauticListEntryRow[] = [],
  ): Promise<void> {
    const unlisted = await this.#store.findUnlisted(mauticId, addresses, apartFrom)
    await this.#options.suppressions.liftBySource(unlisted, sourceOf(mauticId))
    for (const other of await this.#store.renewElsewhere(mauticId, unlisted)) this.applyLater(other)
  }
}

/** The entries of a later version of Mautic may have other reasons. */
function reasonOf(reason: number): ReportReason {
  const names = Object.keys(reportReasons) as ReportReason[]
  return names.find((name) => reportReasons[name] === reason) ?? 'manual'
}

function heldProblem(held: number): string | null {
  if (held === 0) return null
  return (
    `${held} entries of Do not contact, most of the list, are gone from Mautic at once. Their suppressions stay until they ` +
    'have been gone for a day. Check that this Mautic has its data.'
  )
}
