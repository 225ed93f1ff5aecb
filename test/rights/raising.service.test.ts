import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import {
  addClient,
  addRole,
  addUser,
  getClientToken,
  type TestUser,
  uniqueName,
} from '../callers.ts'
import { callback } from '../consent.ts'
import { onMailyard } from '../on-each-database.ts'
import type { TestBody, TestCaller } from '../test-app.ts'

type Method = 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/** All requests that change one entry: alone and in a batch, some values and all. */
function editRequests(path: string, id: number, values: TestBody, whole: TestBody): Attempt[] {
  const all = { ...whole, ...values }
  return [
    { method: 'PATCH', url: `${path}/${id}/edit`, body: values },
    { method: 'PUT', url: `${path}/${id}/edit`, body: all },
    { method: 'PATCH', url: `${path}/batch/edit`, body: [{ id, ...values }] },
    { method: 'PUT', url: `${path}/batch/edit`, body: [{ id, ...all }] },
    { method: 'PATCH', url: `${path}/batch/edit?atomic=1`, body: [{ id, ...values }] },
  ]
}

/** All requests that create an entry. */
function createRequests(path: string, create: () => TestBody): Attempt[] {
  return [
    { method: 'POST', url: `${path}/new`, body: create() },
    { method: 'POST', url: `${path}/batch/new`, body: [create()] },
    { method: 'PUT', url: `${path}/999999/edit`, body: create() },
    { method: 'PUT', url: `${path}/batch/edit`, body: [{ id: 999_999, ...create() }] },
  ]
}

function removeRequests(path: string, id: number): Attempt[] {
  return [
    { method: 'DELETE', url: `${path}/${id}/delete` },
    { method: 'DELETE', url: `${path}/batch/delete?ids=${id}` },
  ]
}

interface Attempt {
  method: Method
  url: string
  body?: TestBody
}

onMailyard('users cannot raise their own rights', { isOwn: true }, (shared) => {
  let manager: TestUser
  let stronger: TestUser
  let keeper: TestUser
  const { ask, askFor } = shared

  before(async () => {
    manager = await addUser(shared.service, { user: ['full'], contact: ['view'] })
    stronger = await addUser(shared.service, { user: ['full'], contact: ['view'], email: ['send'] })
    keeper = await addUser(shared.service, { api: ['full'], contact: ['view'] })
  })

  const wholeUser = ({ username, email, roleId: role }: TestUser) => ({ username, email, role })
  const newUser = (role: number): TestBody => {
    const username = uniqueName('made')
    const plainPassword = { password: 'long enough', confirm: 'long enough' }
    return { username, email: `${username}@example.com`, role, plainPassword }
  }

  /** Every account and role as an administrator sees it: what no refused attempt may change. */
  const snapshot = async () => {
    const paths = ['/api/users', '/api/roles', '/api/oauthClients']
    const answers = await Promise.all(paths.map((path) => ask('GET', `${path}?limit=0`)))
    return answers.map(({ body }) => body)
  }

  const refuseAll = async (attempts: Attempt[], as: TestCaller, status = 403) => {
    const before = await snapshot()
    for (const { method, url, body } of attempts) {
      const answer = await ask(method, url, body, { as })
      const codes = answer.body.statusCodes ?? [answer.status]
      assert.deepEqual(codes, [status], `${method} ${url} ${JSON.stringify(body)}: ${answer.text}`)
    }
    assert.deepEqual(await snapshot(), before, 'nothing has changed')
  }

  describe('a user who manages users', () => {
    test('cannot create a user with more permissions than their own', async () => {
      for (const role of [1, stronger.roleId])
        await refuseAll(
          createRequests('/api/users', () => newUser(role)),
          manager.as,
        )
    })

    test('cannot give themselves or another user a role with more permissions', async () => {
      const other = await addUser(shared.service, {})
      for (const user of [manager, other])
        for (const role of [1, stronger.roleId]) {
          const attempts = editRequests('/api/users', user.id, { role }, wholeUser(user))
          await refuseAll(attempts, manager.as)
        }
    })

    test('cannot take over an administrator or a user with more permissions', async () => {
      const plainPassword = { password: 'taken over', confirm: 'taken over' }
      const administrator = { ...manager, username: 'admin', email: 'admin@localhost', roleId: 1 }
      for (const [id, user] of [
        [1, administrator],
        [stronger.id, stronger],
      ] as const) {
        for (const values of [
          { plainPassword },
          { email: 'mine@example.com' },
          { username: 'mine' },
          { firstName: 'x' },
          { isPublished: false },
          { role: manager.roleId },
        ]) {
          await refuseAll(editRequests('/api/users', id, values, wholeUser(user)), manager.as)
        }
        await refuseAll(removeRequests('/api/users', id), manager.as)
      }
      const self = await ask('GET', '/api/users/self', undefined, { as: ['admin', 'taken over'] })
      assert.equal(self.status, 401)
    })

    test('cannot create a role of administrators or with more permissions than their own, published or not', async () => {
      for (const rights of [
        { isAdmin: true },
        { isAdmin: true, isPublished: false },
        { rawPermissions: { email: ['send'] } },
        { rawPermissions: { user: ['view'], api: ['full'] } },
        { rawPermissions: { contact: ['full'] } },
        { rawPermissions: { contact: ['view', 'edit'] }, isPublished: false },
      ]) {
        await refuseAll(
          createRequests('/api/roles', () => ({ name: uniqueName('role'), ...rights })),
          manager.as,
        )
      }
    })

    test('cannot give their own role or a weaker one more permissions than they have', async () => {
      const weaker = await addRole(shared.service, { contact: ['view'] })
      for (const id of [manager.roleId, weaker]) {
        for (const rights of [
          { isAdmin: true },
          { rawPermissions: { user: ['full'], contact: ['view', 'edit'] } },
          { rawPermissions: { multipleTransports: ['view'] } },
        ]) {
          await refuseAll(editRequests('/api/roles', id, rights, { name: 'x' }), manager.as)
        }
      }
    })

    test('cannot edit or delete a role with more permissions than their own', async () => {
      for (const id of [1, stronger.roleId]) {
        for (const values of [
          { name: 'renamed' },
          { isAdmin: false },
          { rawPermissions: {} },
          { isPublished: false },
        ]) {
          await refuseAll(editRequests('/api/roles', id, values, { name: 'x' }), manager.as)
        }
        await refuseAll(removeRequests('/api/roles', id), manager.as)
      }
    })

    test('cannot use or publish an unpublished role with more permissions', async () => {
      const id = await addRole(shared.service, 'administrator')
      await ask('PATCH', `/api/roles/${id}/edit`, { isPublished: false })
      const self = editRequests('/api/users', manager.id, { role: id }, wholeUser(manager))
      await refuseAll(self, manager.as)
      const publish = editRequests('/api/roles', id, { isPublished: true }, { name: 'x' })
      await refuseAll(publish, manager.as)
      await ask('DELETE', `/api/roles/${id}/delete`)
    })

    test('can create roles and users with the same permissions, and edit themselves', async () => {
      const rawPermissions = { user: ['full'], contact: ['view'] }
      const values = { name: uniqueName('equal'), rawPermissions }
      const { id } = (await askFor('POST', '/api/roles/new', values, { as: manager.as })).role
      await askFor('POST', '/api/users/new', newUser(id), { as: manager.as })
      const url = `/api/users/${manager.id}/edit`
      await askFor('PATCH', url, { firstName: 'Ann' }, { as: manager.as })
    })

    test('cannot create users or roles by PUT without the permission to create', async () => {
      const { as, roleId } = await addUser(shared.service, { user: ['view', 'edit', 'publish'] })
      const users = createRequests('/api/users', () => newUser(roleId))
      const roles = createRequests('/api/roles', () => ({ name: 'x' }))
      for (const attempts of [users, roles]) await refuseAll(attempts.slice(2), as)
    })

    test('cannot change isPublished without the permission to publish', async () => {
      const { as } = await addUser(shared.service, { user: ['view', 'edit'] })
      const on = await addUser(shared.service, {})
      const off = await addUser(shared.service, {})
      await ask('PATCH', `/api/users/${off.id}/edit`, { isPublished: false })
      for (const [user, isPublished] of [
        [on, false],
        [off, true],
      ] as const) {
        await refuseAll(editRequests('/api/users', user.id, { isPublished }, wholeUser(user)), as)
      }
    })

    test('cannot edit themselves without a permission for users', async () => {
      const { as, id } = await addUser(shared.service, { multipleTransports: ['full'] })
      for (const body of [{ role: 1 }, { firstName: 'x' }])
        assert.equal((await ask('PATCH', `/api/users/${id}/edit`, body, { as })).status, 403)
    })
  })

  describe('a user who manages OAuth clients', () => {
    const machine = (role: number) => ({ grantTypes: ['client_credentials'], role })

    test('cannot create a client with more permissions than their own', async () => {
      for (const role of [1, stronger.roleId]) {
        await refuseAll(
          createRequests('/api/oauthClients', () => ({ name: 'x', ...machine(role) })),
          keeper.as,
        )
      }
    })

    test('cannot give a client a role with more permissions, nor edit a client that has one', async () => {
      const weak = await addClient(shared.service, machine(keeper.roleId))
      const strong = await addClient(shared.service, machine(1))
      const raise = { role: 1, grantTypes: ['client_credentials'] }
      const whole = { name: 'x', redirectUris: [callback] }
      await refuseAll(editRequests('/api/oauthClients', weak.id, raise, whole), keeper.as)
      for (const values of [
        { redirectUris: ['https://evil.example.com/'] },
        { grantTypes: ['authorization_code'], redirectUris: ['https://evil.example.com/'] },
        { role: keeper.roleId },
        { role: null, grantTypes: ['authorization_code'], redirectUris: [callback] },
        { name: 'renamed' },
        { isPublished: false },
      ]) {
        const attempts = editRequests('/api/oauthClients', strong.id, values, {
          ...whole,
          ...machine(1),
        })
        await refuseAll(attempts, keeper.as)
      }
      await refuseAll(removeRequests('/api/oauthClients', strong.id), keeper.as)
      const tokens = await getClientToken(shared.service, strong)
      const as = { token: tokens.access_token }
      assert.equal((await ask('GET', '/api/users', undefined, { as })).status, 200)
    })

    test('cannot choose or read the secret of an existing client', async () => {
      const client = await addClient(shared.service, machine(keeper.roleId))
      const values = { clientSecret: 'mine', secret: 'mine', clientId: 'mine', newSecretHash: 'x' }
      const path = `/api/oauthClients/${client.id}`
      for (const method of ['PATCH', 'PUT'] as const) {
        const body = { name: 'x', ...machine(keeper.roleId), ...values }
        const edited = await askFor(method, `${path}/edit`, body, { as: keeper.as })
        assert.equal(edited.oauthClient.clientSecret, undefined)
        assert.equal(edited.oauthClient.clientId, client.clientId)
      }
      assert.equal(typeof (await getClientToken(shared.service, client)).access_token, 'string')
      const chosen = { name: 'x', ...machine(keeper.roleId), newSecretHash: 'x' }
      const made = await ask('POST', '/api/oauthClients/new', chosen, { as: keeper.as })
      assert.equal(typeof (await getClientToken(shared.service, made.body.oauthClient)), 'object')
    })

    test('cannot register a redirect URI that runs code or hides its host', async () => {
      const register = (uri: string) => {
        const body = { name: 'x', redirectUris: [uri] }
        return ask('POST', '/api/oauthClients/new', body, { as: keeper.as })
      }
      for (const uri of [
        'javascript:alert(1)',
        ' javascript:alert(1)',
        'data:text/html,x',
        'file:///etc/passwd',
        'https://user@evil.example.com/',
        'https://a.example.com@evil.example.com/',
        'https://a.example.com/#fragment',
        'https://a.example.com;sandbox/',
        "https://a.example.com'none'/",
        'https://*.example.com/',
        'https://',
        'https:app.example.com',
        'https:/\\app.example.com',
        'https://app.example.com/a b',
        'https://app.example.com/\t',
        'https://app.example.com/\nset-cookie:x',
        'https://app.example.com\\@evil.example.com/',
        '/relative',
        '//a.example.com/',
        '',
      ]) {
        const answer = await register(uri)
        assert.equal(answer.status, 400, uri)
        assert.deepEqual(Object.keys(answer.body.details), ['redirectUris'])
      }
      for (const uri of [
        'https://a.example.com/callback?x=1',
        'http://localhost:8080/cb',
        'http://[::1]:8080/cb',
        'https://bücher.example/漢',
        'HTTPS://APP.example.com',
        'com.example.app:/callback',
      ])
        assert.equal((await register(uri)).status, 201, uri)
    })

    test('has clients whose permissions never exceed their own, also after a change of the role', async () => {
      const values = { name: 'mine', ...machine(keeper.roleId) }
      const made = await askFor('POST', '/api/oauthClients/new', values, { as: keeper.as })
      const { access_token: token } = await getClientToken(shared.service, made.oauthClient)
      const statusOf = async (path: string) =>
        (await ask('GET', path, undefined, { as: { token } })).status
      assert.equal(await statusOf('/api/oauthClients'), 200)
      assert.equal(await statusOf('/api/users'), 403)
      const rawPermissions = { contact: ['view'] }
      await ask('PATCH', `/api/roles/${keeper.roleId}/edit`, { rawPermissions })
      assert.equal(await statusOf('/api/oauthClients'), 403)
    })
  })
})
