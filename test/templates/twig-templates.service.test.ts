import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addTemplate, addUser, uniqueName } from '../callers.ts'
import { clockAt } from '../movable-clock.ts'
import { onMailyard } from '../on-each-database.ts'
import type { TestBody } from '../test-app.ts'

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

onMailyard('Twig templates', { isOwn: true }, (shared) => {
  const { ask } = shared
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
    const { body: list } = await ask('GET', path)
    for (const each of [body.twigTemplate, ...list.twigTemplates])
      assert.deepEqual(Object.keys(each).sort(), members)
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

  test('can be published and unpublished', async () => {
    const { id, isPublished } = await add()
    assert.equal(isPublished, true)
    const edited = await ask('PATCH', `${path}/${id}/edit`, { isPublished: false })
    assert.equal(edited.body.twigTemplate.isPublished, false)
    const { body } = await ask('GET', `${path}?published=1`)
    const isListed = body.twigTemplates.some((each: TestBody) => each.id === id)
    assert.equal(isListed, false)
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
})
