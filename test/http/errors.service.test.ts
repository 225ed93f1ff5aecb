import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { addTemplate, addTransport, addUser } from '../callers.ts'
import { onMailyard } from '../on-each-database.ts'
import type { TestAnswer } from '../test-app.ts'

/** The one shape of every error: nothing more, and one sentence without internals. */
function assertError(answer: TestAnswer, status: number, sentence = /./): void {
  assert.equal(answer.status, status, answer.text)
  assert.match(String(answer.headers['content-type']), /^application\/json\b/)
  const { success, error, details, ...rest } = answer.body
  assert.equal(success, false)
  assert.equal(typeof error, 'string')
  assert.match(error, sentence)
  assert.deepEqual(rest, {}, 'nothing else is in an error')
  assert.doesNotMatch(answer.text, /node_modules|\.ts:\d|at \w+ \(|SQLITE|select |insert /)
  if (details === undefined) return
  for (const [field, reasons] of Object.entries(details)) {
    assert.ok(Array.isArray(reasons) && reasons.length > 0, field)
    for (const reason of reasons) assert.equal(typeof reason, 'string')
  }
}

const json = { 'content-type': 'application/json' }

const createPaths = [
  '/api/multipleTransports/new',
  '/api/twigTemplates/new',
  '/api/users/new',
  '/api/roles/new',
  '/api/emails/new',
  '/api/contacts/new',
  '/api/oauthClients/new',
]

/** Faults that only the rules of a resource know beside faults that its schema knows. */
const faulty: [path: string, body: Record<string, unknown>, fields: string[]][] = [
  [
    '/api/multipleTransports',
    { mailerDsn: 'nonsense', testedEmailFrom: 'x', isPublished: 'maybe', description: 5 },
    ['description', 'isPublished', 'mailerDsn', 'name', 'testedEmailFrom'],
  ],
  ['/api/twigTemplates', { template: '{% if %}' }, ['name', 'template']],
  [
    '/api/users',
    {
      username: 'admin',
      email: 'x',
      role: 999_999,
      plainPassword: { password: 'short', confirm: 'other' },
    },
    ['email', 'plainPassword.confirm', 'plainPassword.password', 'role', 'username'],
  ],
  [
    '/api/roles',
    { rawPermissions: { nothing: ['view'], email: ['fly'] } },
    ['name', 'rawPermissions.email', 'rawPermissions.nothing'],
  ],
  [
    '/api/oauthClients',
    { redirectUris: ['nonsense'], grantTypes: ['magic'], role: 999_999 },
    ['grantTypes.0', 'name', 'redirectUris', 'role'],
  ],
  [
    '/api/emails',
    { fromAddress: 'x', headers: { 'a b': 'c' } },
    ['fromAddress', 'headers', 'name', 'subject'],
  ],
  ['/api/contacts', { email: 'x', owner: 999_999, points: 'many' }, ['email', 'owner', 'points']],
]

onMailyard('errors', { isOwn: true }, (shared) => {
  const { ask } = shared

  describe('400', () => {
    test('malformed JSON, and a body that is not an object, at every path with a body', async () => {
      for (const path of createPaths) {
        assertError(await ask('POST', path, '{"name":', { headers: json }), 400, /not JSON/)
        for (const body of ['null', ' null\n', '5', '"text"', 'true']) {
          assertError(await ask('POST', path, body, { headers: json }), 400, /object/)
        }
      }
    })

    test('a JSON syntax error is reported by its position, and the body is not repeated', async () => {
      const body = '{"mailerDsn": "smtp://u:hunter2@h", oops}'
      const answer = await ask('POST', '/api/multipleTransports/new', body, { headers: json })
      assertError(answer, 400, /position \d+/)
      assert.equal(answer.text.includes('hunter2'), false)
    })

    test('all faults of a request, of each item of a batch and of a change are reported', async () => {
      for (const [path, body, fields] of faulty) {
        const answer = await ask('POST', `${path}/new`, body)
        assertError(answer, 400)
        assert.deepEqual(Object.keys(answer.body.details).sort(), fields, path)
        const { body: batch } = await ask('POST', `${path}/batch/new`, [body])
        assert.deepEqual(batch.statusCodes, [400])
        assert.deepEqual(Object.keys(batch.errors[0].details).sort(), fields, path)
      }
      const { id } = await addTransport(shared.service)
      const change = { mailerDsn: 'nonsense', testedEmailFrom: 'x' }
      const edited = await ask('PATCH', `/api/multipleTransports/${id}/edit`, change)
      assert.deepEqual(Object.keys(edited.body.details).sort(), Object.keys(change))
    })

    test('a malformed id, of every resource', async () => {
      for (const path of createPaths) {
        const base = path.slice(0, -'/new'.length)
        for (const id of ['abc', '-1', '1.5', '1e3', '0x1', '%20', '1%00']) {
          assertError(await ask('GET', `${base}/${id}`), 400)
          assertError(await ask('PATCH', `${base}/${id}/edit`, {}), 400)
          assertError(await ask('DELETE', `${base}/${id}/delete`), 400)
        }
      }
    })

    test('a query that a list cannot be made of', async () => {
      for (const query of [
        'limit=-1',
        'limit=abc',
        'start=-1',
        'start=1.5',
        'orderBy=nope',
        'orderBy=mailerDsn',
        'orderByDir=sideways',
        'published=maybe',
        'limit=1&limit=2',
        'where[0][col]=nope&where[0][expr]=eq&where[0][val]=1',
        'where[0][expr]=eq&where[0][val]=1',
        'where[0][col]=name&where[0][val]=1',
        'where[0][col]=name&where[0][expr]=magic&where[0][val]=1',
        'where[0][col]=id&where[0][expr]=like&where[0][val]=1',
        'where[0][col]=isPublished&where[0][expr]=notLike&where[0][val]=1',
        'where[0][col]=dateAdded&where[0][expr]=like&where[0][val]=2026-01-31',
        'where[0][col]=id&where[0][expr]=in',
        'where[0][col]=id&where[0][expr]=notIn',
        'order[0][col]=id&order[0][dir][]=DESC',
        'order[0][col]=nope',
      ]) {
        assertError(await ask('GET', `/api/multipleTransports?${query}`), 400)
      }
    })
  })

  describe('401 and 403', () => {
    test('401 names the fault of a bearer token', async () => {
      const answer = await ask('GET', '/api/users', undefined, { as: { token: 'unknown' } })
      assertError(answer, 401)
      assert.match(String(answer.headers['www-authenticate']), /error="invalid_token"/)
    })

    test('where Basic is switched off, 401 offers Bearer alone', async () => {
      const service = await shared.openAnother({ config: { isBasicAuthEnabled: false } })
      const answer = await service.ask('GET', '/api/users', undefined, { as: 'anonymous' })
      assertError(answer, 401)
      assert.match(String(answer.headers['www-authenticate']), /Bearer/)
      assert.doesNotMatch(String(answer.headers['www-authenticate']), /Basic/)
      const basic = await service.ask('GET', '/api/users')
      assertError(basic, 403, /Basic/)
    })

    test('an anonymous caller gets 401 whether a record or path exists or not', async () => {
      const { id } = await addTransport(shared.service)
      for (const path of [
        `/api/multipleTransports/${id}`,
        '/api/multipleTransports/999999',
        '/api/x',
      ]) {
        assertError(await ask('GET', path, undefined, { as: 'anonymous' }), 401)
      }
    })

    test('403 for a user without the permission, which is named', async () => {
      const { as } = await addUser(shared.service, { multipleTransports: ['view'] })
      const answer = await ask('POST', '/api/multipleTransports/new', {}, { as })
      assertError(answer, 403, /multipleTransports:create/)
    })
  })

  describe('404 and 405', () => {
    test('404 for an unknown path and an unknown id', async () => {
      for (const path of ['/api', '/api/nothing', '/api/users/1/nothing', '/nothing']) {
        assertError(await ask('GET', path), 404)
      }
      for (const [path, sentence] of [
        ['/api/multipleTransports/999999', /^Transport not found/],
        ['/api/twigTemplates/999999', /^Twig template not found/],
        ['/api/emails/999999', /^Email not found/],
        ['/api/users/999999', /^User not found/],
        ['/api/roles/999999', /^Role not found/],
        ['/api/contacts/999999', /^Contact not found/],
        ['/api/oauthClients/999999', /^OAuth client not found/],
        ['/api/transports/3', /Did you mean "\/api\/multipleTransports\/3"\?$/],
        ['/api/multipleTransport/transportEmail/999999', /^Email not found/],
        ['/api/multipleTransport/transportUser/999999', /^User not found/],
      ] as const) {
        assertError(await ask('GET', path), 404, sentence)
      }
    })

    test('405 for a wrong method, with Allow', async () => {
      for (const [method, path, allow] of [
        ['POST', '/api/multipleTransports', 'GET, HEAD'],
        ['DELETE', '/api/multipleTransports/1', 'GET, HEAD'],
        ['GET', '/api/multipleTransports/new', 'POST'],
        ['GET', '/api/multipleTransports/new/', 'POST'],
        ['POST', '/api/multipleTransports/1/edit', 'PATCH, PUT'],
        ['GET', '/api/multipleTransports/batch/edit', 'PATCH, PUT'],
        ['GET', '/api/multipleTransports/send/test/1', 'POST'],
        ['PUT', '/api/multipleTransport/transportEmail/1', 'DELETE, GET, HEAD, POST'],
        ['DELETE', '/api/users/self', 'GET, HEAD'],
        ['OPTIONS', '/api/users', 'GET, HEAD'],
        ['DELETE', '/healthz', 'GET, HEAD'],
        ['GET', '/oauth/v2/token', 'POST'],
      ] as const) {
        const answer = await ask(method, path)
        assertError(answer, 405)
        assert.equal(answer.headers['allow'], allow, `${method} ${path}`)
      }
    })
  })

  test('a property __proto__ in a body is rejected at any level', async () => {
    for (const body of [
      '{"__proto__":{"isAdmin":true},"name":"r"}',
      '{"name":"r","\\u005f_proto__":1}',
      '{"name":"r","rawPermissions":{"__proto__":["view"]}}',
      '[{"name":"r","__proto__":null}]',
    ]) {
      const answer = await ask('POST', '/api/roles/new', body, { headers: json })
      assertError(answer, 400, /^Property "__proto__" is not allowed/)
    }
    const other = '{"name":"__proto__","constructor":{"prototype":{}}}'
    const { status } = await ask('POST', '/api/roles/new', other, { headers: json })
    assert.equal(status, 201, 'a value may be that, and any other name')
  })

  describe('413 and 415', () => {
    test('413 for a body above 1 MiB, of a batch above 16 MiB, and for more than 10,000 items', async () => {
      const large = JSON.stringify({ name: 'x'.repeat(1024 * 1024) })
      const named = await ask('POST', '/api/twigTemplates/new', large, { headers: json })
      assertError(named, 413, /larger than 1048576 bytes/)
      const larger = JSON.stringify([{ name: 'x'.repeat(16 * 1024 * 1024) }])
      const batch = await ask('POST', '/api/twigTemplates/batch/new', larger, { headers: json })
      assertError(batch, 413, /larger than 16777216 bytes/)
      const item = { name: 'a', mailerDsn: 'null://null' }
      const items = Array.from({ length: 10_001 }, () => item)
      const path = '/api/multipleTransports/batch'
      assertError(await ask('POST', `${path}/new`, items), 413, /10000/)
      assertError(await ask('PATCH', `${path}/edit`, items), 413, /10000/)
      const ids = items.map((_, index) => index + 1).join(',')
      assertError(await ask('DELETE', `${path}/delete?ids=${ids}`), 413, /10000/)
      assert.equal((await ask('GET', '/api/multipleTransports?search=ids:1,2')).status, 200)
    })

    test('415 for a body that is neither JSON nor a form', async () => {
      for (const type of ['application/xml', 'text/plain', 'multipart/form-data; boundary=x']) {
        const headers = { 'content-type': type }
        const answer = await ask('POST', '/api/multipleTransports/new', '<a/>', { headers })
        assertError(answer, 415, /application\/json/)
      }
    })

    test('415 for a compressed body, with the encoding that is accepted', async () => {
      const send = (encoding: string) => {
        const headers = { ...json, 'content-encoding': encoding }
        return ask('POST', '/api/roles/new', JSON.stringify({ name: 'r' }), { headers })
      }
      const answer = await send('gzip')
      assertError(answer, 415)
      assert.equal(answer.headers['accept-encoding'], 'identity')
      assert.equal((await send('identity')).status, 201)
    })
  })

  describe('bodies', () => {
    test('a wrong type is never coerced', async () => {
      const { id } = await addTransport(shared.service)
      const { body: role } = await ask('POST', '/api/roles/new', { name: 'r' })
      for (const [path, body, field] of [
        [`multipleTransports/${id}`, { description: ['x'] }, 'description'],
        ['users/1', { role: 1.5 }, 'role'],
        [`roles/${role.role.id}`, { rawPermissions: 'view' }, 'rawPermissions'],
        [`roles/${role.role.id}`, { rawPermissions: { email: 'view' } }, 'rawPermissions.email'],
        ['emails/1', { name: 5 }, 'name'],
      ] as const) {
        const answer = await ask('PATCH', `/api/${path}/edit`, body)
        assertError(answer, 400)
        assert.deepEqual(Object.keys(answer.body.details), [field])
      }
    })

    test('[] and a missing body count as an empty body', async () => {
      const { id } = await addTransport(shared.service, { name: 'kept' })
      for (const body of ['[]', '', ' ', '{}', '[ ]']) {
        const edited = await ask('PATCH', `/api/multipleTransports/${id}/edit`, body, {
          headers: json,
        })
        assert.deepEqual([edited.status, edited.body.name], [200, 'kept'], body)
        const tested = await ask('POST', `/api/multipleTransports/send/test/${id}`, body, {
          headers: json,
        })
        assert.equal(tested.status, 200, body)
      }
      assertError(await ask('POST', '/api/multipleTransports/new', '[]', { headers: json }), 400)
    })
  })

  test('500 for a fault of ours, with an id that is also in the log, and no internals', async () => {
    const service = await shared.openAnother()
    await addTemplate(service)
    await sql`alter table twig_templates rename to moved`.execute(service.app.storage.tables())
    const answer = await service.ask('GET', '/api/twigTemplates')
    await sql`alter table moved rename to twig_templates`.execute(service.app.storage.tables())
    assertError(answer, 500)
    const id = String(answer.headers['x-request-id'])
    assert.ok(answer.body.error.includes(id))
    const line = service.logged.find((each) => each.includes('request failed') && each.includes(id))
    assert.match(line ?? '', /twig_templates/, 'the log says what it was')
    assert.equal(answer.text.includes('twig_templates'), false)
  })

  test('who changed something is in the log, with the request', async () => {
    const { as, username } = await addUser(shared.service, 'administrator')
    const { headers } = await ask('POST', '/api/contacts/new', {}, { as })
    const line = shared.service.logged.find((each) =>
      each.includes(String(headers['x-request-id'])),
    )
    assert.ok(line?.includes(`"caller":"${username}"`) && line.includes('/api/contacts/new'), line)
  })
})
