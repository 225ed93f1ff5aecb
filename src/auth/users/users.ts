import type { Kysely } from 'kysely'
import { presentMauticStamps } from '../../http/index.ts'
import type { Clock } from '../../kit/clock.ts'
import { openRecords, type Records, type Storage } from '../../storage/index.ts'
import { accountsLock } from '../administrators.ts'
import { userNotFound } from '../errors.ts'
import { presentRole } from '../roles/roles.ts'
import type { AuthTables, RoleRow, UserRow } from '../table.ts'
import { findUserFaults, userRules } from './user-rules.ts'
import { type UserInput, type UserItem, userFields } from './user-schema.ts'

export type Users = Records<UserRow, UserItem, UserInput>

/** The users. Nobody makes, changes or takes over one who may do more than himself. */
export function openUsers({ storage, clock }: { storage: Storage; clock: Clock }): Users {
  const db = storage.tables<AuthTables>()
  return openRecords<UserRow, UserItem, UserInput>(storage, clock, {
    table: 'users',
    nameColumn: 'username',
    fields: userFields,
    area: 'user',
    lock: accountsLock,
    notFound: userNotFound,
    present: (rows) => presentUsers(db, rows),
    findFaults: (values, id) => findUserFaults(db, values, id),
    begin: (context) => userRules(context),
  })
}

async function presentUsers(db: Kysely<AuthTables>, rows: readonly UserRow[]): Promise<UserItem[]> {
  if (rows.length === 0) return []
  const ids = [...new Set(rows.map((row) => row.role_id))]
  const roles = await db.selectFrom('roles').selectAll().where('id', 'in', ids).execute()
  const byId = new Map(roles.map((role) => [role.id, role]))
  return rows.map((row) => presentUser(row, byId.get(row.role_id)))
}

/** A user with his role, as the API gives it. */
export function presentUser(row: UserRow, role: RoleRow | undefined): UserItem {
  return {
    id: row.id,
    username: row.username,
    firstName: row.first_name,
    lastName: row.last_name,
    email: row.email,
    role: role === undefined ? null : presentRoleOfUser(role),
    ...presentMauticStamps(row),
  }
}

function presentRoleOfUser(row: RoleRow): UserItem['role'] {
  const { id, name, description, isAdmin, rawPermissions } = presentRole(row)
  return { id, name, description, isAdmin, rawPermissions }
}

/** What `createdBy` shows of a user. */
export function displayName(row: Pick<UserRow, 'first_name' | 'last_name' | 'username'>): string {
  return `${row.first_name} ${row.last_name}`.trim() || row.username
}
