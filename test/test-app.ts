import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { InjectOptions } from 'fastify'
import { type App, type AppOptions, createServer, openApp } from '../src/app.ts'
import type { DeliveryIntervals } from '../src/core/delivery/index.ts'
import type { SmtpServer } from '../src/edges/relay/index.ts'
import type { Caller } from '../src/kit/caller.ts'
import { type Clock, systemClock } from '../src/kit/clock.ts'
import { createLog, type Log } from '../src/kit/log.ts'
import type { PasswordCost } from '../src/platform/auth/index.ts'
import { type Config, defaultConfig } from '../src/platform/config/index.ts'
import type { DeclaredRoute, HttpApp } from '../src/platform/http/index.ts'
import { adminPassword, basicHeader } from './administrator.ts'
import { type TestDatabase, testDatabases } from './databases.ts'

/** Nothing listens there, so a look-up fails at once and no test asks the world. */
const noDnsServer = '127.0.0.1:1'
const closeTimeoutMs = 5_000
/** The least that Argon2 allows. Hashing at the cost of a service would take half of the processor time of many tests. */
const quickPasswordCost = { memory: 8, passes: 1, parallelism: 1 }

const administrator = ['admin', adminPassword] as const

/** The credentials of a test request: `[user name, password]`, a bearer token, or none. */
export type TestCaller = readonly [string, string] | { token: string } | 'anonymous'

/** An answer, its JSON body read. */
export interface TestAnswer {
  status: number
  headers: Record<string, unknown>
  body: TestBody
  text: string
}

/** Any JSON: tests assert what they look into. */
// biome-ignore lint/suspicious/noExplicitAny: a body may be anything, and an assertion follows at once.
export type TestBody = any

/** What a request of a test has. */
export type TestRequest = [
  method: InjectOptions['method'],
  url: string,
  body?: unknown,
  /** `from`: the address of the client. Default: loopback. */
  options?: { as?: TestCaller; headers?: Record<string, string>; from?: string },
]

/** A whole Mailyard on an empty database, asked without a socket unless `listen` is called. */
export interface TestApp {
  app: App
  server: HttpApp
  database: TestDatabase
  /** What was logged, line by line. */
  logged: string[]
  /** Every route, with what it declares to need. */
  routes: readonly DeclaredRoute[]
  /** Sends a request with the credentials `as`; by default those of the administrator. */
  ask(...request: TestRequest): Promise<TestAnswer>
  /** Sends a request that has to be answered with 200, or with 201 where its path ends with `/new`; returns the body. */
  askFor(...request: TestRequest): Promise<TestBody>
  /** Listens on loopback, on a free port by default; returns the base URL. */
  listen(port?: number): Promise<string>
  /** Opens the SMTP server on free ports of loopback; it is closed with the app. */
  openSmtpServer(): Promise<SmtpServer>
  close(): Promise<void>
}

/** What may differ from a fresh installation. */
export interface TestAppOptions {
  database?: TestDatabase
  config?: Partial<Config>
  clock?: Clock
  intervals?: DeliveryIntervals
  /** Default: the least that Argon2 allows. */
  passwordCost?: PasswordCost
  mauticAnswerMs?: number
  googleEndpoints?: AppOptions['googleEndpoints']
  /** Answers for the APIs of providers. */
  providerFetch?: typeof fetch
  /** The caller of every request, in place of its log-in. */
  caller?: Caller
  /** Leaves out modules. Default: it has all. */
  modules?: Parameters<typeof openApp>[1]
  /** Whether its database may be upgraded without a copy. */
  isBackedUp?: boolean
  /** Whether it sends what is due, as from the start; else `app.start()` begins that. */
  isStarted?: boolean
}

/** Opens a Mailyard for tests; `createDatabase` is one of `testDatabases`' `create`. */
export async function openTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const database = options.database ?? (await createSqlite())
  const logged: string[] = []
  const appOptions = {
    config: testConfig(database, options.config),
    rereadConfig: () => testConfig(database, options.config),
    log: recordingLog(logged),
    clock: options.clock ?? systemClock,
    createSecret: () => randomBytes(18).toString('base64url'),
    isBackedUp: options.isBackedUp ?? false,
    passwordCost: options.passwordCost ?? quickPasswordCost,
    ...(options.intervals === undefined ? {} : { intervals: options.intervals }),
    ...(options.googleEndpoints === undefined ? {} : { googleEndpoints: options.googleEndpoints }),
    ...(options.providerFetch === undefined ? {} : { providerFetch: options.providerFetch }),
    ...(options.caller && { command: { caller: options.caller, paths: undefined } }),
    ...(options.mauticAnswerMs === undefined ? {} : { mauticAnswerMs: options.mauticAnswerMs }),
  }
  const app = await openApp(appOptions, options.modules)
  const routes: DeclaredRoute[] = []
  const server = await createServer(app, appOptions, (route) => routes.push(route))
  if (options.isStarted ?? true) await app.start()
  await server.ready()
  let smtpServer: Promise<SmtpServer> | undefined
  const ask: TestApp['ask'] = async (
    method,
    url,
    body,
    { as = administrator, headers = {}, from } = {},
  ) => {
    const isJson = body !== undefined && typeof body !== 'string' && !(body instanceof Buffer)
    // As from a socket: each request comes in a turn of the event loop of its own.
    await setImmediate()
    const answer = await server.inject({
      ...(method === undefined ? {} : { method }),
      url,
      ...(from === undefined ? {} : { remoteAddress: from }),
      headers: {
        ...authorization(as),
        ...(isJson ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: isJson ? JSON.stringify(body) : body }),
    })
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: readJson(answer.body),
      text: answer.body,
    }
  }
  return {
    app,
    server,
    database,
    logged,
    routes,
    ask,
    async askFor(...request) {
      const { status, body, text } = await ask(...request)
      assert.equal(status, /\/new(\?|$)/.test(request[1]) ? 201 : 200, text)
      return body
    },
    listen: (port = 0) => server.listen({ host: '127.0.0.1', port }),
    openSmtpServer() {
      smtpServer ??= app.openSmtpServer()
      return smtpServer
    },
    async close() {
      await (await smtpServer)?.close(closeTimeoutMs)
      await server.close()
      await app.close()
      if (options.database === undefined) await database.drop()
    },
  }
}

function testConfig(database: TestDatabase, changes: Partial<Config> = {}): Config {
  const secretKey = 'a secret key for tests, of 32 characters or more'
  // A free port, so that any number of them run at once.
  const own = { databaseUrl: database.url, secretKey, adminPassword, smtpPort: 0 }
  // Without the queue, the reply to a message is the outcome of its attempt.
  const smtpMode = 'direct' as const
  // Nothing that a test has logged at a time of its own is removed meanwhile.
  const fixed = { smtpMode, deliveriesKeepDays: 36_500, dnsServers: [noDnsServer] }
  return { ...defaultConfig(), ...own, ...fixed, ...changes }
}

function createSqlite(): Promise<TestDatabase> {
  const [sqlite] = testDatabases
  if (sqlite === undefined) throw new Error('There is no test database.')
  return sqlite.createMigrated()
}

function recordingLog(lines: string[]): Log {
  return createLog('debug', { write: (line) => void lines.push(line) })
}

function authorization(as: TestCaller): Record<string, string> {
  if (as === 'anonymous') return {}
  if ('token' in as) return { authorization: `Bearer ${as.token}` }
  return { authorization: basicHeader(...as) }
}

function readJson(text: string): TestBody {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
