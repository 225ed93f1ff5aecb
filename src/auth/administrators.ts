import type { Transaction } from 'kysely'
import { lastAdministrator } from './errors.ts'
import type { AuthTables } from './table.ts'

/** Changes of users and roles run one after the other, so that the last administrator is known. */
export const accountsLock = 'accounts'

/** Whom a change would take away as administrators. */
export type Leaving = { userId: number } | { roleId: number }

/** Throws unless an administrator is left: a published user whose published role is one. */
export async function checkAdministratorsLeft(
  tx: Transaction<AuthTables>,
  leaving: Leaving,
): Promise<void> {
  const others = tx
    .selectFrom('users')
    .innerJoin('roles', 'roles.id', 'users.role_id')
    .select('users.id')
    .where('users.is_published', '=', true)
    .where('roles.is_published', '=', true)
    .where('roles.is_admin', '=', true)
    .where((where) =>
      'userId' in leaving
        ? where('users.id', '<>', leaving.userId)
        : where('roles.id', '<>', leaving.roleId),
    )
  if ((await others.executeTakeFirst()) === undefined) throw lastAdministrator()
}
