import type { Kysely, Transaction } from 'kysely'
import { validationError } from '../../http/index.ts'
import type { FaultDetails } from '../../kit/app-error.ts'
import type { Caller } from '../../kit/caller.ts'
import { emailKey } from '../../kit/email-key.ts'
import { fold } from '../../kit/fold.ts'
import type { RuleContext, WriteRules } from '../../storage/index.ts'
import { checkAdministratorsLeft } from '../administrators.ts'
import { moreThanOwn } from '../errors.ts'
import { covers } from '../permissions.ts'
import { grantsOf } from '../roles/roles.ts'
import type { AuthTables, RoleRow, UserRow } from '../table.ts'
import { findInvisible, nameSkeleton } from './name-skeleton.ts'
import type { UserInput } from './user-schema.ts'

/** The key of the hash of a new password. As a symbol, no request can bring it. */
export const newPasswordHash = Symbol('new password hash')

/** What the API takes, with the hash of the password that it brings. */
export type UserValues = UserInput & { [newPasswordHash]?: string }

/** What decides about changes of users. */
export function userRules({ tx: anyTx, caller }: RuleContext): WriteRules<UserRow, UserValues> {
  const tx = anyTx.withTables<AuthTables>()
  return {
    beforeWrite: async ({ input, columns, current }) => {
      const roleNow = current === undefined ? undefined : await findRole(tx, current.role_id)
      if (roleNow !== undefined) checkOwn(caller, roleNow, 'The user')
      const role = await findRole(tx, input.role)
      await checkInput(tx, input, current)
      if (role !== undefined) checkOwn(caller, role, 'The role')
      if (current === undefined) return
      if (isAdministrator(current, roleNow) && !isAdministrator(columns, role)) {
        await checkAdministratorsLeft(tx, { userId: current.id })
      }
      if (columns.password_hash !== current.password_hash) await endSessions(tx, current.id)
    },
    checkRemoval: async (current: UserRow) => {
      const role = await findRole(tx, current.role_id)
      if (role !== undefined) checkOwn(caller, role, 'The user')
      if (isAdministrator(current, role)) await checkAdministratorsLeft(tx, { userId: current.id })
    },
  }
}

/** The values that a user has now; its password is not among them. */
export function toUserInput(current: UserRow): UserValues {
  return {
    username: current.username,
    firstName: current.first_name,
    lastName: current.last_name,
    email: current.email,
    role: current.role_id,
    isPublished: Boolean(current.is_published),
  }
}

export function toUserColumns(input: UserValues, current: UserRow | undefined) {
  const { username, email, firstName = '', lastName = '' } = input
  return {
    username,
    username_key: fold(username.trim()),
    username_skeleton: nameSkeleton(username),
    email,
    email_key: emailKey(email),
    first_name: firstName,
    last_name: lastName,
    role_id: input.role,
    password_hash: input[newPasswordHash] ?? current?.password_hash ?? '',
    is_published: input.isPublished ?? true,
    search_text: fold(firstName, lastName, username, email),
  }
}

/** Tells every fault at once. */
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

/** What is wrong with single values of a user, new or with this id, whatever type they have. */
export async function findUserFaults(
  db: Kysely<AuthTables>,
  values: Readonly<Record<string, unknown>>,
  id: number | undefined,
): Promise<FaultDetails> {
  const { role, plainPassword } = values
  const details: FaultDetails = {}
  if (Number.isSafeInteger(role) && (await findRole(db, role as number)) === undefined) {
    details['role'] = [`names no role: there is none with the id ${role as number}`]
  }
  const { password, confirm } = (plainPassword ?? {}) as Record<string, unknown>
  if (password !== confirm) details['plainPassword.confirm'] = ['is not the same as the password']
  for (const field of ['username', 'email'] as const) {
    const text = values[field]
    if (typeof text === 'string' && (await isTaken(db, text, id))) {
      details[field] = ['is in use already; choose another']
    }
  }
  const { username } = values
  if (typeof username === 'string') {
    const reason = await findNameFault(db, username, id)
    if (reason !== undefined) details['username'] ??= [reason]
  }
  return details
}

/** User names and addresses both serve for log-in, so no name may be another's address. */
async function isTaken(
  db: Kysely<AuthTables>,
  text: string,
  id: number | undefined,
): Promise<boolean> {
  const key = fold(text.trim())
  const other = await db
    .selectFrom('users')
    .select('id')
    .where((where) => where.or([where('username_key', '=', key), where('email_key', '=', key)]))
    .where('id', '<>', id ?? 0)
    .executeTakeFirst()
  return other !== undefined
}

/** Why a name is not allowed: it looks like another user's. Names that users have already stay. */
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
  if (invisible !== undefined) return `has an invisible character (${invisible}); leave it out`
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

/** A new password ends what the old one began. */
async function endSessions(tx: Transaction<AuthTables>, userId: number): Promise<void> {
  for (const table of ['oauth_tokens', 'oauth_codes', 'login_sessions'] as const) {
    await tx.deleteFrom(table).where('user_id', '=', userId).execute()
  }
}
