import assert from 'node:assert/strict'
import { addTemplate, addUser } from '../callers.ts'
import type { TestApp } from '../test-app.ts'
import type { Chapter } from './chapter.ts'

const path = '/api/twigTemplates'
const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/

async function refuseCreate(yard: TestApp, body: Record<string, unknown>, field: string) {
  const answer = await yard.ask('POST', `${path}/new`, body)
  assert.equal(answer.status, 400, answer.text)
  assert.equal(answer.body.success, false)
  assert.deepEqual(Object.keys(answer.body.details), [field])
}

const get = async (yard: TestApp, id: number) =>
  (await yard.ask('GET', `${path}/${id}`)).body.twigTemplate

const edit = async (yard: TestApp, id: number, values: Record<string, unknown>) =>
  (await yard.ask('PATCH', `${path}/${id}/edit`, values)).body.twigTemplate

/** The fields of a Twig template. */
export const templateFields: Chapter = {
  '| id | integer | no | not sent | unique identifier |': async ({ yard }) => {
    const first = await addTemplate(yard, { id: 4711 })
    const second = await addTemplate(yard)
    assert.ok(Number.isInteger(first.id))
    assert.notEqual(first.id, 4711)
    assert.notEqual(first.id, second.id)
    assert.equal((await edit(yard, first.id, { id: second.id, name: 'x' })).id, first.id)
  },
  '| name | string | yes | no | name of the template |': async ({ yard }) => {
    const { id, name } = await addTemplate(yard, { name: 'Fußzeile & <Co>' })
    assert.equal(name, 'Fußzeile & <Co>')
    assert.equal((await edit(yard, id, { template: 'x' })).name, 'Fußzeile & <Co>')
    await refuseCreate(yard, { template: 'x' }, 'name')
    for (const wrong of ['', 5, null])
      await refuseCreate(yard, { name: wrong, template: 'x' }, 'name')
  },
  '| template | string | yes | no | Twig code |': async ({ yard }) => {
    const template = '{% for tag in contact.tags %}<p>{{ tag|upper }}</p>{% endfor %}\r\n\t é ✓ '
    const { id } = await addTemplate(yard, { template })
    assert.equal((await get(yard, id)).template, template)
    assert.equal((await edit(yard, id, { name: 'x' })).template, template)
    await refuseCreate(yard, { name: 'a' }, 'template')
    for (const wrong of ['', 5, null, '{% if %}']) {
      await refuseCreate(yard, { name: 'a', template: wrong }, 'template')
    }
  },
  '| description | string | no | no | short purpose description |': async ({ yard }) => {
    assert.equal((await addTemplate(yard)).description, null)
    const { id, description } = await addTemplate(yard, { description: 'The footer' })
    assert.equal(description, 'The footer')
    assert.equal((await edit(yard, id, { name: 'x' })).description, 'The footer')
    await refuseCreate(yard, { name: 'a', template: 'x', description: 5 }, 'description')
  },
  '| dateAdded | string | read-only | read-only | creation time |': async ({ yard }) => {
    const { id, dateAdded } = await addTemplate(yard, { dateAdded: '2001-01-01T00:00:00+00:00' })
    assert.match(dateAdded, iso)
    assert.ok(Math.abs(Date.parse(dateAdded) - Date.now()) < 60_000)
    const edited = await edit(yard, id, { dateAdded: '2001-01-01T00:00:00+00:00', name: 'x' })
    assert.equal(edited.dateAdded, dateAdded)
  },
  '| dateModified | string | read-only | read-only | last modification time (returned by the single-item response) |':
    async ({ yard }) => {
      const { id, dateModified } = await addTemplate(yard, { dateModified: '2001-01-01' })
      assert.equal(dateModified, null)
      await edit(yard, id, { name: 'x', dateModified: '2001-01-01' })
      const { dateModified: later } = await get(yard, id)
      assert.match(later, iso)
      assert.ok(Math.abs(Date.parse(later) - Date.now()) < 60_000)
    },
  '| createdBy | string | read-only | read-only | creator (returned by the single-item response) |':
    async ({ yard }) => {
      const { id } = await addTemplate(yard, { createdBy: 'Somebody else' })
      assert.equal((await get(yard, id)).createdBy, 'Admin')
      const user = await addUser(yard, { twigtemplates: ['full'] })
      const values = { name: 'a', template: 'x' }
      const mine = await yard.ask('POST', `${path}/new`, values, { as: user.as })
      assert.equal(mine.body.twigTemplate.createdBy, user.username)
    },
  '| modifiedBy | string | read-only | read-only | last modifier (returned by the single-item response) |':
    async ({ yard }) => {
      const { id, modifiedBy } = await addTemplate(yard)
      assert.equal(modifiedBy, null)
      const user = await addUser(yard, { twigtemplates: ['full'] })
      const values = { name: 'b', modifiedBy: 'Somebody else' }
      await yard.ask('PATCH', `${path}/${id}/edit`, values, { as: user.as })
      const { createdBy, modifiedBy: later } = await get(yard, id)
      assert.deepEqual([createdBy, later], ['Admin', user.username])
    },
  'Formats of dateAdded, dateModified, createdBy and modifiedBy values: not shown.': async ({
    yard,
  }) => {
    const { id } = await addTemplate(yard)
    await edit(yard, id, { name: 'x' })
    const { dateAdded, dateModified, createdBy, modifiedBy } = await get(yard, id)
    assert.match(dateAdded, iso)
    assert.match(dateModified, iso)
    assert.deepEqual([createdBy, modifiedBy], ['Admin', 'Admin'])
  },
}
