import type { Kysely, Transaction } from 'kysely'
import { presentMauticStamps } from '../../http/index.ts'
import type { Clock } from '../../kit/clock.ts'
import { type EntryChange, openResource, type Resource } from '../../resource/index.ts'
import { openRecordStore, type Storage } from '../../storage/index.ts'
import { accountsLock } from '../administrators.ts'
import { hashPassword, type PasswordCost } from '../credentials.ts'
import { userNotFound } from '../errors.ts'
import { presentRole } from '../roles/roles.ts'
import type { AuthTables, RoleRow, UserRow } from '../table.ts'
import {
  checkUser,
  checkUserRemoval,
  findUserFaults,
  newPasswordHash,
  toUserColumns,
  toUserInput,
  type UserValues,
} from './user-rules.ts'
import { type UserInput, type UserItem, userFields, userRecord } from './user-schema.ts'

export type Users = Resource<UserRow, UserItem, UserInput>

/** What users are opened with. */
export interface UsersOptions {
  storage: Storage
  clock: Clock
  /** Default: OWASP's recommendation. */
  passwordCost?: PasswordCost | undefined
  /** What else the deletion of a user changes, as sentences; runs in the transaction that deletes the user. */
  describeRemoval: (id: number, tx: Transaction<object>) => Promise<string | undefined>
}

/** Opens the users. A caller cannot create, change or delete a user with a permission that the caller lacks. */
export function openUsers({ storage, clock, passwordCost, describeRemoval }: UsersOptions): Users {
  const db = storage.tables<AuthTables>()
  const store = openRecordStore<UserRow>(storage, {
    table: 'users',
    nameColumn: 'username',
    fields: userFields,
  })
  const resource = openResource<UserRow, UserItem, UserValues>({
    storage,
    clock,
    store,
    area: 'user',
    lock: accountsLock,
    notFound: userNotFound,
    findFaults: (values, id) => findUserFaults(db, values, id),
    toInput: toUserInput,
    prepare: ({ input, current }) => ({ columns: toUserColumns(input, current) }),
    beforeWrite: checkUser,
    async beforeRemove(tx, removal) {
      await checkUserRemoval(tx, removal)
      return { sentence: await describeRemoval(removal.current.id, tx) }
    },
    present: (rows) => presentUsers(db, rows),
  })
  return {
    ...resource,
    async create(inputs, context) {
      const hashed = await each(inputs, (values) => withHash(values, passwordCost))
      return resource.create(hashed, context)
    },
    async edit(changes, context) {
      const hashed = await each(changes, (change) => withNewHash(change, passwordCost))
      return resource.edit(hashed, context)
    },
  }
}

/** Adds the hash of a new password. Hashing is slow on purpose, so it happens before the transaction. */
async function withHash<Values extends Partial<UserInput>>(
  values: Values,
  cost: PasswordCost | undefined,
): Promise<Values & Pick<UserValues, typeof newPasswordHash>> {
  const password = values.plainPassword?.password
  return password === undefined
    ? values
    : { ...values, [newPasswordHash]: await hashPassword(password, cost) }
}

async function withNewHash(
  change: EntryChange<UserInput>,
  cost: PasswordCost | undefined,
): Promise<EntryChange<UserValues>> {
  return change.mode === 'put'
    ? { ...change, values: await withHash(change.values, cost) }
    : { ...change, values: await withHash(change.values, cost) }
}

/** Runs the work for one item after the other, so that log-ins do not wait for a large batch. */
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

/** Presents a user with their role, as the API returns it. */
function presentUser(row: UserRow, role: RoleRow | undefined): UserItem {
  return {
    id: row.id,
    ...userRecord.toValues(row),
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
