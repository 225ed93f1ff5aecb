import type { Kysely, Transaction } from 'kysely'
import { batches } from '../../../kit/batches.ts'
import { noBrand } from '../../../kit/caller.ts'
import { pause } from '../../../kit/pause.ts'
import { excluded, type Storage } from '../../../platform/storage/index.ts'
import type { SuppressionScope } from '../../suppressions/index.ts'
import { addressKeyOf } from '../contact-address.ts'
import type { MauticListEntryRow, MauticListRow, MauticTables } from '../table.ts'
import type { ListEntry } from './read-entries.ts'

/** An entry that was found or changed, and the address of its contact. */
export type FoundEntry = ListEntry & { addressKey: string }

/** Something that was taken off a list. */
export interface ListRemoval {
  mauticId: number
  /** Null if that is not known. */
  contactId: number | null
  address: string
  /** When, by Mautic's clock: an entry that was added later stays. */
  at: number
}

/** Rows of one statement or transaction. */
const rowsPerBatch = 500
/** Longer than from reading a page of a list to writing its entries. */
const keepMs = 86_400_000

/** The SQL of the Do not contact lists. */
export class ListStore {
  readonly #storage: Storage
  readonly #db: Kysely<MauticTables>

  constructor(storage: Storage) {
    this.#storage = storage
    this.#db = storage.tables<MauticTables>()
  }

  /** Returns how far a list was read. Undefined for a Mautic that was deleted. */
  async findList(mauticId: number): Promise<MauticListRow | undefined> {
    const mautic = this.#db.selectFrom('mautics').select('id').where('id', '=', mauticId)
    await this.#db
      .insertInto('mautic_lists')
      .columns(['mautic_id'])
      .expression(mautic)
      .onConflict((conflict) => conflict.column('mautic_id').doNothing())
      .execute()
    const query = this.#db.selectFrom('mautic_lists').selectAll()
    return query.where('mautic_id', '=', mauticId).executeTakeFirst()
  }

  async updateList(
    mauticId: number,
    values: Partial<Omit<MauticListRow, 'mautic_id' | 'seq'>>,
  ): Promise<void> {
    const update = this.#db.updateTable('mautic_lists').set(values)
    await update.where('mautic_id', '=', mauticId).execute()
  }

  /** Returns what is known of the entries with these ids. */
  findByIds(mauticId: number, ids: readonly number[]): Promise<MauticListEntryRow[]> {
    return ids.length === 0
      ? Promise.resolve([])
      : this.#entries(mauticId).selectAll().where('id', 'in', ids).execute()
  }

  /** Returns known entries in the order of their ids. */
  findAfterId(mauticId: number, after: number, limit: number): Promise<MauticListEntryRow[]> {
    const later = this.#entries(mauticId).selectAll().where('id', '>', after)
    return later.orderBy('id').limit(limit).execute()
  }

  /** Returns known entries in the order in which they were found. */
  findAfterSeq(mauticId: number, after: number): Promise<MauticListEntryRow[]> {
    const later = this.#entries(mauticId).selectAll().where('seq', '>', after)
    return later.orderBy('seq').limit(rowsPerBatch).execute()
  }

  /**
   * Writes entries that were found or changed, as they were read at `readAt`. Left out is what was taken off the list since
   * then: another reading finds it, if it is there again.
   */
  async save(mauticId: number, entries: readonly FoundEntry[], readAt: number): Promise<void> {
    for (const batch of batches(entries, rowsPerBatch)) {
      await this.#storage.transaction((tx: Transaction<MauticTables>) =>
        saveEntries(tx, mauticId, { entries: batch, readAt }),
      )
      await pause()
    }
  }

  /** Says since when known entries between two ids are gone; all later ones without `upTo`. Those of `presentIds` are there. */
  async markMissing(
    mauticId: number,
    { after: from, upTo, presentIds, now }: MissingRange,
  ): Promise<void> {
    for (let after = from; ; ) {
      const between = this.#entries(mauticId)
        .select('id')
        .distinct()
        .where('id', '>', after)
        .where('missing_since', 'is', null)
        .$if(upTo !== undefined, (query) => query.where('id', '<=', upTo ?? 0))
        .$if(presentIds.length > 0, (query) => query.where('id', 'not in', presentIds))
      const rows = await between.orderBy('id').limit(rowsPerBatch).execute()
      const last = rows.at(-1)
      if (last === undefined) return
      const ids = rows.map(({ id }) => id)
      const update = this.#db.updateTable('mautic_list_entries').set({ missing_since: now })
      await update.where('mautic_id', '=', mauticId).where('id', 'in', ids).execute()
      after = last.id
      await pause()
    }
  }

  /** Says since when entries are gone. */
  async markEntriesMissing(entries: readonly MauticListEntryRow[], now: number): Promise<void> {
    for (const entry of entries) await updateEntry(this.#db, entry, { missing_since: now })
  }

  async countMissing(mauticId: number): Promise<number> {
    const counted = this.#entries(mauticId)
      .select((row) => row.fn.countAll<number>().as('count'))
      .where('missing_since', 'is not', null)
    return Number((await counted.executeTakeFirstOrThrow()).count)
  }

  /** Whether at least `count` entries are known. */
  async hasEntries(mauticId: number, count: number): Promise<boolean> {
    const last = this.#entries(mauticId)
      .select('id')
      .orderBy('id')
      .limit(1)
      .offset(count - 1)
    return (await last.executeTakeFirst()) !== undefined
  }

  /** Returns some entries that have been gone since a time or longer. */
  findMissing(mauticId: number, since: number): Promise<MauticListEntryRow[]> {
    const missing = this.#entries(mauticId).selectAll().where('missing_since', '<=', since)
    return missing.limit(rowsPerBatch).execute()
  }

  /** Returns which of these addresses no entry of a list has, apart from some entries. */
  async findUnlisted(
    mauticId: number,
    addressKeys: readonly string[],
    apartFrom: readonly Pick<MauticListEntryRow, 'id'>[] = [],
  ): Promise<string[]> {
    const keys = [...new Set(addressKeys)].filter((key) => key !== '')
    if (keys.length === 0) return []
    const leftOut = apartFrom.map(({ id }) => id)
    const rows = await this.#entries(mauticId)
      .select('address_key')
      .distinct()
      .where('address_key', 'in', keys)
      .where('missing_since', 'is', null)
      .$if(leftOut.length > 0, (query) => query.where('id', 'not in', leftOut))
      .execute()
    const listed = new Set(rows.map((row) => row.address_key))
    return keys.filter((key) => !listed.has(key))
  }

  /**
   * Lets the entries of other Mautics with these addresses be applied again: a domain that several Mautics send from has one
   * suppression of an address, with one source. Returns these Mautics.
   */
  async renewElsewhere(mauticId: number, addressKeys: readonly string[]): Promise<number[]> {
    if (addressKeys.length === 0) return []
    const rows = await this.#db
      .selectFrom('mautics')
      .innerJoin('mautic_list_entries as entry', 'entry.mautic_id', 'mautics.id')
      .select(['entry.mautic_id', 'entry.id', 'entry.contact_id'])
      .where('mautics.id', '<>', mauticId)
      .where('address_key', 'in', addressKeys)
      .execute()
    for (const row of rows)
      await this.#storage.transaction(async (tx: Transaction<MauticTables>) => {
        const seq = await lockList(tx, row.mautic_id, 1)
        if (seq !== undefined) await updateEntry(tx, row, { seq })
      })
    return [...new Set(rows.map((row) => row.mautic_id))]
  }

  /** Deletes entries that are gone, unless they were found again. */
  async removeMissing(mauticId: number, ids: readonly number[]): Promise<void> {
    const removal = this.#db.deleteFrom('mautic_list_entries').where('mautic_id', '=', mauticId)
    await removal.where('id', 'in', ids).where('missing_since', 'is not', null).execute()
  }

  /** Deletes the entries of a contact that were added before a removal, and notes it for what is being read. */
  async remove({ mauticId, contactId, address, at }: ListRemoval): Promise<void> {
    await this.#storage.transaction(async (tx: Transaction<MauticTables>) => {
      await lockList(tx, mauticId, 0)
      await noteListRemoval(this.#storage, tx, { mauticId, address })
      const removal = tx.deleteFrom('mautic_list_entries').where('mautic_id', '=', mauticId)
      await removal
        .where('address_key', '=', addressKeyOf(address))
        .where('added_at', '<=', at)
        .$if(contactId !== null, (query) => query.where('contact_id', '=', contactId ?? 0))
        .execute()
    })
  }

  /** Deletes removals that no reading can meet any more. */
  async pruneRemovals(): Promise<void> {
    const old = this.#db.deleteFrom('mautic_list_removals')
    await old.where('removed_at', '<', (await this.#storage.now()) - keepMs).execute()
  }

  /** Returns the ids of all connected Mautics. */
  async listMautics(): Promise<number[]> {
    return (await this.#db.selectFrom('mautics').select('id').execute()).map(({ id }) => id)
  }

  /** Lists what entries are to be applied to, and up to which `seq` they were: the brand of the Mautic, else its domains. */
  async findScopesBehind(mauticId: number): Promise<(SuppressionScope & { appliedTo: number })[]> {
    const list = await this.#db
      .selectFrom('mautic_lists')
      .innerJoin('mautics', 'mautics.id', 'mautic_lists.mautic_id')
      .select(['seq', 'applied_brand', 'applied_to', 'brand_id as brand'])
      .where('mautic_id', '=', mauticId)
      .executeTakeFirst()
    if (list === undefined) return []
    const { seq, brand } = list
    const scopes =
      brand === noBrand
        ? await this.#findDomains(mauticId)
        : [{ senderDomain: null, appliedTo: list.applied_brand === brand ? list.applied_to : 0 }]
    return scopes.filter(({ appliedTo }) => appliedTo < seq).map((each) => ({ ...each, brand }))
  }

  #findDomains(mauticId: number) {
    const domains = this.#db.selectFrom('mautic_domains').where('mautic_id', '=', mauticId)
    const columns = domains.select(['domain as senderDomain', 'applied_to as appliedTo'])
    return columns.orderBy('domain').execute()
  }

  async noteApplied(
    mauticId: number,
    { brand, senderDomain }: SuppressionScope,
    seq: number,
  ): Promise<void> {
    if (senderDomain === null)
      return this.updateList(mauticId, { applied_brand: brand, applied_to: seq })
    const domain = this.#db.updateTable('mautic_domains').set({ applied_to: seq })
    await domain.where('mautic_id', '=', mauticId).where('domain', '=', senderDomain).execute()
  }

  #entries(mauticId: number) {
    return this.#db.selectFrom('mautic_list_entries').where('mautic_id', '=', mauticId)
  }
}

interface MissingRange {
  after: number
  upTo: number | undefined
  presentIds: readonly number[]
  now: number
}

type EntryKey = Pick<MauticListEntryRow, 'mautic_id' | 'id' | 'contact_id'>

/** An id may mean another contact than before, if contacts were merged or Mautic was reinstalled. */
export function entryKey(entry: Pick<MauticListEntryRow, 'id' | 'contact_id'>): string {
  return `${entry.id} ${entry.contact_id}`
}

async function updateEntry(
  db: Kysely<MauticTables>,
  { mautic_id: mauticId, id, contact_id: contactId }: EntryKey,
  values: Partial<Pick<MauticListEntryRow, 'seq' | 'missing_since'>>,
): Promise<void> {
  const update = db.updateTable('mautic_list_entries').set(values)
  const ofId = update.where('mautic_id', '=', mauticId).where('id', '=', id)
  await ofId.where('contact_id', '=', contactId).execute()
}

async function saveEntries(
  tx: Transaction<MauticTables>,
  mauticId: number,
  { entries, readAt }: { entries: readonly FoundEntry[]; readAt: number },
): Promise<void> {
  const seq = await lockList(tx, mauticId, entries.length)
  if (seq === undefined) return
  const keys = [...new Set(entries.map(({ addressKey }) => addressKey))]
  // In this order: a report that was taken back is deleted after its removal is noted.
  const isReported = await findReported(tx, mauticId, keys)
  const isOutdated = await findRemoved(tx, mauticId, { keys, since: readAt })
  const rows = entries
    .map(({ id, contactId, addressKey, reason, addedAt }, index) => ({
      mautic_id: mauticId,
      id,
      contact_id: contactId,
      address_key: addressKey,
      reason,
      added_at: addedAt,
      seq: seq - entries.length + index + 1,
      is_reported: isReported.has(`${reason} ${addressKey}`),
      missing_since: null,
    }))
    .filter((row) => !isOutdated.has(row.address_key))
  if (rows.length === 0) return
  await tx
    .insertInto('mautic_list_entries')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['mautic_id', 'id', 'contact_id']).doUpdateSet({
        ...excluded('address_key', 'reason', 'added_at', 'seq', 'is_reported'),
        missing_since: null,
      }),
    )
    .execute()
}

/** Returns reason and address of what Mailyard has reported, or is about to. */
async function findReported(
  tx: Transaction<MauticTables>,
  mauticId: number,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await tx
    .selectFrom('mautic_reports')
    .select(['address_key', 'reason'])
    .where('mautic_id', '=', mauticId)
    .where('address_key', 'in', keys)
    .where('state', '<>', 'failed')
    .execute()
  return new Set(rows.map((row) => `${row.reason} ${row.address_key}`))
}

/** Returns the addresses that were taken off a list since a time. */
async function findRemoved(
  tx: Transaction<MauticTables>,
  mauticId: number,
  { keys, since }: { keys: readonly string[]; since: number },
): Promise<ReadonlySet<string>> {
  const removals = tx.selectFrom('mautic_list_removals').select('address_key')
  const ofKeys = removals.where('mautic_id', '=', mauticId).where('address_key', 'in', keys)
  const rows = await ofKeys.where('removed_at', '>=', since).execute()
  return new Set(rows.map((row) => row.address_key))
}

/** Makes changes of a Mautic's list wait for each other until the transaction ends, and returns the `seq` after `count` more. */
async function lockList(
  tx: Transaction<MauticTables>,
  mauticId: number,
  count: number,
): Promise<number | undefined> {
  const update = tx
    .updateTable('mautic_lists')
    .set((set) => ({ seq: set('seq', '+', count) }))
    .where('mautic_id', '=', mauticId)
  return (await update.returning('seq').executeTakeFirst())?.seq
}

/** Notes that an address was taken off a Mautic's Do not contact list now: a page that was read before is out of date. */
export async function noteListRemoval(
  storage: Storage,
  db: Kysely<MauticTables>,
  { mauticId, address }: { mauticId: number; address: string },
): Promise<void> {
  const row = {
    mautic_id: mauticId,
    address_key: addressKeyOf(address),
    removed_at: await storage.now(db),
  }
  await db
    .insertInto('mautic_list_removals')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['mautic_id', 'address_key']).doUpdateSet(excluded('removed_at')),
    )
    .execute()
}

/**
 * Forgets what was read of a Mautic's list, so that it is read again. Its suppressions stay. The entries are deleted in parts:
 * a list may have millions.
 */
export async function forgetList(db: Kysely<MauticTables>, mauticId: number): Promise<void> {
  for (let after = 0; ; ) {
    const entries = db.selectFrom('mautic_list_entries').where('mautic_id', '=', mauticId)
    const later = entries.select('id').where('id', '>', after).orderBy('id')
    const last = (await later.limit(rowsPerBatch).execute()).at(-1)
    if (last === undefined) break
    const removal = db.deleteFrom('mautic_list_entries').where('mautic_id', '=', mauticId)
    await removal.where('id', '>', after).where('id', '<=', last.id).execute()
    after = last.id
    await pause()
  }
  await db.deleteFrom('mautic_lists').where('mautic_id', '=', mauticId).execute()
  const domains = db.updateTable('mautic_domains').set({ applied_to: 0 })
  await domains.where('mautic_id', '=', mauticId).execute()
}
