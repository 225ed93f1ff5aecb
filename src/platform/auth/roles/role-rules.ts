import type { Kysely } from 'kysely'
import type { Caller } from '../../../kit/caller.ts'
import { moreThanOwn } from '../errors.ts'
import type { AuthTables, RoleRow } from '../table.ts'
import { covers, type Grants, type RawPermissions } from './role-schema.ts'

/** The permissions of a role; none while it is not published. */
export function grantsOf(role: Pick<RoleRow, 'is_admin' | 'permissions' | 'is_published'>): Grants {
  if (!role.is_published) return { isAdmin: false, permissions: {} }
  const permissions = JSON.parse(role.permissions) as RawPermissions
  return { isAdmin: Boolean(role.is_admin), permissions }
}

/**
 * Throws an AppError (`forbidden`) where a role has a permission that the caller lacks. An unpublished role counts too: it may
 * be published later.
 *
 * @param subject What the caller may not change: `The user`.
 */
export function checkCovered(
  caller: Caller,
  role: Pick<RoleRow, 'is_admin' | 'permissions'> | undefined,
  subject = 'The role',
): void {
  if (role === undefined) return
  if (!covers(caller, grantsOf({ ...role, is_published: true }))) throw moreThanOwn(subject)
}

export async function findRole(
  db: Kysely<AuthTables>,
  id: number | null | undefined,
): Promise<RoleRow | undefined> {
  if (id === null || id === undefined) return undefined
  return db.selectFrom('roles').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Returns the role of a user or a client. Throws as `checkCovered`. */
export async function findCovered(
  db: Kysely<AuthTables>,
  caller: Caller,
  { id, subject }: { id: number | null | undefined; subject?: string },
): Promise<RoleRow | undefined> {
  const role = await findRole(db, id)
  checkCovered(caller, role, subject)
  return role
}

/** Finds what is wrong with the role of a user or a client, whatever type it has. */
export async function findRoleFault(
  db: Kysely<AuthTables>,
  role: unknown,
): Promise<{ role?: string[] }> {
  if (!Number.isSafeInteger(role)) return {}
  const id = role as number
  return (await findRole(db, id)) === undefined ? { role: [`names an unknown role: ${id}`] } : {}
}
