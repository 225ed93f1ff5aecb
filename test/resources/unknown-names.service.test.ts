import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { uniqueName } from '../callers.ts'
import { onMailyard } from '../on-each-database.ts'
import type { TestBody } from '../test-app.ts'

// cspell:ignore serach
const password = { password: 'a long password', confirm: 'a long password' }

/** Every resource: a good item of it, and columns and inner names that no request may reach. */
const resources = [
  {
    path: '/api/multipleTransports',
    one: undefined,
    good: { mailerDsn: 'null://null' },
    inner: { mailer_dsn: 'x', name_key: 'x', search_text: 'x' },
  },
  {
    path: '/api/twigTemplates',
    one: 'twigTemplate',
    good: { template: '{{ 1 }}' },
    inner: { refers_to: 'x' },
  },
  {
    path: '/api/users',
    one: 'user',
    good: { role: 1, plainPassword: password },
    inner: { newPasswordHash: 'x', password_hash: 'x', username_key: 'x' },
  },
  { path: '/api/roles', one: 'role', good: {}, inner: { is_admin: true, raw_permissions: '{}' } },
  {
    path: '/api/oauthClients',
    one: 'oauthClient',
    good: { grantTypes: ['client_credentials'], role: 1 },
    inner: { newSecretHash: 'x', secret_hash: 'x', clientSecret: 'x', clientId: 'x' },
  },
  {
    path: '/api/emails',
    one: 'email',
    good: { subject: 'S' },
    inner: { custom_html: 'x', is_twig: true },
  },
  { path: '/api/contacts', one: 'contact', good: {}, inner: { owner_id: 1, field_values: '{}' } },
] as const

const named = (path: string) => {
  const name = uniqueName('item')
  if (path === '/api/users') return { username: name, email: `${name}@example.com` }
  return path === '/api/contacts' ? { email: `${name}@example.com` } : { name }
}
/** What every record has and no request gives. */
const stamps = { date_added: 5, created_by: 'x', revision: 99, dateAdded: 'x', createdBy: 'x' }

onMailyard('unknown names', { isOwn: true }, ({ ask, askFor }) => {
  for (const { path, one, good, inner } of resources)
    describe(path, () => {
      const hostile = { ...inner, ...stamps, constructor: { prototype: { isAdmin: true } } }
      const itemOf = (body: TestBody) => (one === undefined ? body : body[one])
      const without = (item: TestBody) => {
        const { dateAdded, dateModified, clientSecret, clientId, warnings, ...rest } = item
        return { ...rest, id: 0 }
      }

      test('fields that the schema does not name change nothing, and are named', async () => {
        const values = { ...named(path), ...good }
        const made = await ask('POST', `${path}/new`, { ...values, ...hostile })
        assert.equal(made.status, 201, made.text)
        assert.equal(made.body.warnings.length, Math.min(Object.keys(hostile).length, 11))
        for (const name of Object.keys(inner))
          assert.ok(made.text.includes(`Unknown field \\"${name}\\" was ignored.`), made.text)
        const { id, dateAdded } = itemOf(made.body)
        assert.ok(dateAdded === undefined || dateAdded.startsWith('20'))
        const before = await ask('GET', `${path}/${id}`)
        assert.equal('warnings' in before.body, false)
        const patched = await askFor('PATCH', `${path}/${id}/edit`, hostile)
        assert.ok(patched.warnings.length > 0)
        const after = await ask('GET', `${path}/${id}`)
        assert.deepEqual(after.body, before.body)
        assert.equal(after.headers['etag'], before.headers['etag'])
        await askFor('PUT', `${path}/${id}/edit`, { ...values, ...hostile })
        const replaced = await ask('GET', `${path}/${id}`)
        assert.deepEqual(without(itemOf(replaced.body)), {
          ...without(itemOf(before.body)),
          modifiedBy: itemOf(replaced.body).modifiedBy,
          ...('modifiedByUser' in itemOf(replaced.body)
            ? { modifiedByUser: itemOf(replaced.body).modifiedByUser }
            : {}),
        })
      })

      test('neither do they in a batch, whose items are named', async () => {
        const item = { ...named(path), ...good, ...hostile }
        const { body } = await ask('POST', `${path}/batch/new`, [item])
        assert.match(body.warnings[0], /^Unknown field "\w+" was ignored\./)
        const [{ id }] = body[path.slice('/api/'.length)]
        for (const method of ['PATCH', 'PUT'] as const) {
          const edited = await ask(method, `${path}/batch/edit`, [{ ...item, id }])
          assert.deepEqual(edited.body.statusCodes, [200], edited.text)
          assert.ok(edited.body.warnings.length > 0)
        }
        const shown = itemOf((await ask('GET', `${path}/${id}`)).body)
        assert.notEqual(shown.createdBy, 'x')
      })

      test('an unknown parameter of the list is named, and no known one is', async () => {
        const known =
          'start=0&limit=1&search=&orderBy=id&orderByDir=ASC&published=&publishedOnly=&minimal=1'
        const fine = await ask(
          'GET',
          `${path}?${known}&where%5B0%5D%5Bcol%5D=id&where%5B0%5D%5Bexpr%5D=gt&where%5B0%5D%5Bval%5D=0`,
        )
        assert.equal(fine.status, 200, fine.text)
        assert.equal(fine.headers['x-warnings'], undefined)
        assert.equal('warnings' in fine.body, false)
        const { body, headers } = await ask('GET', `${path}?limit=1&serach=%C3%A4&%0D%0A%C3%A4=1`)
        const warnings =
          one === undefined ? JSON.parse(String(headers['x-warnings'])) : body.warnings
        assert.deepEqual(warnings, [
          'Unknown parameter "serach" was ignored. Did you mean "search"?',
          'Unknown parameter "\\r\\nä" was ignored.',
        ])
      })
    })

  test('an error has the warnings too, which often say why', async () => {
    const { status, body } = await ask('POST', '/api/roles/new', { nme: 'Editors' })
    assert.deepEqual([status, body.success, body.error], [400, false, 'name is required.'])
    assert.deepEqual(body.warnings, ['Unknown field "nme" was ignored. Did you mean "name"?'])
  })

  test('every other endpoint with a body names what it ignores', async () => {
    const transport = await ask('POST', '/api/multipleTransports/new', {
      name: 'T',
      mailerDsn: 'null://null',
    })
    const { body: template } = await ask('POST', '/api/twigTemplates/new', {
      name: 'T',
      template: 'x',
    })
    const { body: contact } = await ask('POST', '/api/contacts/new', { email: 'c@example.com' })
    const transportId: number = transport.body.id
    const templateId: number = template.twigTemplate.id
    const calls: [string, object][] = [
      ['/api/multipleTransport/transportEmail/1', { transportId, useOwnersTransport: true }],
      ['/api/multipleTransport/transportUser/1', { transportId, transport_id: 1 }],
      [`/api/multipleTransports/send/test/${transportId}`, { recipient: 'a@b.test' }],
      ['/api/multipleTransports/send/test', { mailerDsn: 'null://null', isPublished: true }],
      ['/api/multipleTransports/dsn/inspect', { mailerDsn: 'null://null', dsn: 1 }],
      ['/api/twigTemplates/render', { template: '{{ a }}', context: { a: 1 }, variables: {} }],
      [`/api/twigTemplates/${templateId}/impact`, { template: 'y', source: 'z' }],
      [`/api/twigTemplates/${templateId}/versions/1/restore`, { note: 'x' }],
      [`/api/emails/1/contact/${contact.contact.id}/send`, { tokens: { '{any}': '1' }, token: 1 }],
    ]
    for (const [path, values] of calls) {
      const { status, body, text } = await ask('POST', path, values)
      assert.equal(status, 200, `${path}: ${text}`)
      assert.ok(Array.isArray(body.warnings), `${path}: ${text}`)
      assert.match(body.warnings.at(-1), /^Unknown field "\w+" was ignored\./, path)
    }
    const lint = await ask('POST', '/api/twigTemplates/lint', { template: 'x', title: 'y' })
    assert.deepEqual(lint.body, { valid: true, faults: [], warnings: [], variables: [] })
    assert.deepEqual(JSON.parse(String(lint.headers['x-warnings'])), [
      'Unknown field "title" was ignored.',
    ])
  })

  test('unknown parameters of other endpoints are named too', async () => {
    for (const path of ['/api/deliveries', '/api/multipleTransport/resolve']) {
      const { body } = await ask('GET', `${path}?pge=1`)
      assert.deepEqual(body.warnings, ['Unknown parameter "pge" was ignored.'], path)
    }
    const { body } = await ask('POST', '/api/roles/batch/new?atomc=1', [{ name: 'a' }])
    assert.deepEqual(body.warnings, [
      'Unknown parameter "atomc" was ignored. Did you mean "atomic"?',
    ])
  })

  test('a batch of which no item succeeds is an error, with every item', async () => {
    for (const { path, good } of resources) {
      const bad = [{ ...good, email: 5, name: 5, username: 5 }, 'nonsense']
      for (const [method, url, body, codes] of [
        ['POST', `${path}/batch/new`, bad, [400, 400]],
        ['PATCH', `${path}/batch/edit`, [{ id: 999_999, ...named(path) }], [404]],
        ['DELETE', `${path}/batch/delete?ids=999999,999998`, undefined, [404, 404]],
      ] as const) {
        const answer = await ask(method, url, body)
        assert.equal(answer.status, 400, `${method} ${url}: ${answer.text}`)
        assert.deepEqual(answer.body.statusCodes, codes)
        assert.equal(answer.body.success, false)
        assert.match(answer.body.error, /^(All 2 items|The only item) of the batch failed; /)
        assert.equal(Object.keys(answer.body.errors).length, codes.length)
      }
    }
  })
})
