import type { Transaction } from 'kysely'
import type { Clock } from '../kit/clock.ts'
import { emailKey } from '../kit/email-key.ts'
import { fold } from '../kit/fold.ts'
import { newRecordStamp } from '../storage/index.ts'
import type { AuthTables } from './table.ts'
import { nameSkeleton } from './users/name-skeleton.ts'

/** The first administrator of a new installation. */
export interface FirstAdministrator {
  username: string
  email: string
  /** See `hashPassword`. */
  passwordHash: string
}

/** Whether nobody has ever been made: whether the installation is new. */
export async function isWithoutUsers(tx: Transaction<AuthTables>): Promise<boolean> {
  return (await tx.selectFrom('users').select('id').limit(1).executeTakeFirst()) === undefined
}

/** Makes the role of administrators and the first of them: role 1 and user 1 of a new database. */
export async function installAdministrator(
  tx: Transaction<AuthTables>,
  { username, email, passwordHash }: FirstAdministrator,
  clock: Clock,
): Promise<void> {
  const stamp = {
    ...newRecordStamp({ name: 'Mailyard', userId: undefined }, clock),
    is_published: true,
  }
  const role = await tx
    .insertInto('roles')
    .values({
      ...stamp,
      name: 'Administrator',
      description: 'May do everything.',
      is_admin: true,
      permissions: '{}',
      search_text: fold('Administrator'),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await tx
    .insertInto('users')
    .values({
      ...stamp,
      username,
      username_key: fold(username.trim()),
      username_skeleton: nameSkeleton(username),
      email,
      email_key: emailKey(email),
      first_name: 'Admin',
      last_name: '',
      password_hash: passwordHash,
      role_id: role.id,
      search_text: fold('Admin', username, email),
    })
    .execute()
}
