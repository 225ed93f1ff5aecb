import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPasswordLink } from '../../src/platform/auth/index.ts'
import { adminPassword } from '../administrator.ts'
import { addClient, addClientCaller, addUser, type TestUser } from '../callers.ts'
import { callback, getTokens } from '../consent.ts'
import { onEachDatabase } from '../on-each-database.ts'
import type { TestCaller } from '../test-app.ts'

const dayMs = 86_400_000
const office = '203.0.113.9'
const elsewhere = '198.51.100.1'
const networks = ['203.0.113.0/24', '2001:db8::/32']

onEachDatabase('a log-in with rules', { isOwn: true, isStarted: false }, (shared) => {
  const { ask, clock } = shared
  const restrict = ({ id }: { id: number }, rules: object) =>
    shared.askFor('PATCH', `/api/users/${id}/edit`, rules)
  const statusOf = async (as: TestCaller, from = office) =>
    (await ask('GET', '/api/users/self', undefined, { as, from })).status
  const startSession = ({ username, password }: TestUser, from: string) =>
    ask('POST', '/api/session', { username, password }, { as: 'anonymous', from })
  const cookieOf = ({ headers }: { headers: Record<string, unknown> }) =>
    String([headers['set-cookie']].flat()[0]).split(';')[0] ?? ''
  const logIn = ({ username: login, password }: TestUser, address = office) =>
    shared.service.app.auth.logins.logIn({ login, password, address })

  test('works from its networks only, also where its password was verified before', async () => {
    const user = await addUser(shared.service, {})
    await restrict(user, { networks })
    for (const [from, status] of [
      [office, 200],
      [elsewhere, 401],
      [office, 200],
      ['::ffff:203.0.113.77', 200],
      ['2001:db8:1::1', 200],
      ['2001:db9::1', 401],
      ['127.0.0.1', 401],
    ] as const)
      assert.equal(await statusOf(user.as, from), status, from)
  })

  test('gives concurrent requests each the answer for its own address', async () => {
    const user = await addUser(shared.service, {})
    await restrict(user, { networks })
    const statuses = [office, elsewhere, office, elsewhere].map((from) => statusOf(user.as, from))
    assert.deepEqual(await Promise.all(statuses), [200, 401, 200, 401])
  })

  test('is refused like a wrong password, which counts as a failure, and the log says why', async () => {
    const user = await addUser(shared.service, {})
    await restrict(user, { networks })
    const send = async (password: string) => {
      const as = [user.username, password] as const
      const { status, body } = await ask('GET', '/api/users/self', undefined, {
        as,
        from: elsewhere,
      })
      return { status, message: body.error }
    }
    assert.deepEqual(await send(user.password), await send('wrong'))
    const line = shared.service.logged.findLast((each) => each.includes('log-in refused')) ?? '{}'
    const { caller, address, rule } = JSON.parse(line)
    assert.deepEqual(
      { caller, address, rule },
      { caller: `user ${user.id}`, address: elsewhere, rule: 'networks' },
    )
    for (let failure = 3; failure <= 10; failure += 1) await send(user.password)
    assert.equal((await send(user.password)).status, 429)
  })

  test('by token works where both the user and the client may log in from', async () => {
    const user = await addUser(shared.service, {})
    const client = await addClient(shared.service, { redirectUris: [callback] })
    const { access_token: token } = await getTokens(shared.service, client, user)
    await restrict(user, { networks })
    assert.deepEqual([await statusOf({ token }), await statusOf({ token }, elsewhere)], [200, 401])
    const path = `/api/oauthClients/${client.id}/edit`
    await shared.askFor('PATCH', path, { networks: ['2001:db8::/32'] })
    assert.deepEqual(
      [await statusOf({ token }), await statusOf({ token }, '2001:db8::1')],
      [401, 200],
    )
  })

  test('to the console works from its networks only, as does each request of its session', async () => {
    const user = await addUser(shared.service, {})
    await restrict(user, { networks })
    assert.equal((await startSession(user, elsewhere)).status, 401)
    const cookie = cookieOf(await startSession(user, office))
    const read = async (from: string) =>
      (
        await ask('GET', '/api/users/self', undefined, {
          as: 'anonymous',
          headers: { cookie },
          from,
        })
      ).status
    assert.deepEqual([await read(office), await read(elsewhere)], [200, 401])
  })

  test('with a one-time link works from its networks only, and leaves the link as it is', async () => {
    const user = await addUser(shared.service, {})
    await restrict(user, { networks })
    const token = await shared.service.app.storage.transaction((tx) =>
      createPasswordLink(tx.withTables(), { userId: user.id, clock }),
    )
    const password = 'another long password'
    const choose = async (from: string) =>
      (await ask('POST', '/api/session/password', { token, password }, { as: 'anonymous', from }))
        .status
    assert.deepEqual([await choose(elsewhere), await choose(office)], [404, 200])
  })

  test('over SMTP works from the networks of its user, client or Mautic only', async () => {
    const user = await addUser(shared.service, { email: ['send'] })
    await restrict(user, { networks })
    assert.equal((await (await logIn(user)).findCaller())?.userId, user.id)
    await assert.rejects(logIn(user, elsewhere), { kind: 'unauthenticated' })
    const client = await addClientCaller(shared.service, { email: ['send'] })
    await shared.askFor('PATCH', `/api/oauthClients/${client.id}/edit`, { networks })
    const mautic = {
      name: 'shop',
      url: 'https://mautic.example.com',
      clientId: 'a',
      clientSecret: 'b',
    }
    const added = await shared.askFor('POST', '/api/mautics/new', { ...mautic, networks })
    const dsn = new URL(added.mautic.mailerDsn)
    for (const [login, password] of [
      [client.clientId, client.clientSecret],
      [dsn.username, dsn.password],
    ] as const) {
      const { logins } = shared.service.app.auth
      assert.ok(await (await logins.logIn({ login, password, address: office })).findCaller())
      const attempt = logins.logIn({ login, password, address: elsewhere })
      await assert.rejects(attempt, { kind: 'unauthenticated' })
    }
  })

  test('is not restricted so by its own user or client that their next request would be refused', async () => {
    const user = await addUser(shared.service, { user: ['full'] })
    const client = await addClientCaller(shared.service, { api: ['full'] })
    for (const [path, as] of [
      [`/api/users/${user.id}/edit`, user.as],
      [`/api/oauthClients/${client.id}/edit`, client.as],
    ] as const) {
      const edit = (rules: object) => ask('PATCH', path, rules, { as, from: elsewhere })
      const shut = await edit({ networks })
      assert.deepEqual([shut.status, Object.keys(shut.body.details)], [400, ['networks']])
      const over = await edit({ validUntil: '2026-01-31' })
      assert.deepEqual([over.status, Object.keys(over.body.details)], [400, ['validUntil']])
      const open = await edit({ networks: [...networks, elsewhere] })
      assert.equal(open.status, 200, open.text)
    }
  })

  test('has networks and a day that exist', async () => {
    for (const [rules, field] of [
      [{ networks: ['10.0.0.0/33'] }, 'networks.0'],
      [{ networks: ['shop.example'] }, 'networks.0'],
      [{ validUntil: '2026-02-30' }, 'validUntil'],
      [{ validUntil: 'tomorrow' }, 'validUntil'],
    ] as const) {
      const { status, body } = await ask('PATCH', '/api/users/1/edit', rules)
      assert.deepEqual([status, Object.keys(body.details)], [400, [field]])
    }
    assert.equal(await statusOf(['admin', adminPassword], elsewhere), 200)
  })

  // The last one: tokens expire by the clock of the machine.
  test('ends everywhere with its last day, also where it is in use', async () => {
    clock.advance(dayMs - (clock.now() % dayMs) - 600_000)
    const user = await addUser(shared.service, { email: ['send'] })
    const validUntil = new Date(clock.now()).toISOString().slice(0, 10)
    await restrict(user, { validUntil })
    const cookie = cookieOf(await startSession(user, office))
    const kept = await logIn(user)
    const trusted = shared.service.app.auth.logins.trust(user.username)
    const uses = async () => [
      await statusOf(user.as),
      (await ask('GET', '/api/users/self', undefined, { as: 'anonymous', headers: { cookie } }))
        .status,
      (await kept.findCaller())?.userId,
      (await trusted.findCaller())?.userId,
    ]
    assert.deepEqual(await uses(), [200, 200, user.id, user.id])
    clock.advance(610_000)
    assert.deepEqual(await uses(), [401, 401, undefined, undefined])
    await restrict(user, { validUntil: null })
    assert.equal(await statusOf(user.as), 200)
  })
})
