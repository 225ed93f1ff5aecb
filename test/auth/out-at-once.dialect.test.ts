import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import {
  addClient,
  addClientCaller,
  addRole,
  addUser,
  type TestClient,
  type TestUser,
} from '../callers.ts'
import { askToken, ConsentBrowser, callback, consentQuery, getCode, getTokens } from '../consent.ts'
import { onEachDatabase } from '../on-each-database.ts'
import type { TestAnswer, TestApp, TestBody } from '../test-app.ts'

/** Everything that a user can be logged in with. */
interface Presence {
  user: TestUser
  client: TestClient
  tokens: TestBody
  code: string
  browser: ConsentBrowser
}

/** The status of a request by each kind of log-in. */
interface Admission {
  basic: number
  bearer: number
  refresh: number
  code: number
  session: boolean
}

onEachDatabase('a change on one process takes effect on the other at once', (shared) => {
  let here: TestApp
  let there: TestApp
  before(async () => {
    here = shared.service
    there = await shared.openAnother()
  })

  const self = async (service: TestApp, as: TestUser['as'] | { token: string }) =>
    (await service.ask('GET', '/api/users/self', undefined, { as })).status

  /** A user who is logged in by every kind of log-in; each was used once on both processes. */
  const enter = async (): Promise<Presence> => {
    const user = await addUser(here, { user: ['view'] })
    const client = await addClient(here, { redirectUris: [callback] })
    const tokens = await getTokens(here, client, user)
    const code = await getCode(here, client, user)
    const browser = new ConsentBrowser(there)
    await browser.logIn(consentQuery(client), user.username, user.password)
    for (const service of [here, there]) {
      for (const as of [user.as, { token: tokens.access_token }]) {
        assert.deepEqual([await self(service, as), await self(service, as)], [200, 200])
      }
    }
    assert.match((await browser.open(consentQuery(client))).text, /name="csrf"/)
    return { user, client, tokens, code, browser }
  }

  /** How the other process takes each of them now. */
  const admission = async ({
    user,
    client,
    tokens,
    code,
    browser,
  }: Presence): Promise<Admission> => {
    const basic = await self(there, user.as)
    const bearer = await self(there, { token: tokens.access_token })
    const refreshing = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
    const refresh = (await askToken(there, client, refreshing)).status
    const exchange = { grant_type: 'authorization_code', code, redirect_uri: callback }
    const exchanged = (await askToken(there, client, exchange)).status
    const page = await browser.open(consentQuery(client))
    return { basic, bearer, refresh, code: exchanged, session: /name="csrf"/.test(page.text) }
  }

  const out: Admission = { basic: 401, bearer: 401, refresh: 400, code: 400, session: false }

  const change = async (
    method: 'PATCH' | 'PUT' | 'DELETE',
    path: string,
    body?: unknown,
  ): Promise<TestAnswer> => {
    const answer = await here.ask(method, path, body)
    assert.equal(answer.status, 200, answer.text)
    return answer
  }

  describe('a user', () => {
    test('that is not changed stays logged in', async () => {
      const presence = await enter()
      const all = { basic: 200, bearer: 200, refresh: 200, code: 200, session: true }
      assert.deepEqual(await admission(presence), all)
    })

    for (const [what, method, path, body] of [
      ['unpublished', 'PATCH', (id: number) => `${id}/edit`, () => ({ isPublished: false })],
      [
        'unpublished in a batch',
        'PATCH',
        () => 'batch/edit',
        (id: number) => [{ id, isPublished: false }],
      ],
      ['deleted', 'DELETE', (id: number) => `${id}/delete`, () => undefined],
      [
        'restricted to other networks',
        'PATCH',
        (id: number) => `${id}/edit`,
        () => ({ networks: ['203.0.113.0/24'] }),
      ],
      [
        'valid until a day that is over',
        'PATCH',
        (id: number) => `${id}/edit`,
        () => ({ validUntil: '2026-01-31' }),
      ],
    ] as const)
      test(`that is ${what} is logged out`, async () => {
        const presence = await enter()
        const { id } = presence.user
        await change(method, `/api/users/${path(id)}`, body(id))
        assert.deepEqual(await admission(presence), out)
      })

    test('whose password is changed is logged out everywhere', async () => {
      const presence = await enter()
      const plainPassword = { password: 'a new password', confirm: 'a new password' }
      await change('PATCH', `/api/users/${presence.user.id}/edit`, { plainPassword })
      assert.deepEqual(await admission(presence), out)
      assert.equal(await self(there, [presence.user.username, 'a new password']), 200)
    })

    test('whose user name and address are changed cannot log in with the old ones', async () => {
      const { user, tokens } = await enter()
      const { username, email, password } = user
      assert.equal(await self(there, [email, password]), 200)
      const names = { username: `${username}-new`, email: `new-${email}` }
      await change('PATCH', `/api/users/${user.id}/edit`, names)
      for (const login of [username, email]) assert.equal(await self(there, [login, password]), 401)
      assert.equal(await self(there, [names.username, password]), 200)
      assert.equal(await self(there, { token: tokens.access_token }), 200)
    })

    test('has the permissions that their role has now', async () => {
      const { user, tokens } = await enter()
      const weak = await addRole(here, {})
      const statuses = async () =>
        Promise.all(
          [user.as, { token: tokens.access_token as string }].map(
            async (as) => (await there.ask('GET', '/api/users', undefined, { as })).status,
          ),
        )
      assert.deepEqual(await statuses(), [200, 200])
      const rolePath = `/api/roles/${user.roleId}/edit`
      await change('PATCH', rolePath, { rawPermissions: {} })
      assert.deepEqual(await statuses(), [403, 403])
      await change('PATCH', rolePath, { rawPermissions: { user: ['view'] } })
      assert.deepEqual(await statuses(), [200, 200])
      await change('PATCH', rolePath, { isPublished: false })
      assert.deepEqual(await statuses(), [403, 403])
      await change('PATCH', rolePath, { isPublished: true })
      assert.deepEqual(await statuses(), [200, 200])
      await change('PATCH', `/api/users/${user.id}/edit`, { role: weak })
      assert.deepEqual(await statuses(), [403, 403])
    })
  })

  describe('a client', () => {
    for (const [what, method, path, body] of [
      ['deleted', 'DELETE', 'delete', undefined],
      ['unpublished', 'PATCH', 'edit', { isPublished: false }],
    ] as const)
      test(`that is ${what} is refused, as are the tokens of its users`, async () => {
        const presence = await enter()
        await change(method, `/api/oauthClients/${presence.client.id}/${path}`, body)
        assert.deepEqual(await admission(presence), { ...out, basic: 200 })
      })

    test('that is restricted to other networks is refused, as are the tokens of its users', async () => {
      const presence = await enter()
      const networks = ['203.0.113.0/24']
      await change('PATCH', `/api/oauthClients/${presence.client.id}/edit`, { networks })
      // The log-in page is for users.
      assert.deepEqual(await admission(presence), { ...out, basic: 200, session: true })
    })

    test('that acts for itself is refused when it is deleted, unpublished or restricted', async () => {
      for (const end of [
        (id: number) => change('DELETE', `/api/oauthClients/${id}/delete`),
        (id: number) => change('DELETE', `/api/oauthClients/batch/delete?ids=${id}`),
        (id: number) => change('PATCH', `/api/oauthClients/${id}/edit`, { isPublished: false }),
        (id: number) =>
          change('PATCH', `/api/oauthClients/${id}/edit`, { networks: ['2001:db8::/32'] }),
        (id: number) =>
          change('PATCH', `/api/oauthClients/${id}/edit`, { validUntil: '2026-01-31' }),
      ]) {
        const client = await addClientCaller(here, { user: ['view'] })
        assert.equal(await self(there, client.as), 200)
        await end(client.id)
        assert.equal(await self(there, client.as), 401)
        const again = await askToken(there, client, { grant_type: 'client_credentials' })
        assert.equal(again.status, 400)
      }
    })

    test('has the permissions that its role has now', async () => {
      const client = await addClientCaller(here, { user: ['view'] })
      const weak = await addRole(here, {})
      const status = async () =>
        (await there.ask('GET', '/api/users', undefined, { as: client.as })).status
      assert.equal(await status(), 200)
      await change('PATCH', `/api/roles/${client.roleId}/edit`, { rawPermissions: {} })
      assert.equal(await status(), 403)
      await change('PATCH', `/api/roles/${client.roleId}/edit`, { isAdmin: true })
      assert.equal(await status(), 200)
      await change('PATCH', `/api/oauthClients/${client.id}/edit`, { role: weak })
      assert.equal(await status(), 403)
    })

    test('cannot use a removed grant', async () => {
      const client = await addClientCaller(here, {})
      const ask = () => askToken(there, client, { grant_type: 'client_credentials' })
      assert.equal((await ask()).status, 200)
      const grants = { grantTypes: ['authorization_code'], redirectUris: [callback] }
      await change('PATCH', `/api/oauthClients/${client.id}/edit`, grants)
      assert.equal((await ask()).status, 400)
    })
  })
})
