import type { Caller, CallerMautic } from '../src/kit/caller.ts'
import type { MauticTables } from '../src/mautic/index.ts'
import { newRecordStamp } from '../src/storage/index.ts'
import { uniqueName } from './callers.ts'
import type { TestApp } from './test-app.ts'

/** Stores a connected Mautic with these emails and users, as a synchronization leaves them. */
export async function addMauticRows(
  { app }: TestApp,
  { emails = [], users = [], transportId = null }: MauticRows = {},
): Promise<CallerMautic> {
  const db = app.storage.tables<MauticTables>()
  const name = uniqueName('brand')
  const { id } = await db
    .insertInto('mautics')
    .values({
      ...newRecordStamp({ caller: { userId: 1, name: 'Ann' }, clock: { now: () => 0 } }),
      ...{ name, url: 'http://127.0.0.1:9', client_id: null, secret: '', username: null },
      ...{ transport_id: transportId, smtp_mode: null, hosts: '[]', role_map: '{}' },
      ...{ is_reporting: true, smtp_login: name, smtp_password_hash: '', webhook_secret: null },
      ...{ is_published: true, search_text: name },
    } as never)
    .returning('id')
    .executeTakeFirstOrThrow()
  for (const each of emails)
    await db
      .insertInto('mautic_emails')
      .values({
        ...{ mautic_id: id, id: each, name: `Newsletter ${each}`, subject: 'News' },
        ...{
          is_published: true,
          date_added: 0,
          date_modified: 0,
          search_text: `newsletter ${each}`,
        },
      })
      .execute()
  for (const [userId, email] of Object.entries(users))
    await db
      .insertInto('mautic_users')
      .values({
        ...{
          mautic_id: id,
          id: Number(userId),
          username: `user${userId}`,
          email,
          email_key: email,
        },
        ...{ first_name: '', last_name: '', is_published: true, search_text: email },
      })
      .execute()
  return { id, name }
}

/** What a Mautic has. */
export interface MauticRows {
  /** The ids of its emails. */
  emails?: readonly number[]
  /** The addresses of its users, by id. */
  users?: Readonly<Record<number, string>>
  /** Its default transport. */
  transportId?: number | null
}

/** A caller of a Mautic who may do everything. */
export function callerOf(mautic: CallerMautic | undefined): Caller {
  const may = { isAdmin: true, can: () => true }
  return { userId: undefined, clientId: 1, name: 'Brand Admin', email: undefined, mautic, ...may }
}
