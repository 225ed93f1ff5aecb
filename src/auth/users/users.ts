import type { Kysely, Transaction } from 'kysely'
import { presentMauticStamps } from '../../http/index.ts'
import type { Clock } from '../../kit/clock.ts'
import type { EntryChange } from '../../kit/resource.ts'
import { openRecords, type Records, type Storage } from '../../storage/index.ts'
import { accountsLock } from '../administrators.ts'
import { userNotFound } from '../errors.ts'
import { hashPassword } from '../passwords.ts'
import { presentRole } from '../roles/roles.ts'
import type { AuthTables, RoleRow, UserRow } from '../table.ts'
import {
  findUserFaults,
  newPasswordHash,
  toUserColumns,
  toUserInput,
  type UserValues,
  userRules,
} from './user-rules.ts'
import { type UserInput, type UserItem, userFields } from './user-schema.ts'

export type Users = Records<UserRow, UserItem, UserInput>

/** What users are opened with. */
export interface UsersOptions {
  storage: Storage
  clock: Clock
  /** What else changes with the deletion of a user, as sentences, in the transaction that deletes them. */
  describeUses: (id: number, tx: Transaction<object>) => Promise<string | undefined>
}

/** The users. Nobody makes, changes or takes over one who may do more than himself. */
export function openUsers({ storage, clock, describeUses }: UsersOptions): Users {
  const db = storage.tables<AuthTables>()
  const records = openRecords<UserRow, UserItem, UserValues>(storage, clock, {
    table: 'users',
    nameColumn: 'username',
    fields: userFields,
    area: 'user',
    lock: accountsLock,
    notFound: userNotFound,
    present: (rows) => presentUsers(db, rows),
    findFaults: (values, id) => findUserFaults(db, values, id),
    toInput: toUserInput,
    prepare: ({ input, current }) => ({ columns: toUserColumns(input, current) }),
    begin: (context) => ({
      ...userRules(context),
      describeRemoval: ({ id }) => describeUses(id, context.tx),
    }),
  })
  return {
    ...records,
    create: async (inputs, context) => records.create(await each(inputs, withHash), context),
    edit: async (changes, context) => records.edit(await each(changes, withNewHash), context),
  }
}

/** Passwords are hashed before the transaction: slow on purpose, it would hold up all other changes. */
async function withHash<Values extends Partial<UserInput>>(
  values: Values,
): Promise<Values & Pick<UserValues, typeof newPasswordHash>> {
  const password = values.plainPassword?.password
  return password === undefined
    ? values
    : { ...values, [newPasswordHash]: await hashPassword(password) }
}

async function withNewHash(change: EntryChange<UserInput>): Promise<EntryChange<UserValues>> {
  return change.mode === 'put'
    ? { ...change, values: await withHash(change.values) }
    : { ...change, values: await withHash(change.values) }
}

/** One after the other, so that a large batch leaves room for the log-ins of others. */
async function each<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (const item of items) results.push(await work(item))
  return results
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
