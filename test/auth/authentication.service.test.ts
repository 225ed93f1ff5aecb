import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { basicHeader } from '../administrator.ts'
import { addClientCaller, addUser } from '../callers.ts'
import { onMailyard } from '../on-each-database.ts'

onMailyard('authentication', (shared) => {
  const { ask } = shared
  const self = async (login: string, password: string) =>
    (await ask('GET', '/api/users/self', undefined, { as: [login, password] })).status

  describe('HTTP Basic', () => {
    test('accepts the user name or the email address, in any letter case', async () => {
      const { username, email, password } = await addUser(shared.service, {})
      for (const login of [username, email, username.toUpperCase(), email.toUpperCase()]) {
        assert.equal(await self(login, password), 200, login)
      }
      assert.equal(await self(username, password.toUpperCase()), 401)
      assert.equal(await self(username, `${password} `), 401)
    })

    test('accepts a password with colons and letters of any alphabet', async () => {
      const user = await addUser(shared.service, {})
      const password = 'pässwörd: a:b ✓'
      const plainPassword = { password, confirm: password }
      await ask('PATCH', `/api/users/${user.id}/edit`, { plainPassword })
      assert.equal(await self(user.username, password), 200)
    })

    test('accepts the scheme in any letter case', async () => {
      const { username, password } = await addUser(shared.service, {})
      const authorization = basicHeader(username, password)
      for (const scheme of ['basic', 'BASIC']) {
        const headers = { authorization: authorization.replace('Basic', scheme) }
        const options = { as: 'anonymous', headers } as const
        assert.equal((await ask('GET', '/api/users/self', undefined, options)).status, 200)
      }
    })
  })

  test('the API as a whole can be switched off; the health checks still answer', async () => {
    const service = await shared.openAnother({ config: { isApiEnabled: false } })
    const client = await addClientCaller(shared.service, 'administrator')
    for (const [method, path] of [
      ['GET', '/api/users/self'],
      ['GET', '/api/nothing'],
      ['GET', '/api/openapi.json'],
      ['POST', '/oauth/v2/token'],
      ['GET', '/oauth/v2/authorize'],
    ] as const) {
      const answer = await service.ask(method, path, undefined, { as: client.as })
      assert.deepEqual([answer.status, answer.body.success], [403, false], path)
    }
    const broken = await service.ask('POST', '/api/users/new', '{', {
      as: 'anonymous',
      headers: { 'content-type': 'application/json' },
    })
    assert.equal(broken.status, 403)
    for (const path of ['/healthz', '/readyz']) {
      assert.equal((await service.ask('GET', path, undefined, { as: 'anonymous' })).status, 200)
    }
  })

  test('password hashes are Argon2id, each with its own salt', async () => {
    await addUser(shared.service, {})
    const db = shared.service.app.storage.tables<{ users: { password_hash: string } }>()
    const rows = await db.selectFrom('users').select('password_hash').execute()
    for (const row of rows) assert.match(row.password_hash, /^\$argon2id\$v=19\$/)
    assert.equal(new Set(rows.map((row) => row.password_hash)).size, rows.length)
  })

  describe('repeated failures', () => {
    test('throttle a client that guesses a password, and no other client with that user name', async () => {
      const { username, password } = await addUser(shared.service, {})
      assert.equal(await self(username, password), 200)
      const guess = () => ask('GET', '/api/users', undefined, { as: [username, 'guess'] })
      let answer = await guess()
      assert.equal(answer.status, 401)
      for (let tries = 0; tries < 12; tries++) answer = await guess()
      assert.equal(answer.status, 429)
      assert.match(String(answer.headers['retry-after']), /^\d+$/)
      assert.equal(await self(username, password), 200, 'it has logged in before')
      assert.equal((await ask('GET', '/api/users')).status, 200)
    })

    test('throttle a client that guesses user names as well, known or not', async () => {
      const service = await shared.openAnother()
      const { username, password } = await addUser(service, {})
      await service.askFor('GET', '/api/users/self', undefined, {
        as: [username, password],
      })
      const statuses = new Set<number>()
      for (let tries = 0; tries < 110 && !statuses.has(429); tries++) {
        const as = [`user ${tries}`, 'guess'] as const
        statuses.add((await service.ask('GET', '/api/users/self', undefined, { as })).status)
      }
      assert.deepEqual([...statuses], [401, 429])
      await service.askFor('GET', '/api/users/self', undefined, {
        as: [username, password],
      })
    })

    test('an unknown name is refused in the same words as a wrong password', async () => {
      const { username } = await addUser(shared.service, {})
      const ofKnown = await ask('GET', '/api/users/self', undefined, { as: [username, 'wrong'] })
      const ofUnknown = await ask('GET', '/api/users/self', undefined, { as: ['unknown', 'wrong'] })
      assert.deepEqual(ofKnown.body, ofUnknown.body)
    })
  })
})
