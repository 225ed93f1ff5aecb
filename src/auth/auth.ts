import type { Kysely, Transaction } from 'kysely'
import type { Callers, HttpApp } from '../http/index.ts'
import type { Clock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import type { Storage } from '../storage/index.ts'
import { openAccounts } from './accounts.ts'
import { Authenticator } from './authenticator.ts'
import { type Clients, openClients } from './clients/clients.ts'
import { addGuard } from './guard.ts'
import { createLogins, type Logins } from './login/login.ts'
import { createPasswordCheck } from './login/password-check.ts'
import { addAuthorizeRoutes } from './oauth/authorize-routes.ts'
import { GrantStore } from './oauth/grant-store.ts'
import { openSessions } from './oauth/sessions.ts'
import { addTokenRoute, type TokenLifetimes } from './oauth/token-route.ts'
import { openRoles, type Roles } from './roles/roles.ts'
import { addAuthRoutes } from './routes.ts'
import type { AuthTables } from './table.ts'
import { openUsers, type Users, type UsersOptions } from './users/users.ts'

/** What authentication is opened with. */
export interface AuthOptions {
  storage: Storage
  clock: Clock
  log: Log
  isApiEnabled: boolean
  isBasicEnabled: boolean
  lifetimes: TokenLifetimes
  describeUses: UsersOptions['describeUses']
}

/** Who may do what: users, roles, OAuth clients, and the guard before every route. */
export interface Auth {
  users: Users
  roles: Roles
  clients: Clients
  logins: Logins
  /** The users with these ids, as far as there are such; `tx` is the caller's transaction, if there is one. */
  findUsers(ids: readonly number[], tx?: Transaction<object>): Promise<UserName[]>
  /** Puts the guard before every route that is added later. */
  addGuard(app: HttpApp, callers: Callers): void
  addRoutes(app: HttpApp, callers: Callers): void
}

export function openAuth(options: AuthOptions): Auth {
  const { storage, clock, log, lifetimes } = options
  const accounts = openAccounts(storage)
  const passwords = createPasswordCheck({ storage, accounts, log })
  const authenticator = new Authenticator({ ...options, accounts, passwords })
  const users = openUsers(options)
  const roles = openRoles(options)
  const clients = openClients(options)
  const oauth = { grants: new GrantStore(storage, clock), accounts, lifetimes }
  return {
    users,
    roles,
    clients,
    logins: createLogins({ accounts, authenticator }),
    findUsers: (ids, tx) => findUsers(tx?.withTables<AuthTables>() ?? storage.tables(), ids),
    addGuard: (app, callers) => addGuard(app, { ...options, authenticator, callers }),
    addRoutes(app, callers) {
      addTokenRoute(app, oauth)
      addAuthorizeRoutes(app, {
        ...oauth,
        passwords,
        sessions: openSessions({ storage, accounts, clock }),
      })
      addAuthRoutes(app, { users, roles, clients, callers })
    },
  }
}

/** What others may know of a user. */
export interface UserName {
  id: number
  username: string
  firstName: string
  lastName: string
}

async function findUsers(db: Kysely<AuthTables>, ids: readonly number[]): Promise<UserName[]> {
  if (ids.length === 0) return []
  const query = db.selectFrom('users').where('id', 'in', ids)
  return query
    .select(['id', 'username', 'first_name as firstName', 'last_name as lastName'])
    .execute()
}
