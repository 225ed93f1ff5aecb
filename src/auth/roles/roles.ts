import type { Transaction } from 'kysely'
import { presentMauticStamps } from '../../http/index.ts'
import { faultsOf } from '../../kit/app-error.ts'
import type { Caller } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import { fold } from '../../kit/fold.ts'
import {
  openRecords,
  type Records,
  type RuleContext,
  type Storage,
  type WriteRules,
} from '../../storage/index.ts'
import { accountsLock, checkAdministratorsLeft } from '../administrators.ts'
import { moreThanOwn, roleInUse, roleNotFound } from '../errors.ts'
import { covers, type Grants, type RawPermissions } from '../permissions.ts'
import type { AuthTables, RoleRow } from '../table.ts'
import { type RoleInput, type RoleItem, readRawPermissions, roleFields } from './role-schema.ts'

export type Roles = Records<RoleRow, RoleItem, RoleInput>

/** The roles. Nobody makes, changes or removes one that lets do more than his own. */
export function openRoles(options: { storage: Storage; clock: Clock }): Roles {
  return openRecords<RoleRow, RoleItem, RoleInput>(options.storage, options.clock, {
    table: 'roles',
    nameColumn: 'name',
    fields: roleFields,
    area: 'user',
    lock: accountsLock,
    notFound: roleNotFound,
    present: (rows) => rows.map(presentRole),
    findFaults: async ({ rawPermissions: given }) =>
      typeof given === 'object' && given !== null ? faultsOf(() => readRawPermissions(given)) : {},
    toInput,
    prepare: ({ input }) => ({ columns: toColumns(input) }),
    begin: roleRules,
  })
}

/** What a role lets do; nothing while it is not published. */
export function grantsOf(role: Pick<RoleRow, 'is_admin' | 'permissions' | 'is_published'>): Grants {
  if (!role.is_published) return { isAdmin: false, permissions: {} }
  return { isAdmin: Boolean(role.is_admin), permissions: readPermissions(role.permissions) }
}

export function presentRole(row: RoleRow): RoleItem {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    isAdmin: Boolean(row.is_admin),
    rawPermissions: readPermissions(row.permissions),
    ...presentMauticStamps(row),
  }
}

function toInput(current: RoleRow): RoleInput {
  return {
    name: current.name,
    description: current.description,
    isAdmin: Boolean(current.is_admin),
    rawPermissions: readPermissions(current.permissions),
    isPublished: Boolean(current.is_published),
  }
}

function roleRules({ tx: anyTx, caller }: RuleContext): WriteRules<RoleRow, RoleInput> {
  const tx = anyTx.withTables<AuthTables>()
  return {
    beforeWrite: async ({ columns, current }) => {
      if (current !== undefined) checkOwn(caller, current)
      checkOwn(caller, columns)
      const isAdminNow = current !== undefined && grantsOf(current).isAdmin
      if (isAdminNow && !grantsOf(columns).isAdmin) {
        await checkAdministratorsLeft(tx, { roleId: current.id })
      }
    },
    checkRemoval: async (current: RoleRow) => {
      checkOwn(caller, current)
      await checkUnused(tx, current.id)
    },
  }
}

function toColumns(input: RoleInput) {
  const permissions = readRawPermissions(input.rawPermissions ?? {})
  return {
    name: input.name,
    description: input.description ?? null,
    is_admin: input.isAdmin ?? false,
    permissions: JSON.stringify(permissions),
    is_published: input.isPublished ?? true,
    search_text: fold(input.name, input.description),
  }
}

function checkOwn(caller: Caller, role: Pick<RoleRow, 'is_admin' | 'permissions'>): void {
  // Whether it is published does not matter: somebody may publish it later.
  if (!covers(caller, grantsOf({ ...role, is_published: true }))) throw moreThanOwn('The role')
}

async function checkUnused(tx: Transaction<AuthTables>, roleId: number): Promise<void> {
  const count = async (table: 'users' | 'oauth_clients') => {
    const query = tx.selectFrom(table).select((row) => row.fn.countAll<number>().as('count'))
    return Number((await query.where('role_id', '=', roleId).executeTakeFirstOrThrow()).count)
  }
  const [users, clients] = [await count('users'), await count('oauth_clients')]
  if (users + clients > 0) throw roleInUse(users, clients)
}

function readPermissions(text: string): RawPermissions {
  return JSON.parse(text) as RawPermissions
}
