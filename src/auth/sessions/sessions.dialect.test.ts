import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adminPassword } from '../../../test/administrator.ts'
import { addClient, addUser } from '../../../test/callers.ts'
import { askToken, callback, getTokens } from '../../../test/consent.ts'
import { testDatabases } from '../../../test/databases.ts'
import { createMovableClock } from '../../../test/movable-clock.ts'
import {
  openTestApp,
  type TestAnswer,
  type TestApp,
  type TestAppOptions,
} from '../../../test/test-app.ts'
import type { AuthTables } from '../table.ts'

type FirstLogin = Parameters<NonNullable<TestAppOptions['showFirstLogin']>>[0]
const hourMs = 3_600_000

/** Logs in and returns the header with the cookie of the session. */
async function logIn(service: TestApp, username: string, password: string) {
  const answer = await service.ask(
    'POST',
    '/api/session',
    { username, password },
    { as: 'anonymous' },
  )
  assert.equal(answer.status, 200, answer.text)
  return { cookie: cookieOf(answer) }
}

/** Asks with these headers alone. */
const askWith = (
  service: TestApp,
  headers: Record<string, string>,
  path = '/api/users/self',
  method: 'GET' | 'DELETE' = 'GET',
) => service.ask(method, path, undefined, { as: 'anonymous', headers })

const statusOf = async (service: TestApp, headers: Record<string, string>) =>
  (await askWith(service, headers)).status

function cookieOf({ headers }: TestAnswer): string {
  return String(headers['set-cookie']).split(';')[0] ?? ''
}

for (const { name, createMigrated } of testDatabases) {
  const open = async (options = {}) => openTestApp({ database: await createMigrated(), ...options })

  test(`${name}: the cookie of a session stands for its user, until they log out`, async () => {
    await using service = disposable(await open())
    const headers = await logIn(service, 'admin', adminPassword)
    const self = await askWith(service, headers)
    assert.deepEqual([self.status, self.body.username], [200, 'admin'])
    const over = await askWith(service, headers, '/api/session', 'DELETE')
    assert.match(String(over.headers['set-cookie']), /Max-Age=0/)
    assert.equal(await statusOf(service, headers), 401)
    assert.equal((await askWith(service, headers, '/api/session')).body.user, null)
  })

  test(`${name}: a session says where messages are submitted, and nothing to strangers`, async () => {
    const config = { publicUrl: 'https://mail.example.com', smtpPort: 587 }
    await using service = disposable(await open({ config }))
    const headers = await logIn(service, 'admin', adminPassword)
    const read = async (headers: Record<string, string>) =>
      (await askWith(service, headers, '/api/session')).body
    const smtp = { scheme: 'smtp', host: 'mail.example.com', port: 587 }
    assert.deepEqual((await read(headers)).smtp, smtp)
    assert.equal((await read({})).smtp, undefined)
    const closed = { smtpPort: undefined, smtpsPort: undefined }
    await using other = disposable(await open({ config: closed }))
    const login = { username: 'admin', password: adminPassword }
    const as = 'anonymous' as const
    assert.equal((await other.ask('POST', '/api/session', login, { as })).body.smtp, null)
  })

  test(`${name}: a session names the port that is bound where any free one may be taken`, async () => {
    await using service = disposable(await open())
    const headers = await logIn(service, 'admin', adminPassword)
    const { port } = await service.openSmtpServer()
    const { body } = await askWith(service, headers, '/api/session')
    assert.deepEqual(body.smtp, { scheme: 'smtp', host: '127.0.0.1', port })
    const values = { url: 'https://mautic.example.com', clientId: 'id', clientSecret: 'x' }
    const added = await service.ask('POST', '/api/mautics/new', { ...values, name: 'bound' })
    assert.equal(new URL(added.body.mautic.mailerDsn).port, String(port))
  })

  test(`${name}: a caller who may edit a user sees and ends their sessions, but not those of a user with more permissions`, async () => {
    await using service = disposable(await open())
    const manager = await addUser(service, { user: ['full'] })
    const clerk = await addUser(service, { user: ['view'] })
    await logIn(service, clerk.username, clerk.password)
    const headers = await logIn(service, 'admin', adminPassword)
    const as = [manager.username, manager.password] as const
    const path = `/api/users/${clerk.id}/sessions`
    const { body } = await service.ask('GET', path, undefined, { as })
    assert.deepEqual(
      body.sessions.map(({ isCurrent }: TestAnswer['body']) => isCurrent),
      [false],
    )
    assert.equal((await service.ask('DELETE', path, undefined, { as })).status, 200)
    assert.deepEqual((await service.ask('GET', path, undefined, { as })).body.sessions, [])
    for (const method of ['GET', 'DELETE'] as const)
      assert.equal(
        (await service.ask(method, '/api/users/1/sessions', undefined, { as })).status,
        403,
      )
    assert.equal(await statusOf(service, headers), 200)
  })

  test(`${name}: a session ends after 8 idle hours, and after 7 days in any case`, async () => {
    const clock = createMovableClock()
    await using service = disposable(await open({ clock }))
    const headers = await logIn(service, 'admin', adminPassword)
    for (let hours = 0; hours < 7 * 24 - 7; hours += 7) {
      clock.advance(7 * hourMs)
      assert.equal(await statusOf(service, headers), 200)
    }
    clock.advance(8 * hourMs)
    assert.equal(await statusOf(service, headers), 401)
    const again = await logIn(service, 'admin', adminPassword)
    clock.advance(8 * hourMs)
    assert.equal(await statusOf(service, again), 401)
  })

  test(`${name}: a clock that was set back revives no session and no token`, async () => {
    const clock = createMovableClock()
    await using service = disposable(await open({ clock }))
    const user = await addUser(service, {})
    const client = await addClient(service, { redirectUris: [callback] })
    const isIn = async (headers: Record<string, string>) =>
      (await statusOf(service, headers)) === 200
    const bearer = async () => {
      const tokens = await getTokens(service, client, user)
      return { headers: { authorization: `Bearer ${tokens.access_token}` }, tokens }
    }
    const refresh = async (token: string) =>
      (await askToken(service, client, { grant_type: 'refresh_token', refresh_token: token }))
        .status

    const session = await logIn(service, user.username, user.password)
    const token = await bearer()
    clock.advance(9 * hourMs)
    assert.deepEqual([await isIn(session), await isIn(token.headers)], [false, false])
    clock.advance(-9 * hourMs)
    assert.deepEqual([await isIn(session), await isIn(token.headers)], [false, false])

    const later = await logIn(service, user.username, user.password)
    const laterToken = await bearer()
    assert.deepEqual([await isIn(later), await isIn(laterToken.headers)], [true, true])
    clock.advance(-hourMs)
    assert.deepEqual([await isIn(later), await isIn(laterToken.headers)], [false, false])
    assert.equal(await refresh(laterToken.tokens.refresh_token), 400)
  })

  test(`${name}: sessions that ended while the clock was ahead are deleted without a request of theirs`, async () => {
    const clock = createMovableClock()
    await using service = disposable(await open({ clock, isStarted: false }))
    const user = await addUser(service, {})
    const client = await addClient(service, { redirectUris: [callback] })
    const ended = await logIn(service, user.username, user.password)
    await getTokens(service, client, user)
    clock.advance(9 * hourMs)
    const current = await logIn(service, user.username, user.password)
    const count = async (table: 'console_sessions' | 'login_sessions') => {
      const query = service.app.storage.tables<AuthTables>().selectFrom(table).select('hash')
      return (await query.execute()).length
    }
    assert.deepEqual([await count('console_sessions'), await count('login_sessions')], [2, 1])

    await service.app.start()
    await service.app.idle()
    assert.deepEqual([await count('console_sessions'), await count('login_sessions')], [1, 0])
    assert.equal(await statusOf(service, current), 200)
    clock.advance(-9 * hourMs)
    assert.equal(await statusOf(service, ended), 401)
  })

  test(`${name}: a user has 20 sessions; one more ends the oldest`, async () => {
    await using service = disposable(await open())
    const user = await addUser(service, {})
    const other = await logIn(service, 'admin', adminPassword)
    const all: { cookie: string }[] = []
    for (let count = 0; count < 21; count++)
      all.push(await logIn(service, user.username, user.password))
    const statuses = await Promise.all(all.map((headers) => statusOf(service, headers)))
    assert.deepEqual([statuses[0], new Set(statuses.slice(1))], [401, new Set([200])])
    assert.equal(await statusOf(service, other), 200)
  })

  test(`${name}: an unpublished user's sessions and tokens end, and publishing revives none`, async () => {
    await using service = disposable(await open())
    const user = await addUser(service, {})
    const client = await addClient(service, { redirectUris: [callback] })
    const path = `/api/users/${user.id}/edit`
    const { username, email, roleId: role } = user
    const unpublish = [
      () => service.ask('PATCH', path, { isPublished: false }),
      () => service.ask('PUT', path, { username, email, role, isPublished: false }),
      () => service.ask('PATCH', '/api/users/batch/edit', [{ id: user.id, isPublished: false }]),
    ]
    for (const change of unpublish) {
      const session = await logIn(service, username, user.password)
      const tokens = await getTokens(service, client, user)
      const changed = await change()
      assert.equal(changed.status, 200, changed.text)
      assert.equal((await service.ask('PATCH', path, { isPublished: true })).status, 200)
      for (const headers of [session, { authorization: `Bearer ${tokens.access_token}` }])
        assert.equal(await statusOf(service, headers), 401)
      const body = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
      assert.equal((await askToken(service, client, body)).status, 400)
    }
  })

  test(`${name}: users see and end their own sessions, and no others`, async () => {
    await using service = disposable(await open())
    const user = await addUser(service, {})
    const mine = await logIn(service, user.username, user.password)
    const other = await logIn(service, user.username, user.password)
    const admin = await logIn(service, 'admin', adminPassword)
    const list = async (headers: Record<string, string>) =>
      (await askWith(service, headers, '/api/sessions')).body.sessions
    const sessions = await list(mine)
    assert.deepEqual(
      sessions.map(({ isCurrent }: { isCurrent: boolean }) => isCurrent).toSorted(),
      [false, true],
    )
    const [{ id: adminSession }] = await list(admin)
    const end = (id: number) => askWith(service, mine, `/api/sessions/${id}`, 'DELETE')
    assert.equal((await end(adminSession)).status, 404)
    const { id } = sessions.find(({ isCurrent }: { isCurrent: boolean }) => !isCurrent)
    assert.equal((await end(id)).status, 200)
    assert.equal(await statusOf(service, other), 401)
    assert.equal((await list(admin)).length, 1)
  })

  test(`${name}: pages of other sites change nothing with the cookie, and start no session`, async () => {
    await using service = disposable(await open())
    const cookie = await logIn(service, 'admin', adminPassword)
    const foreign = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
    const as = 'anonymous' as const
    const body = { name: 'x', mailerDsn: 'null://null' }
    const headers = { ...cookie, ...foreign }
    const forged = await service.ask('POST', '/api/multipleTransports/new', body, { as, headers })
    assert.equal(forged.status, 403)
    const login = { username: 'admin', password: adminPassword }
    const started = await service.ask('POST', '/api/session', login, { as, headers: foreign })
    assert.deepEqual([started.status, started.headers['set-cookie']], [403, undefined])
  })

  test(`${name}: the link of the first start sets the password once, and logs in`, async () => {
    const shown: FirstLogin[] = []
    const config = { adminPassword: undefined, publicUrl: 'https://mail.example.com' }
    const showFirstLogin = (login: FirstLogin) => shown.push(login)
    await using service = disposable(await open({ config, showFirstLogin }))
    const [, token] =
      /^https:\/\/mail\.example\.com\/set-password#(.+)$/.exec(shown[0]?.link ?? '') ?? []
    const as = 'anonymous' as const
    const set = (password: string) =>
      service.ask('POST', '/api/session/password', { token, password }, { as })
    const short = await set('short')
    assert.equal(short.status, 400)
    const check = () => service.ask('POST', '/api/session/password/check', { token }, { as })
    assert.equal((await check()).status, 200)
    const both = await Promise.all([set('one good password'), set('one good password')])
    assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, 404])
    assert.equal((await check()).status, 404)
    const started = both.find(({ status }) => status === 200)
    const headers = { cookie: started === undefined ? '' : cookieOf(started) }
    assert.equal((await askWith(service, headers)).body.username, 'admin')
    await logIn(service, 'admin', 'one good password')
    const old = { username: 'admin', password: shown[0]?.password }
    assert.equal((await service.ask('POST', '/api/session', old, { as })).status, 401)
  })

  test(`${name}: the link of the first start ends after a day, and with another password`, async () => {
    const clock = createMovableClock()
    const links: string[] = []
    const options = {
      clock,
      config: { adminPassword: undefined },
      showFirstLogin: ({ link }: FirstLogin) => links.push(link),
    }
    await using service = disposable(await open(options))
    clock.advance(24 * hourMs)
    const body = { token: links[0]?.split('#')[1], password: 'one good password' }
    const late = await service.ask('POST', '/api/session/password', body, { as: 'anonymous' })
    assert.equal(late.status, 404)
  })
}

function disposable(service: TestApp) {
  return Object.assign(service, { [Symbol.asyncDispose]: () => service.close() })
}
