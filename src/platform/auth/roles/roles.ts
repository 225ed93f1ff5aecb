import { type Kysely, sql, type Transaction } from 'kysely'
import { faultsOf } from '../../../kit/app-error.ts'
import type { Clock } from '../../../kit/clock.ts'
import { type ItemToWrite, openResource, type Resource } from '../../resource/index.ts'
import { openRecordStore, type Storage } from '../../storage/index.ts'
import { accountsLock, checkAdministratorsLeft } from '../administrators.ts'
import { roleInUse, roleNotFound } from '../errors.ts'
import type { AuthTables, RoleRow } from '../table.ts'
import { checkCovered, grantsOf } from './role-rules.ts'
import {
  type RoleInput,
  type RoleItem,
  readRawPermissions,
  roleFields,
  roleRecord,
} from './role-schema.ts'

export type Roles = Resource<RoleRow, RoleItem, RoleInput>

/** Opens the roles. A caller cannot create, change or delete a role with a permission that the caller lacks. */
export function openRoles({ storage, clock }: { storage: Storage; clock: Clock }): Roles {
  const store = openRecordStore<RoleRow>(storage, {
    table: 'roles',
    nameColumn: 'name',
    fields: roleFields,
    lock: accountsLock,
  })
  return openResource<RoleRow, RoleItem, RoleInput>({
    clock,
    store,
    area: 'user',
    notFound: roleNotFound,
    findFaults: ({ rawPermissions: input }) =>
      typeof input === 'object' && input !== null ? faultsOf(() => readRawPermissions(input)) : {},
    toInput: roleRecord.toValues,
    prepare: ({ input }) => ({ columns: roleRecord.toColumns(input) }),
    present: (rows) => presentRoles(storage.tables(), rows),
    hooks: {
      beforeWrite: checkRole,
      async beforeRemove(tx, { current, caller }) {
        checkCovered(caller, current)
        await checkUnused(tx.withTables<AuthTables>(), current.id)
        return undefined
      },
    },
  })
}

/** Presents roles with the warning that another one has the same name. Letter case and outer blanks do not matter. */
async function presentRoles(db: Kysely<AuthTables>, rows: readonly RoleRow[]): Promise<RoleItem[]> {
  if (rows.length === 0) return []
  const key = sql<string>`lower(trim(name))`
  const keys = db.selectFrom('roles').select(key.as('key'))
  const alike = await db
    .selectFrom('roles')
    .select(['id', key.as('key')])
    .where(
      key,
      'in',
      keys.where(
        'id',
        'in',
        rows.map(({ id }) => id),
      ),
    )
    .orderBy('id')
    .execute()
  return rows.map((row) => {
    const ownKey = alike.find(({ id }) => id === row.id)?.key
    const other = alike.find(({ id, key }) => id !== row.id && key === ownKey)
    const item = roleRecord.present(row, {})
    if (other === undefined) return item
    return { ...item, warnings: [`Role ${other.id} has the same name. Rename one of the two.`] }
  })
}

/** Throws where a role must not be saved so. */
async function checkRole(
  tx: Transaction<object>,
  { columns, current, caller }: ItemToWrite<RoleRow, RoleInput>,
): Promise<void> {
  if (current !== undefined) checkCovered(caller, current)
  checkCovered(caller, columns)
  const isAdminNow = current !== undefined && grantsOf(current).isAdmin
  if (isAdminNow && !grantsOf(columns).isAdmin) {
    await checkAdministratorsLeft(tx.withTables<AuthTables>(), { roleId: current.id })
  }
}

async function checkUnused(tx: Transaction<AuthTables>, roleId: number): Promise<void> {
  const count = async (table: 'users' | 'oauth_clients') => {
    const query = tx.selectFrom(table).select((row) => row.fn.countAll<number>().as('count'))
    return Number((await query.where('role_id', '=', roleId).executeTakeFirstOrThrow()).count)
  }
  const [users, clients] = [await count('users'), await count('oauth_clients')]
  if (users + clients > 0) throw roleInUse(users, clients)
}
