import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { AuthTables } from '../../src/platform/auth/index.ts'
import { addClient, addClientCaller, addRole, addUser, getClientToken } from '../callers.ts'
import {
  askToken,
  ConsentBrowser,
  callback,
  consentQuery,
  createChallenge,
  getCode,
  getTokens,
  readRedirect,
} from '../consent.ts'
import { addBrand } from '../mautics.ts'
import { createMovableClock } from '../movable-clock.ts'
import { onMailyard } from '../on-each-database.ts'
import type { TestAnswer, TestBody } from '../test-app.ts'

const webClient = { redirectUris: [callback] }

const exchangeOf = (code: string) => ({
  grant_type: 'authorization_code',
  code,
  redirect_uri: callback,
})
const refreshOf = ({ refresh_token }: TestBody) => ({ grant_type: 'refresh_token', refresh_token })

/** RFC 6749, section 5.2. */
function assertRefusal(answer: TestAnswer, error: string, status = 400): void {
  assert.equal(answer.status, status, answer.text)
  const { error: code, error_description: description, ...rest } = answer.body
  assert.deepEqual([code, typeof description, rest], [error, 'string', {}])
  assert.equal(answer.headers['cache-control'], 'no-store')
}

onMailyard('OAuth 2.0', { isOwn: true }, (shared) => {
  const { ask, askFor } = shared
  const addBoth = async () => ({
    client: await addClient(shared.service, webClient),
    user: await addUser(shared.service, {}),
  })
  const selfStatus = async (token: string, service = shared.service) =>
    (await service.ask('GET', '/api/users/self', undefined, { as: { token } })).status

  describe('authorization_code with PKCE', () => {
    test('a code is exchanged for tokens that act as the user', async () => {
      const client = await addClient(shared.service, webClient)
      const user = await addUser(shared.service, { user: ['view'] })
      const tokens = await getTokens(shared.service, client, user)
      assert.equal(tokens.token_type.toLowerCase(), 'bearer')
      assert.equal(tokens.expires_in, 3600)
      const as = { token: tokens.access_token }
      const self = await ask('GET', '/api/users/self', undefined, { as })
      assert.deepEqual([self.status, self.body.id], [200, user.id])
      assert.equal((await ask('GET', '/api/users', undefined, { as })).status, 200)
      assert.equal((await ask('GET', '/api/emails', undefined, { as })).status, 403)
    })

    test('a client of one brand acts for a user of all brands, and reads who that is', async () => {
      const brand = await addBrand(shared.service)
      const client = await addClient(shared.service, { ...webClient, brand })
      const user = await addUser(shared.service, { user: ['view'] })
      const as = { token: (await getTokens(shared.service, client, user)).access_token }
      const self = await ask('GET', '/api/users/self', undefined, { as })
      assert.deepEqual([self.status, self.body.id], [200, user.id])
      assert.equal((await ask('GET', `/api/users/${user.id}`, undefined, { as })).status, 404)
    })

    test('a code with a challenge needs its verifier, and is spent by a wrong one', async () => {
      const { client, user } = await addBoth()
      const { verifier, challenge } = createChallenge()
      const pkce = { code_challenge: challenge, code_challenge_method: 'S256' }
      for (const wrong of [undefined, createChallenge().verifier, challenge, 'short']) {
        const code = await getCode(shared.service, client, user, pkce)
        const exchange = exchangeOf(code)
        const fields = wrong === undefined ? exchange : { ...exchange, code_verifier: wrong }
        const refused = await askToken(shared.service, client, fields)
        assert.deepEqual([refused.status, refused.body.access_token], [400, undefined])
        const again = { ...exchange, code_verifier: verifier }
        assertRefusal(await askToken(shared.service, client, again), 'invalid_grant')
      }
    })

    test('a verifier does not help a code that was asked for without a challenge', async () => {
      const { client, user } = await addBoth()
      const code = await getCode(shared.service, client, user)
      const answer = await askToken(shared.service, client, {
        grant_type: 'authorization_code',
        code,
        redirect_uri: callback,
        code_verifier: createChallenge().verifier,
      })
      assertRefusal(answer, 'invalid_grant')
    })

    test('the verifier does not make up for the secret', async () => {
      const { client, user } = await addBoth()
      const { verifier, challenge } = createChallenge()
      const pkce = { code_challenge: challenge, code_challenge_method: 'S256' }
      const code = await getCode(shared.service, client, user, pkce)
      const exchange = exchangeOf(code)
      for (const client_secret of [undefined, '', 'wrong']) {
        const fields = { ...exchange, code_verifier: verifier, client_secret }
        assertRefusal(await askToken(shared.service, client, fields), 'invalid_client')
      }
    })

    test('a code is good once; its second use ends the tokens of the first', async () => {
      const { client, user } = await addBoth()
      const code = await getCode(shared.service, client, user)
      const fields = exchangeOf(code)
      const first = await askToken(shared.service, client, fields)
      assert.equal(first.status, 200)
      assert.equal(await selfStatus(first.body.access_token), 200)
      assertRefusal(await askToken(shared.service, client, fields), 'invalid_grant')
      assert.equal(await selfStatus(first.body.access_token), 401)
      const refused = await askToken(shared.service, client, refreshOf(first.body))
      assertRefusal(refused, 'invalid_grant')
    })

    test('a code that is used twice at once gives tokens once at most', async () => {
      const { client, user } = await addBoth()
      const code = await getCode(shared.service, client, user)
      const fields = exchangeOf(code)
      const tries = [1, 2, 3, 4].map(() => askToken(shared.service, client, fields))
      const good = (await Promise.all(tries)).filter(({ status }) => status === 200)
      assert.ok(good.length <= 1, `${good.length} exchanges went well`)
    })

    test('a code is only for its client, its redirect URI, and a short while', async () => {
      const client = await addClient(shared.service, webClient)
      const other = await addClient(shared.service, webClient)
      const user = await addUser(shared.service, {})
      const stolen = await getCode(shared.service, client, user)
      assertRefusal(await askToken(shared.service, other, exchangeOf(stolen)), 'invalid_grant')
      for (const redirect_uri of [undefined, 'https://evil.example.com/', `${callback}/x`]) {
        const code = await getCode(shared.service, client, user)
        const fields = { ...exchangeOf(code), redirect_uri }
        assert.equal((await askToken(shared.service, client, fields)).status, 400)
      }
      assertRefusal(await askToken(shared.service, client, exchangeOf('unknown')), 'invalid_grant')
      const code = await getCode(shared.service, client, user)
      const db = shared.service.app.storage.tables<{ oauth_codes: { expires_at: number } }>()
      await db
        .updateTable('oauth_codes')
        .set({ expires_at: Date.now() - 1 })
        .execute()
      assertRefusal(await askToken(shared.service, client, exchangeOf(code)), 'invalid_grant')
    })
  })

  describe('refresh_token', () => {
    test('rotates: a new pair for the old token, which is good once', async () => {
      const { client, user } = await addBoth()
      let tokens = await getTokens(shared.service, client, user)
      const seen = new Set([tokens.refresh_token])
      for (let turn = 0; turn < 3; turn++) {
        const answer = await askToken(shared.service, client, refreshOf(tokens))
        assert.equal(answer.status, 200, answer.text)
        tokens = answer.body
        assert.equal(await selfStatus(tokens.access_token), 200)
        seen.add(tokens.refresh_token)
      }
      assert.equal(seen.size, 4)
    })

    test('reuse of a rotated token revokes the family, access tokens included', async () => {
      const { client, user } = await addBoth()
      const first = await getTokens(shared.service, client, user)
      const bystander = await getTokens(shared.service, client, user)
      const refresh = (tokens: TestBody) => askToken(shared.service, client, refreshOf(tokens))
      const { body: second } = await refresh(first)
      assertRefusal(await refresh(first), 'invalid_grant')
      for (const { access_token: token } of [first, second])
        assert.equal(await selfStatus(token), 401)
      assertRefusal(await refresh(second), 'invalid_grant')
      assert.equal(await selfStatus(bystander.access_token), 200, 'another log-in goes on')
    })

    test('two exchanges of one token at once, on two processes, end in one pair at most', async () => {
      const another = await shared.openAnother()
      const { client, user } = await addBoth()
      const fields = refreshOf(await getTokens(shared.service, client, user))
      const answers = await Promise.all(
        [shared.service, another, shared.service, another].map((service) =>
          askToken(service, client, fields),
        ),
      )
      const good = answers.filter(({ status }) => status === 200)
      assert.ok(good.length <= 1, `${good.length} exchanges went well`)
      for (const { status } of answers) assert.ok(status === 200 || status === 400)
    })

    test('a token is only for its client', async () => {
      const { client, user } = await addBoth()
      const other = await addClient(shared.service, webClient)
      const fields = refreshOf(await getTokens(shared.service, client, user))
      assertRefusal(await askToken(shared.service, other, fields), 'invalid_grant')
      assert.equal((await askToken(shared.service, client, fields)).status, 200)
    })

    test('an access token cannot be used as a refresh token, and a refresh token not as an access token', async () => {
      const client = await addClient(shared.service, webClient)
      const tokens = await getTokens(shared.service, client, await addUser(shared.service, {}))
      const fields = { grant_type: 'refresh_token', refresh_token: tokens.access_token }
      assertRefusal(await askToken(shared.service, client, fields), 'invalid_grant')
      assert.equal(await selfStatus(tokens.refresh_token), 401)
    })
  })

  describe('client_credentials', () => {
    test('the client acts as its role, with a name and no user', async () => {
      const client = await addClientCaller(shared.service, { multipleTransports: ['view'] })
      const { as } = client
      assert.equal((await ask('GET', '/api/multipleTransports', undefined, { as })).status, 200)
      assert.equal((await ask('POST', '/api/multipleTransports/new', {}, { as })).status, 403)
    })

    test('users/self describes the client with names and a role, without id and email', async () => {
      const { as, id, roleId } = await addClientCaller(shared.service, { email: ['view'] })
      const { body } = await ask('GET', '/api/users/self', undefined, { as })
      const { role, ...names } = body
      const { name } = (await ask('GET', `/api/oauthClients/${id}`)).body.oauthClient
      const lastName = `[${id}]`
      const username = `${name} ${lastName}`
      assert.deepEqual(names, { username, firstName: name, lastName, isPublished: true })
      assert.equal(role.id, roleId)
      assert.deepEqual([role.isAdmin, role.rawPermissions], [false, { email: ['view'] }])
    })

    test('there is no refresh token', async () => {
      const role = await addRole(shared.service, {})
      const client = await addClient(shared.service, {
        ...webClient,
        grantTypes: ['client_credentials', 'authorization_code', 'refresh_token'],
        role,
      })
      const tokens = await getClientToken(shared.service, client)
      assert.deepEqual([tokens.refresh_token, tokens.expires_in], [undefined, 3600])
    })

    test('records that it creates name it in createdBy', async () => {
      const { as, id } = await addClientCaller(shared.service, { multipleTransports: ['full'] })
      const values = { name: 'made by a client', mailerDsn: 'null://null' }
      const { body } = await ask('POST', '/api/multipleTransports/new', values, { as })
      assert.match(body.createdBy, new RegExp(`\\[${id}\\]$`))
    })

    test('a client that may not, or has no role, is refused', async () => {
      const web = await addClient(shared.service, webClient)
      const fields = { grant_type: 'client_credentials' }
      assertRefusal(await askToken(shared.service, web, fields), 'unauthorized_client')
      const role = await addRole(shared.service, {})
      const body = { grantTypes: ['client_credentials'], role, redirectUris: [callback] }
      const client = await addClient(shared.service, body)
      const refused = await ask('POST', '/api/oauthClients/new', { ...body, name: 'x', role: null })
      assert.deepEqual([refused.status, Object.keys(refused.body.details)], [400, ['role']])
      assert.equal((await askToken(shared.service, client, fields)).status, 200)
    })
  })

  describe('the token endpoint', () => {
    test('answers the errors of RFC 6749', async () => {
      const client = await addClient(shared.service, webClient)
      const role = await addRole(shared.service, {})
      const machine = await addClient(shared.service, { grantTypes: ['client_credentials'], role })
      const token = (fields: Record<string, unknown>) => askToken(shared.service, client, fields)
      assertRefusal(await token({}), 'invalid_request')
      assertRefusal(await token({ grant_type: 'magic' }), 'unsupported_grant_type')
      const password = { grant_type: 'password', username: 'admin', password: 'x' }
      const { body, status } = await token(password)
      assert.equal(status, 400)
      assert.ok(['unsupported_grant_type', 'unauthorized_client'].includes(body.error))
      const asked = { grant_type: 'client_credentials' }
      assertRefusal(await token({ ...asked, client_secret: 'wrong' }), 'invalid_client')
      assertRefusal(await token({ ...asked, client_id: 'unknown' }), 'invalid_client')
      assertRefusal(await token(asked), 'unauthorized_client')
      const refresh = { grant_type: 'refresh_token', refresh_token: 'x' }
      assertRefusal(await askToken(shared.service, machine, refresh), 'unauthorized_client')
      assertRefusal(await token({ grant_type: 'authorization_code' }), 'invalid_request')
      assertRefusal(await token({ grant_type: 'refresh_token' }), 'invalid_request')
      const headers = { 'content-type': 'application/json' }
      const broken = await ask('POST', '/oauth/v2/token', '{', { as: 'anonymous', headers })
      assertRefusal(broken, 'invalid_request')
      const basic = await ask('POST', '/oauth/v2/token', asked, { as: [client.clientId, 'wrong'] })
      assertRefusal(basic, 'invalid_client', 401)
      assert.match(String(basic.headers['www-authenticate']), /^Basic/)
    })
  })

  describe('a scope', () => {
    test('is refused, since scopes are not supported', async () => {
      const client = await addClientCaller(shared.service, {})
      const fields = { grant_type: 'client_credentials' }
      for (const scope of ['read', 'openid offline_access']) {
        const answer = await askToken(shared.service, client, { ...fields, scope })
        assertRefusal(answer, 'invalid_scope')
        assert.match(answer.body.error_description, /Leave scope out/)
      }
      for (const scope of ['', undefined]) {
        assert.equal((await askToken(shared.service, client, { ...fields, scope })).status, 200)
      }
    })

    test('is reported to the application by a redirect, after the user has logged in', async () => {
      const { client, user } = await addBoth()
      const query = consentQuery(client, { scope: 'read' })
      const browser = new ConsentBrowser(shared.service)
      await browser.logIn(query, user.username, user.password)
      const { target, values } = readRedirect(await browser.decide(query, { allowed: 'true' }))
      const { error, state, code } = values
      assert.equal(target, callback)
      assert.deepEqual([error, state, code], ['invalid_scope', 'the state', undefined])
    })

    test('does not cost the refresh token that it is asked with', async () => {
      const { client, user } = await addBoth()
      const fields = refreshOf(await getTokens(shared.service, client, user))
      const refused = await askToken(shared.service, client, { ...fields, scope: 'read' })
      assertRefusal(refused, 'invalid_scope')
      assert.equal((await askToken(shared.service, client, fields)).status, 200)
    })
  })

  describe('lifetimes', () => {
    for (const [minutes, days, config] of [
      [60, 14, {}],
      [5, 1, { accessTokenLifetimeMinutes: 5, refreshTokenLifetimeDays: 1 }],
    ] as const)
      test(`an access token expires after ${minutes} minutes, a refresh token after ${days} days, with ${JSON.stringify(config)}`, async () => {
        const clock = createMovableClock()
        const service = await shared.openAnother({ clock, config })
        const client = await addClient(service, webClient)
        const tokens = await getTokens(service, client, await addUser(service, {}))
        const late = await getTokens(service, client, await addUser(service, {}))
        assert.equal(tokens.expires_in, minutes * 60)
        clock.advance((minutes - 1) * 60_000)
        assert.equal(await selfStatus(tokens.access_token, service), 200)
        clock.advance(2 * 60_000)
        assert.equal(await selfStatus(tokens.access_token, service), 401)
        clock.advance(days * 86_400_000 - (minutes + 2) * 60_000)
        assert.equal((await askToken(service, client, refreshOf(tokens))).status, 200)
        // Still stored: for a day after its end.
        clock.advance(2 * 60_000)
        assertRefusal(await askToken(service, client, refreshOf(late)), 'invalid_grant')
      })
  })

  test('tokens, codes and client secrets are stored hashed', async () => {
    const { client, user } = await addBoth()
    const tokens = await getTokens(shared.service, client, user)
    const code = await getCode(shared.service, client, user)
    const db = shared.service.app.storage.tables<Record<string, Record<string, unknown>>>()
    const tables = ['oauth_clients', 'oauth_tokens', 'oauth_codes', 'login_sessions', 'users']
    const rows = await Promise.all(
      tables.map((table) => db.selectFrom(table).selectAll().execute()),
    )
    const text = JSON.stringify(rows)
    assert.ok(rows.every((each) => each.length > 0))
    for (const secret of [
      client.clientSecret,
      tokens.access_token,
      tokens.refresh_token,
      code,
      user.password,
    ]) {
      assert.equal(text.includes(secret), false)
      assert.equal(shared.service.logged.join('\n').includes(secret), false)
    }
  })

  describe('clients', () => {
    test('are managed at /api/oauthClients, and their secret is shown once', async () => {
      const path = '/api/oauthClients'
      const { clientSecret, ...shown } = (
        await askFor('POST', `${path}/new`, { name: 'App', ...webClient })
      ).oauthClient
      assert.ok(clientSecret.length >= 32)
      assert.deepEqual(
        [shown.name, shown.redirectUris, shown.grantTypes, shown.role],
        ['App', [callback], ['authorization_code', 'refresh_token'], null],
      )
      const one = await ask('GET', `${path}/${shown.id}`)
      assert.deepEqual(one.body.oauthClient, shown)
      const edited = await ask('PATCH', `${path}/${shown.id}/edit`, { name: 'Renamed' })
      assert.equal(edited.body.oauthClient.clientSecret, undefined)
      const list = await ask('GET', path)
      assert.equal(list.text.includes(clientSecret), false)
      const put = await ask('PUT', `${path}/999999/edit`, { name: 'Put', ...webClient })
      assert.deepEqual([put.status, typeof put.body.oauthClient.clientSecret], [201, 'string'])
      const batch = await ask('POST', `${path}/batch/new`, [
        { name: 'bad' },
        { name: 'one', ...webClient },
        { name: 'two', ...webClient },
      ])
      const [none, first, second] = batch.body.oauthClients
      assert.equal(none, null)
      for (const each of [first, second]) {
        const fields = { grant_type: 'authorization_code', code: 'x', redirect_uri: callback }
        assertRefusal(await askToken(shared.service, each, fields), 'invalid_grant')
      }
      assert.notEqual(first.clientSecret, second.clientSecret)
    })

    test('may be edited where they are stored with what a new one may not have', async () => {
      const client = await addClient(shared.service, webClient)
      const old = 'https:app.example.com/callback'
      const db = shared.service.app.storage.tables<Pick<AuthTables, 'oauth_clients'>>()
      await db
        .updateTable('oauth_clients')
        .set({ redirect_uris: JSON.stringify([old]) })
        .where('id', '=', client.id)
        .execute()
      const edit = (values: object) => ask('PATCH', `/api/oauthClients/${client.id}/edit`, values)
      const off = await edit({ isPublished: false })
      assert.deepEqual([off.status, off.body.oauthClient?.isPublished], [200, false])
      const more = await edit({ redirectUris: [old, callback] })
      assert.deepEqual([more.status, more.body.oauthClient?.redirectUris], [200, [old, callback]])
      assert.equal((await edit({ redirectUris: [`${old}2`] })).status, 400)
    })
  })
})
