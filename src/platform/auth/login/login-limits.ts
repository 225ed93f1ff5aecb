import { hash } from 'node:crypto'
import { createRequire } from 'node:module'
import { CompiledQuery } from 'kysely'
import type { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import { networkOf } from '../../../kit/network-of.ts'
import type { Storage } from '../../storage/index.ts'
import { tooManyFailures } from '../errors.ts'

/** A log-in to be checked. */
export interface CountedLogin {
  /** Address of the caller. */
  address: string
  /** The account: the same for user name and email address. */
  account: string
}

/**
 * Throttles clients that guess passwords. Failures are counted by network and account, by network, and by account. In a
 * shared database, all processes share the counters.
 */
export interface LoginLimits {
  /** Throws an AppError (`rate_limited`) after too many failures of this network. Writes nothing. */
  check(login: CountedLogin): Promise<void>
  /** Like `check`, before the password is verified. An account under attack gets one attempt in three seconds. */
  accept(login: CountedLogin): Promise<void>
  fail(login: CountedLogin): Promise<void>
  succeed(login: CountedLogin): Promise<void>
}

const hourSeconds = 3_600
/** How far the clocks of two processes may differ. */
const skewMs = 1_000
/** Limits one network that guesses the password of one account. */
const perLogin = { keyPrefix: 'login', points: 10, duration: 60, blockDuration: 60 }
/** Limits one network that tries many accounts. */
const perNetwork = { keyPrefix: 'network', points: 100, duration: 600, blockDuration: 300 }
/** Limits many networks that guess the password of one account: beyond it, they get one attempt in three seconds. */
const perAccount = { keyPrefix: 'account', points: 100, duration: 600 }
const pace = { keyPrefix: 'pace', points: 1, duration: 3 }
/** A network from which the account logged in within seven days is not throttled because of other networks. */
const familiar = { keyPrefix: 'familiar', points: 1, duration: 7 * 24 * hourSeconds }

/** The settings of a limiter. A blocked key stays blocked for `blockDuration` seconds. */
interface LimiterSettings {
  keyPrefix: string
  points: number
  /** Seconds. */
  duration: number
  blockDuration?: number
}

type Limiter = RateLimiterMemory | RateLimiterPostgres

export function createLoginLimits(storage: Storage): LoginLimits {
  const createLimiter = storage.isShared ? sharedLimiters(storage) : createMemoryLimiter
  const logins = createLimiter(perLogin)
  const networks = createLimiter(perNetwork)
  const accounts = createLimiter(perAccount)
  const paces = createLimiter(pace)
  const familiars = createLimiter(familiar)

  const check: LoginLimits['check'] = async (attempt) => {
    const { login, network } = keysOf(attempt)
    const waits = await Promise.all([waitOf(logins, login), waitOf(networks, network)])
    const waitMs = Math.max(...waits)
    if (waitMs > 0) throw waitFor(waitMs)
  }
  return {
    check,
    async accept(attempt) {
      await check(attempt)
      const { login, account } = keysOf(attempt)
      const used = await read(accounts, account)
      if (used === null || used.consumedPoints < perAccount.points) return
      if ((await read(familiars, login)) !== null) return
      await read(paces, account)
      await paces.consume(account).catch((refused: RateLimiterRes | Error) => {
        throw refused instanceof Error ? refused : waitFor(refused.msBeforeNext)
      })
    },
    async fail(attempt) {
      const { login, network, account } = keysOf(attempt)
      // They reject when the points are used up, which `check` finds at the next attempt.
      await Promise.allSettled([
        logins.consume(login),
        networks.consume(network),
        accounts.consume(account),
      ])
    },
    async succeed(attempt) {
      const { login } = keysOf(attempt)
      const [failures, known] = await Promise.all([logins.get(login), read(familiars, login)])
      // Most log-ins write nothing.
      if (failures !== null) await logins.delete(login)
      if (known === null) await familiars.set(login, 1, familiar.duration)
    },
  }
}

/** The keys are hashed, because a typed name may be a password, and because stored keys are short. */
function keysOf({ address, account }: CountedLogin) {
  const network = networkOf(address)
  const digestOf = (...parts: string[]) => hash('sha256', JSON.stringify(parts), 'base64url')
  return {
    login: digestOf(network, account),
    network: digestOf(network),
    account: digestOf(account),
  }
}

/**
 * Reads a counter. It never lasts longer than its settings say: one that would was saved before the clock was set back, and
 * lasts from now on.
 */
async function read(limiter: Limiter, key: string): Promise<RateLimiterRes | null> {
  const used = await limiter.get(key)
  const longest = Math.max(limiter.duration, limiter.blockDuration)
  if (used === null || used.msBeforeNext <= longest * 1_000 + skewMs) return used
  return limiter.set(key, used.consumedPoints, longest)
}

async function waitOf(limiter: Limiter, key: string): Promise<number> {
  const used = await read(limiter, key)
  return used !== null && used.consumedPoints >= limiter.points ? used.msBeforeNext : 0
}

function waitFor(waitMs: number) {
  return tooManyFailures(Math.max(1, Math.ceil(waitMs / 1_000)))
}

const require = createRequire(import.meta.url)
/** The index of the package loads the limiters of all databases. */
const libraryPath = 'rate-limiter-flexible/lib'

/** Creates a limiter in memory, for the only process of its database. */
function createMemoryLimiter(settings: LimiterSettings): Limiter {
  const Memory = require(`${libraryPath}/RateLimiterMemory.js`) as typeof RateLimiterMemory
  return new Memory(settings)
}

function sharedLimiters(storage: Storage): (settings: LimiterSettings) => Limiter {
  const Postgres = require(`${libraryPath}/RateLimiterPostgres.js`) as typeof RateLimiterPostgres
  const db = storage.tables()
  const storeClient = {
    async query({ text, values }: { text: string; values: unknown[] }) {
      const { rows } = await db.executeQuery(CompiledQuery.raw(text, values))
      return { rows, rowCount: rows.length }
    },
  }
  return (settings) =>
    new Postgres({
      ...settings,
      storeClient,
      storeType: 'pool',
      tableName: 'login_failures',
      tableCreated: true,
      // One limiter removes the expired rows of all.
      clearExpiredByTimeout: settings.keyPrefix === perLogin.keyPrefix,
    })
}
