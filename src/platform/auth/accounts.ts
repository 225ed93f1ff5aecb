import type { Kysely } from 'kysely'
import { type Brands, type Caller, noBrand, operatorName } from '../../kit/caller.ts'
import { isInFuture } from '../../kit/clock.ts'
import type { SmtpMode } from '../../kit/smtp-mode.ts'
import { createLookUp, type LookUp, type Storage } from '../storage/index.ts'
import type { LoginRuleCheck, LoginRules } from './login/login-rules.ts'
import { grantsOf } from './roles/role-rules.ts'
import { createCan, type Grants } from './roles/role-schema.ts'
import type { AuthTables, UserRow } from './table.ts'
import { brandsOf } from './users/user-brands.ts'
import { displayName } from './users/users.ts'

/** A user and the permissions of their role. */
export interface Account {
  user: UserRow
  grants: Grants
}

/** A caller with a log-in of 32 hexadecimal digits and a secret of 256 random bits. */
export interface SecretLogin {
  caller: Caller
  /** SHA-256 of the secret, in hex. */
  secretHash: string
  rules: LoginRules
}

/** The columns of the role of a user, or of a client, which may have none. */
interface RoleColumns {
  role_is_admin: boolean | null
  role_permissions: string | null
  role_is_published: boolean | null
}

type UserWithRole = UserRow & RoleColumns

/** Reads users, clients and access tokens for authentication, each with one query that is compiled once. */
export class Accounts {
  readonly rules: LoginRuleCheck
  readonly #db: Kysely<AuthTables>
  readonly #byId: LookUp<{ id: number }, UserWithRole>
  readonly #byLogin: LookUp<{ key: string }, UserWithRole>
  readonly #byToken: LookUp<{ hash: string }, TokenOwner>
  readonly #byClientId: LookUp<{ clientId: string }, ClientWithRole>

  constructor(storage: Storage, rules: LoginRuleCheck) {
    const db = storage.tables<AuthTables>()
    this.rules = rules
    this.#db = db
    this.#byId = createLookUp(storage, ({ id }) => selectUsers(db).where('users.id', '=', id))
    this.#byLogin = createLookUp(storage, ({ key }) =>
      selectUsers(db).where((where) =>
        where.or([where('username_key', '=', key), where('email_key', '=', key)]),
      ),
    )
    this.#byToken = createLookUp(storage, ({ hash }) =>
      selectTokenOwner(db).where('oauth_tokens.hash', '=', hash),
    )
    this.#byClientId = createLookUp(storage, ({ clientId }) =>
      selectClient(db).where('oauth_clients.client_id', '=', clientId),
    )
  }

  /** Returns undefined for an unknown or unpublished user, and for one who may not log in from this address now. */
  async findById(id: number, address: string | undefined): Promise<Account | undefined> {
    const account = toAccount(await this.#byId({ id }))
    return account && this.mayLogIn(account, address) ? account : undefined
  }

  /** Whether the rules of a user allow a log-in from this address now. */
  mayLogIn({ user }: Account, address: string | undefined): boolean {
    return this.rules.mayLogIn(`user ${user.id}`, user, address)
  }

  /** Finds a user by normalized user name or email address, whom the rules of log-ins may forbid to log in. */
  async findByLogin(key: string): Promise<Account | undefined> {
    return toAccount(await this.#byLogin({ key }))
  }

  /** Returns the caller of an unexpired access token, sent from this address; `now` in milliseconds. */
  async findByToken(
    hash: string,
    { now, address }: { now: number; address: string },
  ): Promise<{ caller: Caller; expiresAt: number; rules: LoginRules[] } | undefined> {
    const owner = await this.#byToken({ hash })
    if (owner === undefined) return undefined
    if (owner.expires_at <= now || isInFuture(owner.created_at, now)) {
      // It stays over when the clock is set back. A full disk must not turn the answer into another one.
      const removal = this.#db.deleteFrom('oauth_tokens').where('hash', '=', hash)
      await removal.execute().catch(() => undefined)
      return undefined
    }
    if (!owner.client_is_published) return undefined
    const { user_id: userId, expires_at: expiresAt } = owner
    const rules = { networks: owner.networks, valid_until: owner.valid_until }
    if (!this.rules.mayLogIn(`client ${owner.client_key}`, rules, address)) return undefined
    if (userId === null) return { caller: clientCaller(owner), expiresAt, rules: [rules] }
    const account = await this.findById(userId, address)
    if (account === undefined) return undefined
    const caller = userCaller(account)
    const brands = commonBrands(caller.brands, brandsOfClient(owner))
    return brands && { caller: { ...caller, brands }, expiresAt, rules: [rules, account.user] }
  }

  /** Returns the client with this id, if it has the grant client_credentials. Its rules may forbid it to log in. */
  async findClient(clientId: string): Promise<SecretLogin | undefined> {
    const client = await this.#byClientId({ clientId })
    if (client === undefined || !client.client_is_published) return undefined
    const grants = JSON.parse(client.grant_types) as string[]
    if (client.role_id === null || !grants.includes('client_credentials')) return undefined
    return { caller: clientCaller(client), secretHash: client.secret_hash, rules: client }
  }

  /**
   * Finds the caller that the stamp of a record names, such as `created_by_id` and `created_by`, with their current permissions;
   * undefined if they can no longer log in.
   */
  async findStamped(
    id: number | null,
    name: string | null,
  ): Promise<Pick<Caller, 'can' | 'brands'> | undefined> {
    if (id !== null) {
      const account = await this.findById(id, undefined)
      return account && userCaller(account)
    }
    if (name === operatorName) return { brands: 'all', can: () => true }
    const key = Number(clientName.exec(name ?? '')?.[1])
    const query = this.#db
      .selectFrom('oauth_clients')
      .select('client_id')
      .where('id', '=', key || 0)
    const client = await query.executeTakeFirst()
    const program = client && (await this.findClient(client.client_id))
    if (program === undefined) return undefined
    const { caller, rules } = program
    return this.rules.mayLogIn(caller.name, rules, undefined) ? caller : undefined
  }
}

/** How `clientCaller` names a client. Users have an id in a stamp. */
const clientName = / \[(\d+)\]$/

function toAccount(row: UserWithRole | undefined): Account | undefined {
  if (row === undefined || !row.is_published) return undefined
  return { user: row, grants: readGrants(row) }
}

/** Returns the user as a caller, with the current permissions of their role. */
export function userCaller({ user, grants }: Account): Caller {
  const { id: userId, email, smtp_mode } = user
  const identity = {
    userId,
    name: displayName(user),
    email,
    smtpMode: smtp_mode ?? undefined,
    brands: brandsOf(user),
  }
  return createCaller(identity, grants)
}

function clientCaller(owner: ClientColumns): Caller {
  const name = `${owner.client_name} [${owner.client_key}]`
  const smtpMode = owner.client_smtp_mode ?? undefined
  const identity = { userId: undefined, clientId: owner.client_key, name, email: undefined }
  return createCaller({ ...identity, brands: brandsOfClient(owner), smtpMode }, readGrants(owner))
}

function brandsOfClient({ client_brand_id: brand }: ClientColumns): Brands {
  return brand === noBrand ? 'all' : [brand]
}

/** The brands of a user who acts through a client; undefined if they have none in common: the token is of no use then. */
function commonBrands(one: Brands, other: Brands): Brands | undefined {
  if (one === 'all') return other
  const common = other === 'all' ? one : one.filter((brand) => other.includes(brand))
  return common.length === 0 ? undefined : common
}

function readGrants(row: RoleColumns): Grants {
  return grantsOf({
    is_admin: Boolean(row.role_is_admin),
    permissions: row.role_permissions ?? '{}',
    is_published: Boolean(row.role_is_published),
  })
}

function createCaller(identity: Omit<Caller, 'isAdmin' | 'can'>, grants: Grants): Caller {
  return { ...identity, isAdmin: grants.isAdmin, can: createCan(grants) }
}

const roleColumns = [
  'roles.is_admin as role_is_admin',
  'roles.permissions as role_permissions',
  'roles.is_published as role_is_published',
] as const

function selectUsers(db: Kysely<AuthTables>) {
  return db
    .selectFrom('users')
    .innerJoin('roles', 'roles.id', 'users.role_id')
    .selectAll('users')
    .select(roleColumns)
}

interface ClientColumns extends RoleColumns, LoginRules {
  client_key: number
  client_name: string
  client_is_published: boolean
  client_smtp_mode: SmtpMode | null
  client_brand_id: number
}

interface TokenOwner extends ClientColumns {
  created_at: number
  expires_at: number
  user_id: number | null
}

interface ClientWithRole extends ClientColumns {
  secret_hash: string
  grant_types: string
  role_id: number | null
}

const clientColumns = [
  'oauth_clients.id as client_key',
  'oauth_clients.name as client_name',
  'oauth_clients.is_published as client_is_published',
  'oauth_clients.smtp_mode as client_smtp_mode',
  'oauth_clients.brand_id as client_brand_id',
  'oauth_clients.networks',
  'oauth_clients.valid_until',
  ...roleColumns,
] as const

function selectClient(db: Kysely<AuthTables>) {
  return db
    .selectFrom('oauth_clients')
    .leftJoin('roles', 'roles.id', 'oauth_clients.role_id')
    .select(clientColumns)
    .select(['secret_hash', 'grant_types', 'role_id'])
}

function selectTokenOwner(db: Kysely<AuthTables>) {
  return db
    .selectFrom('oauth_tokens')
    .innerJoin('oauth_clients', 'oauth_clients.id', 'oauth_tokens.client_id')
    .leftJoin('roles', 'roles.id', 'oauth_clients.role_id')
    .where('oauth_tokens.kind', '=', 'access')
    .select([
      'oauth_tokens.created_at',
      'oauth_tokens.expires_at',
      'oauth_tokens.user_id',
      ...clientColumns,
    ])
}
