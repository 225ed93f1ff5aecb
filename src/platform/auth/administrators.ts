import type { Transaction } from 'kysely'
import type { Clock } from '../../kit/clock.ts'
import { newRecordStamp } from '../storage/index.ts'
import { lastAdministrator } from './errors.ts'
import { roleRecord } from './roles/role-schema.ts'
import type { AuthTables } from './table.ts'
import { toUserColumns } from './users/user-schema.ts'

/** The lock that serializes changes of users and roles, so that the last administrator cannot be removed by two at a time. */
export const accountsLock = 'accounts'

/** The user, or the users of a role, that a change removes as administrators. */
export type Leaving = { userId: number } | { roleId: number }

/**
 * Throws an AppError (`conflict`) unless another administrator exists: a published user of all brands with a published
 * administrator role, and a log-in without an end.
 */
export async function checkAdministratorsLeft(
  tx: Transaction<AuthTables>,
  leaving: Leaving,
): Promise<void> {
  const others = tx
    .selectFrom('users')
    .innerJoin('roles', 'roles.id', 'users.role_id')
    .select('users.id')
    .where('users.is_published', '=', true)
    .where('users.brands', '=', '[]')
    .where('users.valid_until', 'is', null)
    .where('roles.is_published', '=', true)
    .where('roles.is_admin', '=', true)
    .where((where) =>
      'userId' in leaving
        ? where('users.id', '<>', leaving.userId)
        : where('roles.id', '<>', leaving.roleId),
    )
  if ((await others.executeTakeFirst()) === undefined) throw lastAdministrator()
}

/** The first administrator of a new installation. */
export interface FirstAdministrator {
  username: string
  email: string
  /** See `hashPassword`. */
  passwordHash: string
}

/** Whether the database has no user yet. */
export async function isWithoutUsers(tx: Transaction<AuthTables>): Promise<boolean> {
  return (await tx.selectFrom('users').select('id').limit(1).executeTakeFirst()) === undefined
}

/** Creates role 1 and user 1 of a new database: the administrators' role, and the first administrator. Returns the user's id. */
export async function installAdministrator(
  tx: Transaction<AuthTables>,
  { username, email, passwordHash }: FirstAdministrator,
  clock: Clock,
): Promise<number> {
  const stamp = newRecordStamp({ caller: { name: 'Mailyard', userId: undefined }, clock })
  const role = await tx
    .insertInto('roles')
    .values({
      ...roleRecord.toColumns({
        name: 'Administrator',
        description: 'All permissions.',
        isAdmin: true,
      }),
      ...stamp,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const user = await tx
    .insertInto('users')
    .values({
      ...toUserColumns({ username, email, firstName: 'Admin', role: role.id }),
      ...stamp,
      password_hash: passwordHash,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return user.id
}
