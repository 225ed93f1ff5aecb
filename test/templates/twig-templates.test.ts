import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addTemplate, addUser, uniqueName } from '../callers.ts'
import { clockAt } from '../movable-clock.ts'
import { onEachDatabase } from '../on-each-database.ts'
import type { TestApp, TestBody } from '../test-app.ts'

const path = '/api/twigTemplates'
const members = [
  'createdBy',
  'dateAdded',
  'dateModified',
  'description',
  'id',
  'isPublished',
  'modifiedBy',
  'name',
  'template',
]

onEachDatabase('Twig templates', (shared) => {
  const ask: TestApp['ask'] = (...request) => shared.service.ask(...request)
  const add = (values: Record<string, unknown> = {}) => addTemplate(shared.service, values)

  test('answer at the paths that Mautic gives a resource, each wrapped', async () => {
    const created = await ask('POST', `${path}/new`, { name: 'a', template: 'x' })
    assert.deepEqual([created.status, Object.keys(created.body)], [201, ['twigTemplate']])
    const { id } = created.body.twigTemplate
    assert.equal(created.headers['location'], `${path}/${id}`)
    for (const method of ['PATCH', 'PUT'] as const) {
      const edited = await ask(method, `${path}/${id}/edit`, { name: method, template: 'y' })
      assert.deepEqual([edited.status, edited.body.twigTemplate.name], [200, method])
    }
    const list = await ask('GET', path)
    assert.deepEqual(Object.keys(list.body).sort(), ['total', 'twigTemplates'])
    assert.equal(list.body.total, list.body.twigTemplates.length)
    const deleted = await ask('DELETE', `${path}/${id}/delete`)
    assert.deepEqual([deleted.status, deleted.body.success], [200, true])
  })

  test('have the same members alone and in the list', async () => {
    const { id } = await add()
    const { body } = await ask('GET', `${path}/${id}`)
    assert.deepEqual(Object.keys(body.twigTemplate).sort(), members)
    const { body: list } = await ask('GET', path)
    assert.deepEqual(
      list.twigTemplates.find((each: TestBody) => each.id === id),
      body.twigTemplate,
    )
  })

  test('name who created and changed them, and when; modifiedBy and dateModified are null until the first edit', async () => {
    const clock = clockAt(Date.parse('2026-01-31T15:54:35Z'))
    const service = await shared.openAnother({ clock })
    const created = await addTemplate(service)
    const { dateAdded, createdBy, dateModified, modifiedBy } = created
    assert.deepEqual([dateAdded, createdBy], ['2026-01-31T15:54:35+00:00', 'Admin'])
    assert.deepEqual([dateModified, modifiedBy], [null, null])
    const user = await addUser(service, { twigtemplates: ['edit'] })
    const names = { firstName: 'Ada', lastName: 'Lovelace' }
    await ask('PATCH', `/api/users/${user.id}/edit`, names)
    const change = { name: 'changed' }
    const edited = await service.ask('PATCH', `${path}/${created.id}/edit`, change, { as: user.as })
    const { twigTemplate } = edited.body
    assert.equal(twigTemplate.modifiedBy, 'Ada Lovelace')
    assert.equal(twigTemplate.dateModified, '2026-01-31T15:54:35+00:00')
    assert.deepEqual([twigTemplate.dateAdded, twigTemplate.createdBy], [dateAdded, createdBy])
  })

  test('keep their code byte for byte', async () => {
    for (const template of [
      ' \t\r\n{{ 1 }}\r\n\n ',
      '<p class="a">&nbsp;<script>alert(1)</script></p>',
      'e\u0301 \u00e9 \ufb01 \u200b \u{1f600} \u2028',
      '{# a comment #}{% verbatim %}{{ not this }}{% endverbatim %}',
      '\\ \' " ` {$x} %s $1 \\n',
      'x'.repeat(500_000),
    ]) {
      const { id, template: answered } = await add({ template })
      assert.equal(answered, template)
      assert.equal((await ask('GET', `${path}/${id}`)).body.twigTemplate.template, template)
      await ask('PATCH', `${path}/${id}/edit`, { name: 'other' })
      assert.equal((await ask('GET', `${path}/${id}`)).body.twigTemplate.template, template)
    }
  })

  test('code that does not parse is refused with 400, line and column', async () => {
    for (const [template, place] of [
      ['{% if %}', /line 1, column \d+/],
      ['one\ntwo\n  {{ oops', /line 3, column \d+/],
      ['{% for x in y %}', /line 1, column \d+/],
      ['{{ nothing_of_this_name() }}', /line 1, column \d+/],
      ['{% nosuchtag %}', /line 1, column \d+/],
    ] as const) {
      const created = await ask('POST', `${path}/new`, { name: 'a', template })
      assert.equal(created.status, 400, template)
      assert.match(created.body.error, place)
      assert.match(created.body.details.template[0], place)
      const { id } = await add()
      const edited = await ask('PATCH', `${path}/${id}/edit`, { template })
      assert.equal(edited.status, 400)
      const batch = await ask('POST', `${path}/batch/new`, [{ name: 'a', template }])
      assert.match(batch.body.errors[0].message, place)
    }
  })

  test('can be published and unpublished', async () => {
    const { id, isPublished } = await add()
    assert.equal(isPublished, true)
    const edited = await ask('PATCH', `${path}/${id}/edit`, { isPublished: false })
    assert.equal(edited.body.twigTemplate.isPublished, false)
    const { body } = await ask('GET', `${path}?published=1`)
    assert.equal(
      body.twigTemplates.some((each: TestBody) => each.id === id),
      false,
    )
  })

  test('are rendered for a contact by callers who may view contacts', async () => {
    const contact = { email: `${uniqueName('ann')}@example.com`, firstname: 'Ann' }
    const { id } = (await ask('POST', '/api/contacts/new', contact)).body.contact
    const request = {
      template: '{{ greeting }} {{ contact.firstname }}',
      context: { greeting: 'Hello', contact: { firstname: 'Bob' } },
      contactId: id,
    }
    const { body } = await ask('POST', `${path}/render`, request)
    assert.equal(body.output, 'Hello Ann')
    const author = await addUser(shared.service, { twigtemplates: ['view'] })
    const refused = await ask('POST', `${path}/render`, request, { as: author.as })
    assert.equal(refused.status, 403)
    const missing = await ask('POST', `${path}/render`, { ...request, contactId: 999_999 })
    assert.equal(missing.status, 404)
  })

  test('are listed with the parameters of every list', async () => {
    const word = uniqueName('template')
    await ask(
      'POST',
      `${path}/batch/new`,
      [3, 1, 2].map((number) => ({ name: `${word} ${number}`, template: 'x' })),
    )
    const list = async (query: string) =>
      (await ask('GET', `${path}?search="${word}"&${query}`)).body
    const page = await list('orderBy=name&start=1&limit=1')
    assert.equal(page.total, 3)
    assert.deepEqual(
      page.twigTemplates.map((each: TestBody) => each.name),
      [`${word} 2`],
    )
    const empty = await list('start=10&limit=5')
    assert.deepEqual(empty, { total: 3, twigTemplates: [] })
  })
})
