import type { Kysely, Transaction } from 'kysely'
import { validationError } from '../../http/index.ts'
import type { FaultDetails } from '../../kit/app-error.ts'
import type { Caller } from '../../kit/caller.ts'
import { emailKey, normalizeForSearch, searchTextOf } from '../../kit/normalize-for-search.ts'

import type { ItemToWrite } from '../../resource/index.ts'
import { checkAdministratorsLeft } from '../administrators.ts'
import { moreThanOwn } from '../errors.ts'
import { covers } from '../roles/role-schema.ts'
import { grantsOf } from '../roles/roles.ts'
import type { AuthTables, RoleRow, UserRow } from '../table.ts'
import { findInvisible, nameSkeleton } from './name-skeleton.ts'
import { type UserInput, userRecord } from './user-schema.ts'

/** The key of the hash of a new password. A symbol, so that no request body can set it. */
export const newPasswordHash = Symbol('new password hash')

/** The input of the API, with the hash of its password. */
export type UserValues = UserInput & { [newPasswordHash]?: string }

/** Throws where a user must not be saved so. A new password and unpublishing end the user's sessions. */
export async function checkUser(
  anyTx: Transaction<object>,
  { input, columns, current, caller }: ItemToWrite<UserRow, UserValues>,
): Promise<void> {
  const tx = anyTx.withTables<AuthTables>()
  const roleNow = current === undefined ? undefined : await findRole(tx, current.role_id)
  if (roleNow !== undefined) checkOwn(caller, roleNow, 'The user')
  const role = await findRole(tx, input.role)
  await checkInput(tx, input, current)
  if (role !== undefined) checkOwn(caller, role, 'The role')
  if (current === undefined) return
  if (isAdministrator(current, roleNow) && !isAdministrator(columns, role)) {
    await checkAdministratorsLeft(tx, { userId: current.id })
  }
  const isUnpublished = Boolean(current.is_published) && !columns.is_published
  if (isUnpublished || columns.password_hash !== current.password_hash) {
    await endSessions(tx, current.id)
  }
}

/** Throws where a user must stay. */
export async function checkUserRemoval(
  anyTx: Transaction<object>,
  { current, caller }: { current: UserRow; caller: Caller },
): Promise<void> {
  const tx = anyTx.withTables<AuthTables>()
  const role = await findRole(tx, current.role_id)
  if (role !== undefined) checkOwn(caller, role, 'The user')
  if (isAdministrator(current, role)) await checkAdministratorsLeft(tx, { userId: current.id })
}

/** Returns the current values of a user, without the password. */
export function toUserInput(current: UserRow): UserValues {
  return { ...userRecord.toValues(current), role: current.role_id }
}

export function toUserColumns(input: UserValues, current: UserRow | undefined) {
  const { username, email, firstName, lastName } = input
  return {
    ...userRecord.toColumns(input),
    username_key: normalizeForSearch(username.trim()),
    username_skeleton: nameSkeleton(username),
    email_key: emailKey(email),
    role_id: input.role,
    password_hash: input[newPasswordHash] ?? current?.password_hash ?? '',
    search_text: searchTextOf(firstName, lastName, username, email),
  }
}

/** Throws an AppError with every fault of the input. */
async function checkInput(
  tx: Transaction<AuthTables>,
  input: UserInput,
  current: UserRow | undefined,
): Promise<void> {
  const details = await findUserFaults(tx, input, current?.id)
  if (current === undefined && input.plainPassword === undefined) {
    details['plainPassword'] = ['is required']
  }
  if (Object.keys(details).length > 0) throw validationError(details)
}

/** Finds the faults of single values of a user, new or with this id, whatever type they have. */
export async function findUserFaults(
  db: Kysely<AuthTables>,
  values: Readonly<Record<string, unknown>>,
  id: number | undefined,
): Promise<FaultDetails> {
  const { role, plainPassword } = values
  const details: FaultDetails = {}
  if (Number.isSafeInteger(role) && (await findRole(db, role as number)) === undefined) {
    details['role'] = [`names an unknown role: ${role as number}`]
  }
  const { password, confirm } = (plainPassword ?? {}) as Record<string, unknown>
  if (password !== confirm) details['plainPassword.confirm'] = ['must be the same as the password']
  for (const field of ['username', 'email'] as const) {
    const text = values[field]
    if (typeof text === 'string' && (await isTaken(db, text, id))) {
      details[field] = ['is already in use; choose another']
    }
  }
  const { username } = values
  if (typeof username === 'string') {
    const reason = await findNameFault(db, username, id)
    if (reason !== undefined) details['username'] ??= [reason]
  }
  return details
}

/** Both user name and address log in, so a name must not be the address of another user. */
async function isTaken(
  db: Kysely<AuthTables>,
  text: string,
  id: number | undefined,
): Promise<boolean> {
  const key = normalizeForSearch(text.trim())
  const other = await db
    .selectFrom('users')
    .select('id')
    .where((where) => where.or([where('username_key', '=', key), where('email_key', '=', key)]))
    .where('id', '<>', id ?? 0)
    .executeTakeFirst()
  return other !== undefined
}

/** Why a name is not allowed: it looks like that of another user. A user may keep the name that they have. */
async function findNameFault(
  db: Kysely<AuthTables>,
  username: string,
  id: number | undefined,
): Promise<string | undefined> {
  const skeleton = nameSkeleton(username)
  const alike = await db
    .selectFrom('users')
    .select(['id', 'username'])
    .where((where) =>
      where.or([where('username_skeleton', '=', skeleton), where('id', '=', id ?? 0)]),
    )
    .execute()
  if (alike.some((user) => user.id === id && user.username === username)) return undefined
  const invisible = findInvisible(username)
  if (invisible !== undefined) return `has an invisible character (${invisible}). Leave it out`
  const other = alike.find((user) => user.id !== id)
  if (other === undefined) return undefined
  return `looks like the user name of user ${other.id}; choose another`
}

function findRole(db: Kysely<AuthTables>, id: number): Promise<RoleRow | undefined> {
  return db.selectFrom('roles').selectAll().where('id', '=', id).executeTakeFirst()
}

function checkOwn(caller: Caller, role: RoleRow, what: string): void {
  if (!covers(caller, grantsOf({ ...role, is_published: true }))) throw moreThanOwn(what)
}

function isAdministrator(user: Pick<UserRow, 'is_published'>, role: RoleRow | undefined): boolean {
  return Boolean(user.is_published) && role !== undefined && grantsOf(role).isAdmin
}

/** Ends the log-ins of a user, so that publishing the user again does not revive them. */
async function endSessions(tx: Transaction<AuthTables>, userId: number): Promise<void> {
  for (const table of [
    'oauth_tokens',
    'oauth_codes',
    'login_sessions',
    'console_sessions',
    'password_links',
  ] as const) {
    await tx.deleteFrom(table).where('user_id', '=', userId).execute()
  }
}
