import assert from 'node:assert/strict'
import { addTemplate, addUser } from '../callers.ts'
import type { TestApp } from '../test-app.ts'
import type { Chapter } from './chapter.ts'

const path = '/api/twigTemplates'
const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/

async function refuseCreate(service: TestApp, body: Record<string, unknown>, field: string) {
  const answer = await service.ask('POST', `${path}/new`, body)
  assert.equal(answer.status, 400, answer.text)
  assert.equal(answer.body.success, false)
  assert.deepEqual(Object.keys(answer.body.details), [field])
}

const get = async (service: TestApp, id: number) =>
  (await service.ask('GET', `${path}/${id}`)).body.twigTemplate

const edit = async (service: TestApp, id: number, values: Record<string, unknown>) =>
  (await service.ask('PATCH', `${path}/${id}/edit`, values)).body.twigTemplate

/** The fields of a Twig template. */
export const templateFields: Chapter = {
  '| id | integer | no | not sent | unique identifier |': async ({ service }) => {
    const first = await addTemplate(service, { id: 4711 })
    const second = await addTemplate(service)
    assert.ok(Number.isInteger(first.id))
    assert.notEqual(first.id, 4711)
    assert.notEqual(first.id, second.id)
    assert.equal((await edit(service, first.id, { id: second.id, name: 'x' })).id, first.id)
  },
  '| name | string | yes | no | name of the template |': async ({ service }) => {
    const { id, name } = await addTemplate(service, { name: 'Fußzeile & <Co>' })
    assert.equal(name, 'Fußzeile & <Co>')
    assert.equal((await edit(service, id, { template: 'x' })).name, 'Fußzeile & <Co>')
    await refuseCreate(service, { template: 'x' }, 'name')
    for (const wrong of ['', 5, null])
      await refuseCreate(service, { name: wrong, template: 'x' }, 'name')
  },
  '| template | string | yes | no | Twig code |': async ({ service }) => {
    const template = '{% for tag in contact.tags %}<p>{{ tag|upper }}</p>{% endfor %}\r\n\t é ✓ '
    const { id } = await addTemplate(service, { template })
    assert.equal((await get(service, id)).template, template)
    assert.equal((await edit(service, id, { name: 'x' })).template, template)
    await refuseCreate(service, { name: 'a' }, 'template')
    for (const wrong of ['', 5, null, '{% if %}']) {
      await refuseCreate(service, { name: 'a', template: wrong }, 'template')
    }
  },
  '| description | string | no | no | short purpose description |': async ({ service }) => {
    assert.equal((await addTemplate(service)).description, null)
    const { id, description } = await addTemplate(service, { description: 'The footer' })
    assert.equal(description, 'The footer')
    assert.equal((await edit(service, id, { name: 'x' })).description, 'The footer')
    await refuseCreate(service, { name: 'a', template: 'x', description: 5 }, 'description')
  },
  '| dateAdded | string | read-only | read-only | creation time |': async ({ service }) => {
    const { id, dateAdded } = await addTemplate(service, { dateAdded: '2001-01-01T00:00:00+00:00' })
    assert.match(dateAdded, iso)
    assert.ok(Math.abs(Date.parse(dateAdded) - Date.now()) < 60_000)
    const edited = await edit(service, id, { dateAdded: '2001-01-01T00:00:00+00:00', name: 'x' })
    assert.equal(edited.dateAdded, dateAdded)
  },
  '| dateModified | string | read-only | read-only | last modification time (returned by the single-item response) |':
    async ({ service }) => {
      const { id, dateModified } = await addTemplate(service, { dateModified: '2001-01-01' })
      assert.equal(dateModified, null)
      await edit(service, id, { name: 'x', dateModified: '2001-01-01' })
      const { dateModified: later } = await get(service, id)
      assert.match(later, iso)
      assert.ok(Math.abs(Date.parse(later) - Date.now()) < 60_000)
    },
  '| createdBy | string | read-only | read-only | creator (returned by the single-item response) |':
    async ({ service }) => {
      const { id } = await addTemplate(service, { createdBy: 'Another user' })
      assert.equal((await get(service, id)).createdBy, 'Admin')
      const user = await addUser(service, { twigtemplates: ['full'] })
      const values = { name: 'a', template: 'x' }
      const mine = await service.ask('POST', `${path}/new`, values, { as: user.as })
      assert.equal(mine.body.twigTemplate.createdBy, user.username)
    },
  '| modifiedBy | string | read-only | read-only | last modifier (returned by the single-item response) |':
    async ({ service }) => {
      const { id, modifiedBy } = await addTemplate(service)
      assert.equal(modifiedBy, null)
      const user = await addUser(service, { twigtemplates: ['full'] })
      const values = { name: 'b', modifiedBy: 'Another user' }
      await service.ask('PATCH', `${path}/${id}/edit`, values, { as: user.as })
      const { createdBy, modifiedBy: later } = await get(service, id)
      assert.deepEqual([createdBy, later], ['Admin', user.username])
    },
  'Formats of dateAdded, dateModified, createdBy and modifiedBy values: not shown.':
    '### Twig template',
}
