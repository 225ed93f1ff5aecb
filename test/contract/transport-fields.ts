import assert from 'node:assert/strict'
import { addTransport, uniqueName } from '../callers.ts'
import { openMailServer } from '../mail-server.ts'
import type { TestApp } from '../test-app.ts'
import type { Chapter } from './chapter.ts'

const path = '/api/multipleTransports'

/** A create without one of the values, which must be refused for just that. */
async function refuseCreate(yard: TestApp, body: Record<string, unknown>, field: string) {
  const answer = await yard.ask('POST', `${path}/new`, body)
  assert.equal(answer.status, 400, answer.text)
  assert.equal(answer.body.success, false)
  assert.deepEqual(Object.keys(answer.body.details), [field])
}

const get = async (yard: TestApp, id: number) => (await yard.ask('GET', `${path}/${id}`)).body

/** The fields of a transport. */
export const transportFields: Chapter = {
  '| id | integer | no (assigned by the service) | not sent | unique identifier |': async ({
    yard,
  }) => {
    const first = await addTransport(yard, { id: 4711 })
    const second = await addTransport(yard)
    assert.ok(Number.isInteger(first.id))
    assert.notEqual(first.id, 4711, 'an id that is sent is not taken')
    assert.notEqual(first.id, second.id)
    const edited = await yard.ask('PATCH', `${path}/${first.id}/edit`, { id: second.id, name: 'x' })
    assert.equal(edited.body.id, first.id)
  },
  '| name | string | yes | no | name of the transport |': async ({ yard }) => {
    const { id, name } = await addTransport(yard, { name: 'Ärger & Söhne <b>' })
    assert.equal(name, 'Ärger & Söhne <b>')
    const edited = await yard.ask('PATCH', `${path}/${id}/edit`, { description: 'only this' })
    assert.deepEqual([edited.status, edited.body.name], [200, 'Ärger & Söhne <b>'])
    await refuseCreate(yard, { mailerDsn: 'null://null' }, 'name')
    for (const wrong of ['', '   ', 5, null, ['a'], { a: 1 }]) {
      await refuseCreate(yard, { name: wrong, mailerDsn: 'null://null' }, 'name')
    }
  },
  '| description | string | no | no | short purpose description |': async ({ yard }) => {
    const without = await addTransport(yard)
    assert.equal(without.description, null)
    const { id, description } = await addTransport(yard, { description: 'For newsletters' })
    assert.equal(description, 'For newsletters')
    const edited = await yard.ask('PATCH', `${path}/${id}/edit`, { description: '' })
    assert.equal(edited.status, 200)
    const wrong = { name: 'a', mailerDsn: 'null://null', description: 5 }
    await refuseCreate(yard, wrong, 'description')
  },
  '| mailerDsn | string | yes | no | DSN string for the mailer, shaped `<scheme>://<user>:<password>@<host>` with optional port; it contains credentials |':
    async ({ yard }) => {
      for (const mailerDsn of [
        'smtp://user:password@mail.example.com',
        'smtp://user:password@mail.example.com:2525',
        'smtps://user%40example.com:p%23ss+w%2Frd@mail.example.com:465',
      ]) {
        const { id } = await addTransport(yard, { mailerDsn })
        assert.equal((await get(yard, id)).mailerDsn, mailerDsn)
        const edited = await yard.ask('PATCH', `${path}/${id}/edit`, { name: 'other' })
        assert.equal(edited.body.mailerDsn, mailerDsn, 'an edit need not send it')
      }
      await refuseCreate(yard, { name: 'a' }, 'mailerDsn')
      for (const mailerDsn of ['', 'mail.example.com', 'smtp//x', 5, null]) {
        await refuseCreate(yard, { name: 'a', mailerDsn }, 'mailerDsn')
      }
      const log = yard.logged.join('\n')
      assert.equal(log.includes('p%23ss'), false, 'no credentials in the log')
    },
  '| testedEmailFrom | string | no | no | email address used for testing |': async ({ yard }) => {
    const server = await openMailServer()
    const { id, testedEmailFrom } = await addTransport(yard, {
      mailerDsn: `smtp://127.0.0.1:${server.port}`,
      testedEmailFrom: 'sender@example.com',
    })
    assert.equal(testedEmailFrom, 'sender@example.com')
    assert.equal((await get(yard, id)).testedEmailFrom, 'sender@example.com')
    await yard.ask('POST', `${path}/send/test/${id}`)
    await server.close()
    assert.equal(server.received[0]?.from, 'sender@example.com')
    assert.equal((await addTransport(yard)).testedEmailFrom, null)
    const wrong = { name: 'a', mailerDsn: 'null://null', testedEmailFrom: 'nobody' }
    await refuseCreate(yard, wrong, 'testedEmailFrom')
  },
  '| isPublished | boolean | no | no | whether the transport is enabled |': async ({ yard }) => {
    const { id, isPublished } = await addTransport(yard, { isPublished: false })
    assert.equal(isPublished, false)
    assert.equal((await get(yard, id)).isPublished, false)
    assert.equal((await addTransport(yard)).isPublished, true)
    for (const wrong of ['banana', 'true', 1, null]) {
      const body = { name: 'a', mailerDsn: 'null://null', isPublished: wrong }
      await refuseCreate(yard, body, 'isPublished')
    }
  },
  'The list and single-item responses show id, name, mailerDsn and isPublished. Whether description and testedEmailFrom are returned in responses: not shown.':
    async ({ yard }) => {
      const mailerDsn = 'smtp://u:p@mail.example.com'
      const { id, name } = await addTransport(yard, { name: uniqueName('shown'), mailerDsn })
      const all = (await yard.ask('GET', path)).body
      const listed = all.find((each: { id: number }) => each.id === id)
      for (const { id: shownId, ...shown } of [listed, await get(yard, id)]) {
        assert.equal(shownId, id)
        assert.equal(shown.name, name)
        assert.equal(shown.mailerDsn, mailerDsn)
        assert.equal(shown.isPublished, true)
      }
    },
}

/** What a transport goes through. */
export const states: Chapter = {
  'The only state-like attribute is the boolean `isPublished` on a transport (true = enabled, false = not enabled). Transitions: not shown.':
    async ({ yard }) => {
      const { id } = await addTransport(yard)
      for (const isPublished of [false, true, true, false]) {
        const edited = await yard.ask('PATCH', `${path}/${id}/edit`, { isPublished })
        assert.deepEqual([edited.status, edited.body.isPublished], [200, isPublished])
        assert.equal((await get(yard, id)).isPublished, isPublished)
      }
    },
}
