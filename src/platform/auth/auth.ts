import cookie from '@fastify/cookie'
import type { Kysely, Transaction } from 'kysely'
import Type from 'typebox'
import type { Caller } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import { Hook } from '../../kit/hooks.ts'
import type { Log } from '../../kit/log.ts'
import type { SmtpEndpoint } from '../config/index.ts'
import type { Callers, HttpApp } from '../http/index.ts'
import type { Installation } from '../installation/index.ts'
import { addResourceRoutes } from '../resource/index.ts'
import type { Storage } from '../storage/index.ts'
import { Accounts, type SecretLogin } from './accounts.ts'
import { Authenticator } from './authenticator.ts'
import { clientShape } from './clients/client-schema.ts'
import { type Clients, openClients } from './clients/clients.ts'
import { addGuard, type FindOtherCaller } from './guard.ts'
import { createLoginLimits, type LoginLimits } from './login/login-limits.ts'
import { LoginRuleCheck } from './login/login-rules.ts'
import { Logins, PasswordCheck } from './login/logins.ts'
import { addAuthorizeRoutes } from './oauth/authorize-routes.ts'
import { GrantStore } from './oauth/grant-store.ts'
import { openSessions } from './oauth/sessions.ts'
import { addTokenRoute, type TokenLifetimes } from './oauth/token-route.ts'
import { grantsOf } from './roles/role-rules.ts'
import { createCan, roleShape } from './roles/role-schema.ts'
import { openRoles, type Roles } from './roles/roles.ts'
import { ConsoleSessions } from './sessions/console-sessions.ts'
import { PasswordLinks } from './sessions/password-links.ts'
import { addSessionRoutes } from './sessions/session-routes.ts'
import type { AuthTables } from './table.ts'
import { usersOf } from './users/user-brands.ts'
import { type UserItem, userExample, userItem, userShape } from './users/user-schema.ts'
import { openUsers, type Users, type UsersOptions } from './users/users.ts'

export interface AuthOptions {
  storage: Storage
  clock: Clock
  log: Log
  isApiEnabled: boolean
  isBasicEnabled: boolean
  lifetimes: TokenLifetimes
  passwordCost?: UsersOptions['passwordCost']
  /** Where applications submit messages. */
  smtp: Pick<SmtpEndpoint, 'address'>
  /** To whom mail is sent; undefined for everybody. */
  allowedRecipients: readonly string[] | undefined
  installation: Pick<Installation, 'unconfirmed'>
}

interface AuthHooks {
  /** Finds log-ins that are neither of a user nor of a client. */
  login: Hook<[login: string], SecretLogin | undefined>
}

/** Authentication and authorization: users, roles, OAuth clients, and the guard before every route. */
export interface Auth {
  hooks: AuthHooks
  users: Users
  roles: Roles
  clients: Clients
  logins: Logins
  /**
   * Returns the users with these ids; unknown ids are left out, and those that `caller` may not see. `tx` is the transaction to
   * read in, if any.
   */
  findUsers(
    ids: readonly number[],
    options?: { tx?: Transaction<object> | undefined; caller?: Caller },
  ): Promise<UserName[]>
  /** Returns those of the ids that roles have. */
  findRoleIds(ids: readonly number[], tx: Transaction<object>): Promise<number[]>
  /** Throttles log-ins that another system checks, together with those of its own users. */
  loginLimits: LoginLimits
  /** Checks the rules of log-ins that another system checks. */
  loginRules: LoginRuleCheck
  /** Returns whether a role grants `area:level`. A missing or unpublished role grants nothing. */
  findGrants(roleId: number): Promise<(permission: string) => boolean>
  findStamped: Accounts['findStamped']
  /** Adds the guard to every route that is added later. */
  addGuard(app: HttpApp, callers: Callers, findOtherCaller?: FindOtherCaller): void
  addRoutes(app: HttpApp, callers: Callers): Promise<void>
}

export function openAuth(options: AuthOptions): Auth {
  const { storage, clock, log, lifetimes, passwordCost, isApiEnabled, isBasicEnabled } = options
  const hooks: AuthHooks = { login: new Hook() }
  const accounts = new Accounts(storage, new LoginRuleCheck(clock, log))
  const loginLimits = createLoginLimits(storage)
  const passwords = new PasswordCheck({ limits: loginLimits, accounts, log, passwordCost })
  const authenticator = new Authenticator({ storage, accounts, passwords, clock, isBasicEnabled })
  const sessions = new ConsoleSessions({ storage, accounts, clock })
  const links = new PasswordLinks(storage, clock)
  const users = openUsers({ storage, clock, passwordCost })
  const roles = openRoles({ storage, clock })
  const clients = openClients({ storage, clock })
  const grants = new GrantStore(storage, clock)
  return {
    hooks,
    users,
    roles,
    clients,
    logins: new Logins({ accounts, authenticator, findLogin: (login) => hooks.login.first(login) }),
    findUsers: (ids, { tx, caller } = {}) =>
      findUsers(tx?.withTables<AuthTables>() ?? storage.tables(), ids, caller),
    findRoleIds: (ids, tx) => findRoleIds(tx.withTables<AuthTables>(), ids),
    loginLimits,
    loginRules: accounts.rules,
    async findGrants(roleId) {
      const role = await roles.findRow(roleId)
      return role === undefined ? () => false : createCan(grantsOf(role))
    },
    findStamped: (id, name) => accounts.findStamped(id, name),
    addGuard: (app, callers, findOtherCaller) =>
      addGuard(app, {
        authenticator,
        sessions,
        callers,
        isApiEnabled,
        isBasicEnabled,
        findOtherCaller,
      }),
    async addRoutes(app, callers) {
      addSessionRoutes(app, {
        sessions,
        links,
        users,
        passwords,
        accounts,
        callers,
        smtp: options.smtp,
        allowedRecipients: options.allowedRecipients,
        installation: options.installation,
      })
      addTokenRoute(app, { grants, accounts, lifetimes })
      await app.register(async (pages) => {
        await pages.register(cookie)
        addAuthorizeRoutes(pages, {
          grants,
          accounts,
          lifetimes,
          passwords,
          sessions: openSessions({ storage, accounts, clock }),
        })
      })
      addSelfRoute(app, { users, roles, clients, callers })
      addResourceRoutes(app, userShape, { service: users, callers })
      addResourceRoutes(app, roleShape, { service: roles, callers })
      addResourceRoutes(app, clientShape, { service: clients, callers })
    },
  }
}

/** The fields of a user that other modules read. */
export interface UserName {
  id: number
  username: string
  firstName: string
  lastName: string
}

async function findUsers(
  db: Kysely<AuthTables>,
  ids: readonly number[],
  caller: Caller | undefined,
): Promise<UserName[]> {
  if (ids.length === 0) return []
  const query = db.selectFrom('users').where('id', 'in', ids)
  return (caller === undefined ? query : query.where(usersOf(caller)))
    .select(['id', 'username', 'first_name as firstName', 'last_name as lastName'])
    .execute()
}

async function findRoleIds(db: Kysely<AuthTables>, ids: readonly number[]): Promise<number[]> {
  const rows = await db.selectFrom('roles').select('id').where('id', 'in', ids).execute()
  return rows.map(({ id }) => id)
}

interface SelfRouteParts {
  users: Users
  roles: Roles
  clients: Clients
  callers: Callers
}

/** Adds `GET /api/users/self`. The response has no wrapper, as in Mautic. */
function addSelfRoute(app: HttpApp, parts: SelfRouteParts): void {
  const schema = {
    operationId: 'getSelf',
    summary: 'Get the calling user',
    description: 'A client that acts for itself has names and a role, but no id and no email.',
    tags: ['users'],
    response: { 200: Type.Partial(userItem, { examples: [userExample] }) },
  }
  const config = { permission: 'authenticated' as const }
  app.get('/api/users/self', { schema, config }, async (request) => {
    const caller = parts.callers.of(request)
    if (caller.clientId !== undefined) return presentClientCaller(caller.clientId, caller, parts)
    // A client of one brand acts for a user who may have more.
    return (await parts.users.get(caller.userId ?? 0, { ...caller, brands: 'all' })).item
  })
}

/** Presents a client that acts for itself as Mautic does: as a user without an id. */
async function presentClientCaller(
  clientId: number,
  caller: Caller,
  { clients, roles }: SelfRouteParts,
): Promise<Partial<UserItem>> {
  const { name, role } = (await clients.get(clientId, caller)).item
  return {
    username: caller.name,
    firstName: name,
    lastName: `[${clientId}]`,
    role: role === null ? null : (await roles.get(role, caller)).item,
    isPublished: true,
  }
}
