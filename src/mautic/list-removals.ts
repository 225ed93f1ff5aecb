import type { Kysely, Transaction } from 'kysely'
import { emailKey } from '../kit/normalize-for-search.ts'
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
  tx: Transaction<MauticTables>,
  { mauticId, address }: { mauticId: number; address: string },
): Promise<void> {
  const row = {
    mautic_id: mauticId,
    address_key: addressKeyOf(address),
    removed_at: await storage.now(tx),
  }
  await tx
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

/** Forgets what was read of a Mautic's list, so that it is read again. Its suppressions stay. */
export async function forgetList(db: Kysely<MauticTables>, mauticId: number): Promise<void> {
  await db.deleteFrom('mautic_list_entries').where('mautic_id', '=', mauticId).execute()
  await db.deleteFrom('mautic_lists').where('mautic_id', '=', mauticId).execute()
  const domains = db.updateTable('mautic_domains').set({ applied_to: 0 })
  await domains.where('mautic_id', '=', mauticId).execute()
}
