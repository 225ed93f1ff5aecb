import type { Kysely, Transaction } from 'kysely'
import type { FaultDetails } from '../../../kit/app-error.ts'
import { type Caller, ownUserId } from '../../../kit/caller.ts'
import type { Clock } from '../../../kit/clock.ts'
import { normalizeForSearch } from '../../../kit/normalize-for-search.ts'
import { validationError } from '../../http/index.ts'
import { Dependents, type ItemToWrite, openResource, type Resource } from '../../resource/index.ts'
import { openRecordStore, routesChannel, type Storage } from '../../storage/index.ts'
import { accountsLock, checkAdministratorsLeft } from '../administrators.ts'
import { hashPassword, type PasswordCost } from '../credentials.ts'
import { userNotFound } from '../errors.ts'
import { checkOwnRules } from '../login/login-rules.ts'
import { findCovered, findRoleFault, grantsOf } from '../roles/role-rules.ts'
import { roleRecord } from '../roles/role-schema.ts'
import type { AuthTables, RoleRow, UserRow } from '../table.ts'
import { findInvisible, nameSkeleton } from './name-skeleton.ts'
import { brandsOf, checkBrandsExist, userAccess } from './user-brands.ts'
import {
  toUserColumns,
  type UserInput,
  type UserItem,
  userFields,
  userRecord,
} from './user-schema.ts'

export interface Users extends Resource<UserRow, UserItem, UserInput> {
  /** What ends with a user who is deleted. */
  readonly dependents: Dependents
}

/** What users are opened with. */
export interface UsersOptions {
  storage: Storage
  clock: Clock
  /** Default: OWASP's recommendation. */
  passwordCost?: PasswordCost | undefined
}

/** Opens the users. A caller cannot create, change or delete a user with a permission that the caller lacks. */
export function openUsers({ storage, clock, passwordCost }: UsersOptions): Users {
  const db = storage.tables<AuthTables>()
  const store = openRecordStore<UserRow>(storage, {
    table: 'users',
    nameColumn: 'username',
    fields: userFields,
    lock: accountsLock,
  })
  const dependents = new Dependents()
  const resource = openResource<UserRow, UserItem, UserInput>({
    clock,
    store,
    area: 'user',
    notFound: userNotFound,
    access: userAccess,
    findFaults: (values, { id }) => findUserFaults(db, values, id),
    // Without the password.
    toInput: (row) => ({ ...userRecord.toValues(row), role: row.role_id }),
    async prepare({ input, current }) {
      const password = input.plainPassword?.password
      // Hashing is slow on purpose.
      const newHash =
        password === undefined ? undefined : await hashPassword(password, passwordCost)
      const passwordHash = newHash ?? current?.password_hash ?? ''
      return { columns: { ...toUserColumns(input), password_hash: passwordHash } }
    },
    present: (rows) => presentUsers(db, rows),
    hooks: {
      async beforeWrite(tx, item) {
        await checkUser(tx, item)
        const { columns, current, caller } = item
        if (current !== undefined && ownUserId(caller) === current.id)
          checkOwnRules(columns, caller, clock.now())
      },
      async beforeRemove(tx, removal) {
        await checkUserRemoval(tx, removal)
        return dependents.release(removal.current.id, tx)
      },
      afterCommit(change) {
        // Their assignments are deleted with them.
        if (change === 'removed') storage.notify(routesChannel)
      },
    },
  })
  return { ...resource, dependents }
}

async function presentUsers(db: Kysely<AuthTables>, rows: readonly UserRow[]): Promise<UserItem[]> {
  if (rows.length === 0) return []
  const ids = [...new Set(rows.map((row) => row.role_id))]
  const roles = await db.selectFrom('roles').selectAll().where('id', 'in', ids).execute()
  const byId = new Map(roles.map((role) => [role.id, role]))
  return rows.map((row) => {
    const role = byId.get(row.role_id)
    return userRecord.present(row, { role: role === undefined ? null : presentRoleOfUser(role) })
  })
}

function presentRoleOfUser(row: RoleRow): UserItem['role'] {
  const { id, name, description, isAdmin, rawPermissions } = roleRecord.present(row, {})
  return { id, name, description, isAdmin, rawPermissions }
}

/** What `createdBy` shows of a user. */
export function displayName(row: Pick<UserRow, 'first_name' | 'last_name' | 'username'>): string {
  return `${row.first_name} ${row.last_name}`.trim() || row.username
}

/** Throws where a user must not be saved so. A new password and unpublishing end the user's sessions. */
async function checkUser(
  anyTx: Transaction<object>,
  { input, columns, current, caller }: ItemToWrite<UserRow, UserInput>,
): Promise<void> {
  const tx = anyTx.withTables<AuthTables>()
  const roleNow = await findCovered(tx, caller, { id: current?.role_id, subject: 'The user' })
  await checkInput(tx, input, current)
  if (columns.brands !== current?.brands) await checkBrandsExist(anyTx, columns.brands)
  const role = await findCovered(tx, caller, { id: input.role })
  if (current === undefined) return
  if (isLasting(current, roleNow) && !isLasting(columns, role)) {
    await checkAdministratorsLeft(tx, { userId: current.id })
  }
  const isUnpublished = Boolean(current.is_published) && !columns.is_published
  if (isUnpublished || columns.password_hash !== current.password_hash) {
    await endSessions(tx, current.id)
  }
}

/** Throws where a user must stay. */
async function checkUserRemoval(
  anyTx: Transaction<object>,
  { current, caller }: { current: UserRow; caller: Caller },
): Promise<void> {
  const tx = anyTx.withTables<AuthTables>()
  const role = await findCovered(tx, caller, { id: current.role_id, subject: 'The user' })
  if (isLasting(current, role)) await checkAdministratorsLeft(tx, { userId: current.id })
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
async function findUserFaults(
  db: Kysely<AuthTables>,
  values: Readonly<Record<string, unknown>>,
  id: number | undefined,
): Promise<FaultDetails> {
  const { role, plainPassword } = values
  const details: FaultDetails = await findRoleFault(db, role)
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
  return 'looks like the user name of another user; choose another'
}

/** Whether a user is an administrator of all brands whose log-in has no end. */
function isLasting(
  user: Pick<UserRow, 'is_published' | 'valid_until' | 'brands'>,
  role: RoleRow | undefined,
): boolean {
  const mayLogIn = Boolean(user.is_published) && user.valid_until === null
  if (!mayLogIn || brandsOf(user) !== 'all') return false
  return role !== undefined && grantsOf(role).isAdmin
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
