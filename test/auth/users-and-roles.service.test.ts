import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { addRole, addTransport, addUser, uniqueName } from '../callers.ts'
import { onMailyard } from '../on-each-database.ts'
import type { TestBody } from '../test-app.ts'

const levels = ['view', 'create', 'edit', 'delete', 'publish', 'full']

onMailyard('users and roles', { isOwn: true }, (shared) => {
  const { ask, askFor } = shared

  describe('a fresh installation', () => {
    test('has user 1, role 1 and email 1, so that every endpoint of the contract can be tried', async () => {
      const service = shared.service
      assert.equal((await service.ask('GET', '/api/users/1')).body.user.role.id, 1)
      assert.equal((await service.ask('GET', '/api/roles/1')).body.role.isAdmin, true)
      assert.equal((await service.ask('GET', '/api/emails/1')).body.email.id, 1)
      const { id: transportId } = await addTransport(service)
      for (const path of ['transportEmail/1', 'transportUser/1']) {
        await service.askFor('POST', `/api/multipleTransport/${path}`, { transportId })
      }
      const tested = await service.ask('POST', `/api/multipleTransports/send/test/${transportId}`)
      assert.equal(tested.body.success, true)
    })
  })

  describe('users', () => {
    test('have the fields decided, in the shape of Mautic', async () => {
      const role = await addRole(shared.service, { email: ['view'] })
      const values = {
        username: uniqueName('Ada'),
        firstName: 'Ada',
        lastName: 'Lovelace',
        email: `${uniqueName('ada')}@example.com`,
        isPublished: true,
      }
      const plainPassword = { password: 'long enough', confirm: 'long enough' }
      const created = await ask('POST', '/api/users/new', { ...values, role, plainPassword })
      assert.equal(created.status, 201, created.text)
      const { user } = created.body
      assert.equal(created.headers['location'], `/api/users/${user.id}`)
      assert.deepEqual({ ...user, ...values }, user)
      assert.deepEqual([user.role.id, user.role.rawPermissions], [role, { email: ['view'] }])
      assert.deepEqual((await ask('GET', `/api/users/${user.id}`)).body, { user })
      const deleted = await ask('DELETE', `/api/users/${user.id}/delete`)
      assert.deepEqual([deleted.status, deleted.body.user.id], [200, null])
      assert.equal((await ask('GET', `/api/users/${user.id}`)).status, 404)
    })

    test('change their password by plainPassword, on create and on edit', async () => {
      const user = await addUser(shared.service, {})
      const path = `/api/users/${user.id}/edit`
      const plainPassword = { password: 'another password', confirm: 'another password' }
      assert.equal((await ask('PATCH', path, { plainPassword })).status, 200)
      const self = (password: string) =>
        ask('GET', '/api/users/self', undefined, { as: [user.username, password] })
      assert.equal((await self('another password')).status, 200)
      assert.equal((await self(user.password)).status, 401)
      assert.equal((await ask('PATCH', path, { firstName: 'x' })).status, 200)
      assert.equal((await self('another password')).status, 200, 'an edit without it keeps it')
      const put = { username: user.username, email: user.email, role: user.roleId }
      assert.equal((await ask('PUT', path, put)).status, 200)
      assert.equal((await self('another password')).status, 200, 'and so does a replacement')
    })

    test('are refused with a password that is missing, short, or not confirmed', async () => {
      const role = await addRole(shared.service, {})
      for (const [plainPassword, field] of [
        [undefined, 'plainPassword'],
        [{ password: 'short', confirm: 'short' }, 'plainPassword.password'],
        [{ password: 'long enough', confirm: 'other' }, 'plainPassword.confirm'],
        [{ password: 'long enough' }, 'plainPassword.confirm'],
        ['long enough', 'plainPassword'],
        [null, 'plainPassword'],
      ] as const) {
        const username = uniqueName('weak')
        const body = { username, email: `${username}@example.com`, role, plainPassword }
        const answer = await ask('POST', '/api/users/new', body)
        assert.deepEqual([answer.status, Object.keys(answer.body.details)], [400, [field]])
      }
    })

    test('never give a password back', async () => {
      const user = await addUser(shared.service, {})
      const plainPassword = { password: 'very secret words', confirm: 'very secret words' }
      const edited = await ask('PATCH', `/api/users/${user.id}/edit`, { plainPassword })
      const batch = await ask('PATCH', '/api/users/batch/edit', [{ id: user.id, plainPassword }])
      const refused = await ask('POST', '/api/users/new', { plainPassword })
      const list = await ask('GET', '/api/users?limit=0')
      const one = await ask('GET', `/api/users/${user.id}`)
      const self = await ask('GET', '/api/users/self', undefined, {
        as: [user.username, 'very secret words'],
      })
      assert.equal(self.status, 200)
      for (const { text } of [edited, batch, refused, list, one, self]) {
        assert.doesNotMatch(text, /very secret words|argon2|password_?hash/i)
      }
      assert.equal(shared.service.logged.join('\n').includes('very secret words'), false)
    })

    test('have a user name and an address that no other user logs in with', async () => {
      const user = await addUser(shared.service, {})
      const other = await addUser(shared.service, {})
      const edit = (values: unknown) => ask('PATCH', `/api/users/${other.id}/edit`, values)
      for (const taken of [
        { username: user.username },
        { username: user.username.toUpperCase() },
        { username: ` ${user.username} ` },
        { username: user.email },
        { email: user.email.toUpperCase() },
        { username: 'admin@localhost' },
        { username: 'ADMIN' },
      ]) {
        const answer = await edit(taken)
        assert.deepEqual(
          [answer.status, Object.keys(answer.body.details)],
          [400, Object.keys(taken)],
        )
      }
      assert.equal((await edit({ username: other.username.toUpperCase() })).status, 200)
    })

    test('have a name that cannot be taken for the name of another', async () => {
      const { service } = shared
      const values = (username: string) => ({
        username,
        email: `${randomUUID()}@example.com`,
        role: 1,
        plainPassword: { password: 'a long password', confirm: 'a long password' },
      })
      assert.equal((await service.ask('POST', '/api/users/new', values('scope'))).status, 201)
      for (const username of ['sc\u043ep\u0435', 'sco\u200bpe', '5COPE\u202e']) {
        const answer = await service.ask('POST', '/api/users/new', values(username))
        assert.equal(answer.status, 400, username)
        assert.deepEqual(Object.keys(answer.body.details), ['username'])
      }
      const batch = [values('b\u03bfb'), values('bob'), values('robert')]
      const answer = await service.ask('POST', '/api/users/batch/new', batch)
      assert.deepEqual(answer.body.statusCodes, [201, 400, 201])
      const id = answer.body.users[2].id
      const renamed = await service.ask('PATCH', `/api/users/${id}/edit`, {
        username: 'scop\u0435',
      })
      assert.equal(renamed.status, 400)
      await service.askFor('PATCH', `/api/users/${id}/edit`, { username: 'Robert' })
    })

    test('know themselves at users/self, which is not wrapped and needs no permission', async () => {
      const user = await addUser(shared.service, {})
      const { status, body } = await ask('GET', '/api/users/self', undefined, { as: user.as })
      assert.deepEqual([status, body.id, body.username], [200, user.id, user.username])
      assert.equal(body.role.id, user.roleId)
    })

    test('come in batches, each with its own outcome', async () => {
      const role = await addRole(shared.service, {})
      const plainPassword = { password: 'long enough', confirm: 'long enough' }
      const item = () => {
        const username = uniqueName('batch')
        return { username, email: `${username}@example.com`, role, plainPassword }
      }
      const twin = item()
      const made = await ask('POST', '/api/users/batch/new', [item(), twin, twin, {}])
      assert.deepEqual(made.body.statusCodes, [201, 201, 400, 400])
      assert.deepEqual(Object.keys(made.body.errors[2].details), ['username', 'email'])
      const ids = made.body.users.flatMap((user: TestBody) => user?.id ?? [])
      const gone = await ask('DELETE', `/api/users/batch/delete?ids=${ids.join(',')}`)
      assert.deepEqual(gone.body.statusCodes, [200, 200])
    })
  })

  describe('roles', () => {
    test('have the fields decided', async () => {
      const values = {
        name: uniqueName('role'),
        description: 'May read emails.',
        isAdmin: false,
        rawPermissions: { email: ['view', 'send'], multipleTransports: ['full'] },
      }
      const { role } = await askFor('POST', '/api/roles/new', values)
      assert.deepEqual({ ...role, ...values }, role)
      const edited = await ask('PATCH', `/api/roles/${role.id}/edit`, { name: 'renamed' })
      assert.deepEqual(edited.body.role.rawPermissions, values.rawPermissions, 'Mautic loses them')
      const { body } = await ask('GET', '/api/roles?limit=0')
      assert.ok(body.roles.some((each: TestBody) => each.id === role.id))
      assert.equal((await ask('DELETE', `/api/roles/${role.id}/delete`)).status, 200)
    })

    test('of one name are stored with a warning', async () => {
      const name = uniqueName('Reader')
      const first = (await ask('POST', '/api/roles/new', { name })).body.role
      assert.equal(first.warnings, undefined)
      const second = (await ask('POST', '/api/roles/new', { name: ` ${name.toUpperCase()} ` })).body
      const warning = `Role ${first.id} has the same name. Rename one of the two.`
      assert.deepEqual(second.role.warnings, [warning])
      const read = (await ask('GET', `/api/roles/${first.id}`)).body.role
      assert.match(read.warnings[0], new RegExp(`^Role ${second.role.id} has`))
    })

    test('have six areas with six levels each, and send for emails; all others are rejected', async () => {
      for (const area of [
        'multipleTransports',
        'twigtemplates',
        'email',
        'contact',
        'user',
        'api',
      ]) {
        const all = area === 'email' ? [...levels, 'send'] : levels
        const body = { name: 'r', rawPermissions: { [area]: all } }
        assert.equal((await ask('POST', '/api/roles/new', body)).status, 201, area)
        const wrong = area === 'email' ? 'fly' : 'send'
        const refused = await ask('POST', '/api/roles/new', {
          name: 'r',
          rawPermissions: { [area]: ['view', wrong] },
        })
        const field = `rawPermissions.${area}`
        assert.deepEqual([refused.status, Object.keys(refused.body.details)], [400, [field]])
      }
      for (const area of ['twigTemplates', 'emails', 'email:emails', '__proto__', 'constructor']) {
        const body = `{"name":"r","rawPermissions":{"${area}":["view"]}}`
        const headers = { 'content-type': 'application/json' }
        assert.equal((await ask('POST', '/api/roles/new', body, { headers })).status, 400, area)
      }
    })

    test('reject malformed permissions at any depth', async () => {
      const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
      const objects = `${'{"email":'.repeat(50_000)}1${'}'.repeat(50_000)}`
      const many = Array.from({ length: 20_000 }, (_, index) => [`area${index}`, []])
      for (const given of [
        deep,
        objects,
        `{"email":[${deep},"view"]}`,
        `{"email":[${objects}]}`,
        '{"email":{"length":1,"0":"view"}}',
        '{"constructor":["view"]}',
        '{"email":[{"__proto__":["view"]}]}',
        '{"":[]}',
        'null',
        '{"email":[null,1e99,{},true]}',
        JSON.stringify(Object.fromEntries(many)),
      ]) {
        const headers = { 'content-type': 'application/json' }
        const body = `{"name":"nested","rawPermissions":${given}}`
        for (const [method, url, text] of [
          ['POST', '/api/roles/new', body],
          ['PATCH', '/api/roles/1/edit', body],
          ['POST', '/api/roles/batch/new', `[${body}]`],
        ] as const) {
          const answer = await shared.ask(method, url, text, { headers })
          const statuses = answer.body.statusCodes ?? [answer.status]
          assert.deepEqual(statuses, [400], `${given.slice(0, 50)} ${answer.text.slice(0, 200)}`)
          assert.ok(answer.text.length < 10_000, 'the answer stays short')
        }
      }
    })
  })

  test('lists have 30 entries unless limit says otherwise', async () => {
    for (const [path, many, item] of [
      ['/api/roles', 'roles', { name: 'one of many' }],
      ['/api/emails', 'emails', { name: 'one of many', subject: 'x' }],
      ['/api/contacts', 'contacts', { firstname: 'one of many' }],
      [
        '/api/oauthClients',
        'oauthClients',
        { name: 'one of many', redirectUris: ['https://a.example/'] },
      ],
    ] as const) {
      const items = Array.from({ length: 35 }, () => item)
      assert.equal((await ask('POST', `${path}/batch/new`, items)).status, 201)
      const lengthOf = async (query: string) => {
        const { body } = await ask('GET', `${path}?${query}`)
        assert.ok(body.total >= 35)
        return Object.values(body[many]).length
      }
      assert.equal(await lengthOf(''), 30, path)
      assert.equal(await lengthOf('limit=7'), 7)
      assert.ok((await lengthOf('limit=0')) >= 35)
    }
  })
})
