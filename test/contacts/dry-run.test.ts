import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addUser, uniqueName } from '../callers.ts'
import { onEachDatabase } from '../on-each-database.ts'
import type { TestApp } from '../test-app.ts'

const path = '/api/contacts/batch/new'

onEachDatabase('a dry run of an import of contacts', (shared) => {
  const ask: TestApp['ask'] = (...request) => shared.service.ask(...request)
  const tryItems = (items: unknown[]) => ask('POST', `${path}?dryRun=1`, items)
  const create = async (values: object) =>
    (await ask('POST', '/api/contacts/new', values)).body.contact
  const address = () => `${uniqueName('ann').replaceAll(' ', '-')}@example.com`

  test('that is misspelled is refused, and nothing is written', async () => {
    const email = address()
    for (const [method, url, body] of [
      ['POST', `${path}?dryrun=1`, [{ email }]],
      ['POST', '/api/queue/cancel?dry_run=1', { all: true }],
      ['POST', '/api/suppressions/undo?dryRum=1', { transportId: 1 }],
      ['DELETE', '/api/contacts/1/delete?dry-run=1', undefined],
    ] as const) {
      const refused = await ask(method, url, body)
      assert.equal(refused.status, 400, `${url}: ${refused.text}`)
      assert.match(refused.text, /is unknown; write dryRun/)
    }
    const { total } = (await ask('GET', `/api/contacts?search=email:${email}`)).body
    assert.equal(Number(total), 0)
  })

  test('that a request does not have is refused, and nothing is done', async () => {
    const { id } = await create({ email: address() })
    for (const [method, url, body] of [
      ['POST', '/api/queue/messages/1/cancel?dryRun=1', undefined],
      ['POST', '/api/queue/brakes/1/cancel?dryRun=true', undefined],
      ['POST', '/api/broadcasts/1/cancel?dryrun=1', undefined],
      ['POST', '/api/emails/1/send?dryRun=1', { contactIds: [id] }],
      ['PATCH', `/api/contacts/${id}/edit?dryRun=1`, { city: 'Bern' }],
      ['PUT', `/api/contacts/${id}/edit?dry_run=1`, { city: 'Bern' }],
      ['POST', `/api/contacts/${id}/restore?dryRun=1`, undefined],
      ['DELETE', '/api/multipleTransport/transportEmail/1?dryRun=1', undefined],
    ] as const) {
      const refused = await ask(method, url, body)
      assert.equal(refused.status, 400, `${url}: ${refused.text}`)
      assert.match(
        refused.body.error,
        /is not available here\. Leave it out; the request then changes the record at once\.$/,
      )
    }
    const kept = (await ask('GET', `/api/contacts/${id}`)).body.contact
    assert.equal(kept.fields.all.city, null)
    const edited = await ask('PATCH', `/api/contacts/${id}/edit?dryRun=0`, { city: 'Bern' })
    assert.equal(edited.status, 200, edited.text)
  })

  test('answers what each item would do, and writes nothing', async () => {
    const [old, same, fresh] = [address(), address(), address()]
    const ann = await create({ email: old, city: 'Bern', tags: ['a'], segments: ['s'] })
    const bob = await create({ email: same, city: 'Bern' })
    const items = [
      { email: 'not an address', points: 'many' },
      { email: fresh, firstname: 'Fresh' },
      { email: ` ${old}`, city: 'Basel', tags: ['b', '-a'], segments: ['s', 't'] },
      { email: same, city: 'Bern' },
      { email: fresh.toUpperCase(), city: 'Bonn' },
    ]
    const { total } = (await ask('GET', '/api/contacts?limit=1')).body
    const tried = await tryItems(items)
    assert.equal(tried.status, 200, tried.text)
    assert.deepEqual(tried.body.counts, { create: 1, update: 2, none: 1, failed: 1 })
    assert.deepEqual(tried.body.plan, [
      null,
      { action: 'create' },
      {
        action: 'update',
        id: ann.id,
        fields: {
          city: { before: 'Bern', after: 'Basel' },
          tags: { added: ['b'], removed: ['a'] },
          segments: { added: ['t'], removed: [] },
        },
      },
      { action: 'none', id: bob.id },
      {
        action: 'update',
        sameAs: 1,
        fields: {
          email: { before: fresh, after: fresh.toUpperCase() },
          city: { before: null, after: 'Bonn' },
        },
      },
    ])
    assert.deepEqual(Object.keys(tried.body.errors[0].details), ['email', 'points'])
    assert.equal((await ask('GET', '/api/contacts?limit=1')).body.total, total)
    assert.deepEqual((await ask('GET', `/api/contacts/${ann.id}`)).body.contact, ann)

    const saved = await ask('POST', `${path}?fields=id`, items)
    assert.deepEqual(saved.body.statusCodes, tried.body.statusCodes)
    assert.deepEqual(saved.body.errors, tried.body.errors)
    assert.equal(saved.body.contacts[2].id, ann.id)
  })

  test('finds the same faults as the import', async () => {
    const full = await create({
      email: address(),
      tags: Array.from({ length: 200 }, (_, index) => `t${index}`),
    })
    const items = [
      { email: address(), owner: 999_999 },
      { email: full.fields.all.email, tags: ['one more'] },
      'no object',
      { email: address(), isPublished: 'maybe' },
    ]
    const tried = await tryItems(items)
    const saved = await ask('POST', path, items)
    assert.deepEqual(tried.body.statusCodes, [400, 400, 400, 400])
    assert.deepEqual(tried.body.errors, saved.body.errors)
    assert.equal(saved.status, 400)
    assert.equal(tried.status, 200)
  })

  test('refuses what the caller may not do', async () => {
    const email = address()
    const { id } = await create({ email, city: 'Bern' })
    const { as } = await addUser(shared.service, { contact: ['create'] })
    const tried = await ask(
      'POST',
      `${path}?dryRun=1`,
      [
        { email, city: 'Basel' },
        { email: address(), isPublished: false },
      ],
      { as },
    )
    assert.deepEqual(tried.body.statusCodes, [403, 201], tried.text)
    assert.match(tried.body.errors[0].message, new RegExp(`^Record ${id} has the same email`))
    const viewer = await addUser(shared.service, { contact: ['view', 'edit'] })
    assert.equal((await ask('POST', `${path}?dryRun=1`, [], { as: viewer.as })).status, 403)
  })

  test('finds an address again after 5,000 other rows', async () => {
    const [first, last] = [address(), address()]
    const between = Array.from({ length: 5_000 }, (_, index) => ({ email: `${index}.${last}` }))
    const rows = [{ email: first }, ...between, { email: first, city: 'Bern' }]
    const { body } = await tryItems(rows)
    assert.deepEqual(body.counts, { create: 5_001, update: 1, none: 0, failed: 0 })
    assert.equal(body.plan.at(-1).sameAs, 0)
  })

  describe('is refused for other batches, which would write', () => {
    for (const [method, url] of [
      ['POST', '/api/emails/batch/new'],
      ['PATCH', '/api/contacts/batch/edit'],
      ['PUT', '/api/contacts/batch/edit'],
    ] as const) {
      test(`${method} ${url}`, async () => {
        const dryRun = `${url}${url.includes('?') ? '&' : '?'}dryRun=1`
        const { status, body } = await ask(method, dryRun, [{ id: 1, name: 'x', subject: 'x' }])
        assert.equal(status, 400)
        assert.match(body.error, /dryRun is not available for this batch/)
      })
    }
  })
})

onEachDatabase('a batch that merges contacts', (shared) => {
  test('is refused where the stored contacts hold more than 100 MB together', async () => {
    const email = `${uniqueName('large').replaceAll(' ', '-')}@example.com`
    const tags = Array.from({ length: 200 }, (_, index) => `${index}${'t'.repeat(250)}`)
    await shared.service.ask('POST', '/api/contacts/new', { email, tags })
    const items = Array.from({ length: 3_000 }, () => ({ email }))
    const answer = await shared.service.ask('POST', `${path}?fields=id`, items)
    assert.equal(answer.status, 413, answer.text.slice(0, 300))
    assert.match(answer.body.error, /Send it in parts/)
  })
})
