import type { Kysely, Transaction } from 'kysely'
import { emailKey } from '../kit/normalize-for-search.ts'
import { pause } from '../kit/pause.ts'
import type { Storage } from '../storage/index.ts'
import { storable } from './mirror/mirror-records.ts'
import type { MauticTables } from './table.ts'

/** Longer than from reading a page of a list to writing its entries. */
const keepMs = 86_400_000

/** Returns the key by which lists, reports and suppressions compare an address. */
export function addressKeyOf(address: string): string {
  return emailKey(storable(address))
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
      conflict
        .columns(['mautic_id', 'address_key'])
        .doUpdateSet((set) => ({ removed_at: set.ref('excluded.removed_at') })),
    )
    .execute()
}

/** Makes changes of a Mautic's list wait for each other until the transaction ends, and returns the `seq` after `count` more. */
export async function lockList(
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

/** Deletes removals that no reading can meet any more. */
export async function pruneListRemovals(storage: Storage): Promise<void> {
  const old = storage.tables<MauticTables>().deleteFrom('mautic_list_removals')
  await old.where('removed_at', '<', (await storage.now()) - keepMs).execute()
}

/** Entries of one statement: it takes some ten milliseconds. */
const entriesPerBatch = 500

/**
 * Forgets what was read of a Mautic's list, so that it is read again. Its suppressions stay. The entries are deleted in parts:
 * a list may have millions.
 */
export async function forgetList(db: Kysely<MauticTables>, mauticId: number): Promise<void> {
  for (let after = 0; ; ) {
    const entries = db.selectFrom('mautic_list_entries').where('mautic_id', '=', mauticId)
    const later = entries.select('id').where('id', '>', after).orderBy('id')
    const last = (await later.limit(entriesPerBatch).execute()).at(-1)
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
