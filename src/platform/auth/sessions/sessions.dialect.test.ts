import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adminPassword } from '../../../../test/administrator.ts'
import { addClient, addUser } from '../../../../test/callers.ts'
import { askToken, callback, getTokens } from '../../../../test/consent.ts'
import { onEachDatabase } from '../../../../test/on-each-database.ts'
import type { TestAnswer } from '../../../../test/test-app.ts'
import type { AuthTables } from '../table.ts'

const hourMs = 3_600_000

onEachDatabase('a session', { isStarted: false }, (shared) => {
  const { ask } = shared
  /** Logs in and returns the header with the cookie of the session. */
  const logIn = async (username: string, password: string) => {
    const body = { username, password }
    const answer = await ask('POST', '/api/session', body, { as: 'anonymous' })
    assert.equal(answer.status, 200, answer.text)
    return { cookie: cookieOf(answer) }
  }
  /** Asks with these headers alone. */
  const askWith = (
    headers: Record<string, string>,
    path = '/api/users/self',
    method: 'GET' | 'DELETE' = 'GET',
  ) => ask(method, path, undefined, { as: 'anonymous', headers })
  const statusOf = async (headers: Record<string, string>) => (await askWith(headers)).status

  test('the cookie of a session stands for its user, until they log out', async () => {
    const headers = await logIn('admin', adminPassword)
    const self = await askWith(headers)
    assert.deepEqual([self.status, self.body.username], [200, 'admin'])
    const over = await askWith(headers, '/api/session', 'DELETE')
    assert.match(String(over.headers['set-cookie']), /Max-Age=0/)
    assert.equal(await statusOf(headers), 401)
    assert.equal((await askWith(headers, '/api/session')).body.user, null)
  })

  test('says where messages are submitted, and nothing to strangers', async () => {
    const cookie = await logIn('admin', adminPassword)
    const read = async (config: object, headers: Record<string, string> = cookie) => {
      const other = await shared.openAnother({ config })
      const as = 'anonymous' as const
      return (await other.ask('GET', '/api/session', undefined, { as, headers })).body.smtp
    }
    const config = { publicUrl: 'https://mail.example.com', smtpPort: 587 }
    const smtp = { scheme: 'smtp', host: 'mail.example.com', port: 587 }
    assert.deepEqual([await read(config), await read(config, {})], [smtp, undefined])
    assert.equal(await read({ smtpPort: undefined, smtpsPort: undefined }), null)
  })

  test('names the port that is bound where any free one may be taken', async () => {
    const headers = await logIn('admin', adminPassword)
    const { port } = await shared.service.openSmtpServer()
    const { body } = await askWith(headers, '/api/session')
    assert.deepEqual(body.smtp, { scheme: 'smtp', host: '127.0.0.1', port })
    const values = { url: 'https://mautic.example.com', clientId: 'id', clientSecret: 'x' }
    const added = await ask('POST', '/api/mautics/new', { ...values, name: 'bound' })
    assert.equal(new URL(added.body.mautic.mailerDsn).port, String(port))
  })

  test('a caller who may edit a user sees and ends their sessions, but not those of a user with more permissions', async () => {
    const manager = await addUser(shared.service, { user: ['full'] })
    const clerk = await addUser(shared.service, { user: ['view'] })
    await logIn(clerk.username, clerk.password)
    const headers = await logIn('admin', adminPassword)
    const as = [manager.username, manager.password] as const
    const path = `/api/users/${clerk.id}/sessions`
    const { body } = await ask('GET', path, undefined, { as })
    const currentOnes = body.sessions.map(({ isCurrent }: TestAnswer['body']) => isCurrent)
    assert.deepEqual(currentOnes, [false])
    assert.equal((await ask('DELETE', path, undefined, { as })).status, 200)
    assert.deepEqual((await ask('GET', path, undefined, { as })).body.sessions, [])
    for (const method of ['GET', 'DELETE'] as const)
      assert.equal((await ask(method, '/api/users/1/sessions', undefined, { as })).status, 403)
    assert.equal(await statusOf(headers), 200)
  })

  test('a clock that was set back revives no session and no token', async () => {
    const user = await addUser(shared.service, {})
    const client = await addClient(shared.service, { redirectUris: [callback] })
    const isIn = async (headers: Record<string, string>) => (await statusOf(headers)) === 200
    const bearer = async () => {
      const tokens = await getTokens(shared.service, client, user)
      return { headers: { authorization: `Bearer ${tokens.access_token}` }, tokens }
    }

    const session = await logIn(user.username, user.password)
    const token = await bearer()
    shared.clock.advance(9 * hourMs)
    assert.deepEqual([await isIn(session), await isIn(token.headers)], [false, false])
    shared.clock.advance(-9 * hourMs)
    assert.deepEqual([await isIn(session), await isIn(token.headers)], [false, false])

    const later = await logIn(user.username, user.password)
    const laterToken = await bearer()
    assert.deepEqual([await isIn(later), await isIn(laterToken.headers)], [true, true])
    shared.clock.advance(-hourMs)
    assert.deepEqual([await isIn(later), await isIn(laterToken.headers)], [false, false])
    const body = { grant_type: 'refresh_token', refresh_token: laterToken.tokens.refresh_token }
    assert.equal((await askToken(shared.service, client, body)).status, 400)
  })

  test('sessions that ended while the clock was ahead are deleted without a request of theirs', async () => {
    const { app } = shared.service
    const tables = app.storage.tables<AuthTables>()
    const user = await addUser(shared.service, {})
    const client = await addClient(shared.service, { redirectUris: [callback] })
    for (const table of ['console_sessions', 'login_sessions'] as const)
      await tables.deleteFrom(table).execute()
    const ended = await logIn(user.username, user.password)
    await getTokens(shared.service, client, user)
    shared.clock.advance(9 * hourMs)
    const current = await logIn(user.username, user.password)
    const counts = async () => [
      (await tables.selectFrom('console_sessions').select('hash').execute()).length,
      (await tables.selectFrom('login_sessions').select('hash').execute()).length,
    ]
    assert.deepEqual(await counts(), [2, 1])
    await app.start()
    await app.idle()
    assert.deepEqual(await counts(), [1, 0])
    assert.equal(await statusOf(current), 200)
    shared.clock.advance(-9 * hourMs)
    assert.equal(await statusOf(ended), 401)
  })

  test('a user has 20 sessions; one more ends the oldest', async () => {
    const user = await addUser(shared.service, {})
    const other = await logIn('admin', adminPassword)
    const all: { cookie: string }[] = []
    for (let count = 0; count < 21; count++) all.push(await logIn(user.username, user.password))
    const statuses = await Promise.all(all.map((headers) => statusOf(headers)))
    assert.deepEqual([statuses[0], new Set(statuses.slice(1))], [401, new Set([200])])
    assert.equal(await statusOf(other), 200)
  })

  test("an unpublished user's sessions and tokens end, and publishing revives none", async () => {
    const user = await addUser(shared.service, {})
    const client = await addClient(shared.service, { redirectUris: [callback] })
    const path = `/api/users/${user.id}/edit`
    const { username, email, roleId: role } = user
    const unpublish = [
      () => ask('PATCH', path, { isPublished: false }),
      () => ask('PUT', path, { username, email, role, isPublished: false }),
      () => ask('PATCH', '/api/users/batch/edit', [{ id: user.id, isPublished: false }]),
    ]
    for (const change of unpublish) {
      const session = await logIn(username, user.password)
      const tokens = await getTokens(shared.service, client, user)
      const changed = await change()
      assert.equal(changed.status, 200, changed.text)
      assert.equal((await ask('PATCH', path, { isPublished: true })).status, 200)
      for (const headers of [session, { authorization: `Bearer ${tokens.access_token}` }])
        assert.equal(await statusOf(headers), 401)
      const body = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
      assert.equal((await askToken(shared.service, client, body)).status, 400)
    }
  })

  test('users see and end their own sessions, and no others', async () => {
    const user = await addUser(shared.service, {})
    const mine = await logIn(user.username, user.password)
    const other = await logIn(user.username, user.password)
    const admin = await logIn('admin', adminPassword)
    const list = async (headers: Record<string, string>) =>
      (await askWith(headers, '/api/sessions')).body.sessions
    const sessions = await list(mine)
    assert.deepEqual(
      sessions.map(({ isCurrent }: { isCurrent: boolean }) => isCurrent).toSorted(),
      [false, true],
    )
    const [{ id: adminSession }] = await list(admin)
    const end = (id: number) => askWith(mine, `/api/sessions/${id}`, 'DELETE')
    assert.equal((await end(adminSession)).status, 404)
    const { id } = sessions.find(({ isCurrent }: { isCurrent: boolean }) => !isCurrent)
    assert.equal((await end(id)).status, 200)
    assert.equal(await statusOf(other), 401)
    assert.ok((await list(admin)).some(({ id }: { id: number }) => id === adminSession))
  })

  test('pages of other sites change nothing with the cookie, and start no session', async () => {
    const cookie = await logIn('admin', adminPassword)
    const foreign = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
    const as = 'anonymous' as const
    const body = { name: 'x', mailerDsn: 'null://null' }
    const headers = { ...cookie, ...foreign }
    const forged = await ask('POST', '/api/multipleTransports/new', body, { as, headers })
    assert.equal(forged.status, 403)
    const login = { username: 'admin', password: adminPassword }
    const started = await ask('POST', '/api/session', login, { as, headers: foreign })
    assert.deepEqual([started.status, started.headers['set-cookie']], [403, undefined])
  })

  // Last, because codes of OAuth have the time of the machine.
  test('ends after 8 idle hours, and after 7 days in any case', async () => {
    const headers = await logIn('admin', adminPassword)
    for (let hours = 0; hours < 7 * 24 - 7; hours += 7) {
      shared.clock.advance(7 * hourMs)
      assert.equal(await statusOf(headers), 200)
    }
    shared.clock.advance(8 * hourMs)
    assert.equal(await statusOf(headers), 401)
    const again = await logIn('admin', adminPassword)
    shared.clock.advance(8 * hourMs)
    assert.equal(await statusOf(again), 401)
  })
})

const firstStart = { config: { adminPassword: undefined, publicUrl: 'https://mail.example.com' } }

onEachDatabase('the link of the first start', firstStart, (shared) => {
  test('sets the password once and within a day, and logs in', async () => {
    const { link = '' } = shared.service.app.firstLogin ?? {}
    const [, token] = /^https:\/\/mail\.example\.com\/set-password#(.+)$/.exec(link) ?? []
    const as = 'anonymous' as const
    const ask = (path: string, body: object) =>
      shared.ask('POST', `/api/session${path}`, body, { as })
    const set = (password: string) => ask('/password', { token, password })
    const check = async () => (await ask('/password/check', { token })).status
    shared.clock.advance(24 * hourMs)
    assert.deepEqual([(await set('one good password')).status, await check()], [404, 404])
    shared.clock.advance(-24 * hourMs)
    assert.deepEqual([(await set('short')).status, await check()], [400, 200])
    const both = await Promise.all([set('one good password'), set('one good password')])
    assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, 404])
    assert.equal(await check(), 404)
    const started = both.find(({ status }) => status === 200)
    const headers = { cookie: started === undefined ? '' : cookieOf(started) }
    const self = await shared.ask('GET', '/api/users/self', undefined, { as, headers })
    assert.equal(self.body.username, 'admin')
    const login = { username: 'admin', password: 'one good password' }
    assert.equal((await ask('', login)).status, 200)
  })
})

function cookieOf({ headers }: TestAnswer): string {
  return String(headers['set-cookie']).split(';')[0] ?? ''
}
