import assert from 'node:assert/strict'
import { addTransport } from '../callers.ts'
import { openMailServer } from '../mail-server.ts'
import type { TestApp } from '../test-app.ts'
import type { Chapter } from './chapter.ts'

const path = '/api/multipleTransports'

/** A create without one of the values, which must be refused for just that. */
async function refuseCreate(service: TestApp, body: Record<string, unknown>, field: string) {
  const answer = await service.ask('POST', `${path}/new`, body)
  assert.equal(answer.status, 400, answer.text)
  assert.equal(answer.body.success, false)
  assert.deepEqual(Object.keys(answer.body.details), [field])
}

const get = async (service: TestApp, id: number) => (await service.ask('GET', `${path}/${id}`)).body

/** The fields of a transport. */
export const transportFields: Chapter = {
  '| id | integer | no (assigned by the service) | not sent | unique identifier |': async ({
    service,
  }) => {
    const first = await addTransport(service, { id: 4711 })
    const second = await addTransport(service)
    assert.ok(Number.isInteger(first.id))
    assert.notEqual(first.id, 4711, 'an id that is sent is not taken')
    assert.notEqual(first.id, second.id)
    const edited = await service.ask('PATCH', `${path}/${first.id}/edit`, {
      id: second.id,
      name: 'x',
    })
    assert.equal(edited.body.id, first.id)
  },
  '| name | string | yes | no | name of the transport |': async ({ service }) => {
    const { id, name } = await addTransport(service, { name: 'Ärger & Söhne <b>' })
    assert.equal(name, 'Ärger & Söhne <b>')
    const edited = await service.ask('PATCH', `${path}/${id}/edit`, { description: 'only this' })
    assert.deepEqual([edited.status, edited.body.name], [200, 'Ärger & Söhne <b>'])
    await refuseCreate(service, { mailerDsn: 'null://null' }, 'name')
    for (const wrong of ['', '   ', 5, null, ['a'], { a: 1 }]) {
      await refuseCreate(service, { name: wrong, mailerDsn: 'null://null' }, 'name')
    }
  },
  '| description | string | no | no | short purpose description |': async ({ service }) => {
    const without = await addTransport(service)
    assert.equal(without.description, null)
    const { id, description } = await addTransport(service, { description: 'For newsletters' })
    assert.equal(description, 'For newsletters')
    await service.askFor('PATCH', `${path}/${id}/edit`, { description: '' })
    const wrong = { name: 'a', mailerDsn: 'null://null', description: 5 }
    await refuseCreate(service, wrong, 'description')
  },
  '| mailerDsn | string | yes | no | DSN string for the mailer, shaped `<scheme>://<user>:<password>@<host>` with optional port; it contains credentials |':
    async ({ service }) => {
      for (const mailerDsn of [
        'smtp://user:password@mail.example.com',
        'smtp://user:password@mail.example.com:2525',
        'smtps://user%40example.com:p%23ss+w%2Frd@mail.example.com:465',
      ]) {
        const { id } = await addTransport(service, { mailerDsn })
        assert.equal((await get(service, id)).mailerDsn, mailerDsn)
        const edited = await service.ask('PATCH', `${path}/${id}/edit`, { name: 'other' })
        assert.equal(edited.body.mailerDsn, mailerDsn, 'an edit need not send it')
      }
      await refuseCreate(service, { name: 'a' }, 'mailerDsn')
      for (const mailerDsn of ['', 'mail.example.com', 'smtp//x', 5, null]) {
        await refuseCreate(service, { name: 'a', mailerDsn }, 'mailerDsn')
      }
      const log = service.logged.join('\n')
      assert.equal(log.includes('p%23ss'), false, 'no credentials in the log')
    },
  '| testedEmailFrom | string | no | no | email address used for testing |': async ({
    service,
  }) => {
    const server = await openMailServer()
    const { id, testedEmailFrom } = await addTransport(service, {
      mailerDsn: `smtp://127.0.0.1:${server.port}`,
      testedEmailFrom: 'sender@example.com',
    })
    assert.equal(testedEmailFrom, 'sender@example.com')
    assert.equal((await get(service, id)).testedEmailFrom, 'sender@example.com')
    await service.ask('POST', `${path}/send/test/${id}`)
    await server.close()
    assert.equal(server.received[0]?.from, 'sender@example.com')
    assert.equal((await addTransport(service)).testedEmailFrom, null)
    const wrong = { name: 'a', mailerDsn: 'null://null', testedEmailFrom: 'no-domain' }
    await refuseCreate(service, wrong, 'testedEmailFrom')
  },
  '| isPublished | boolean | no | no | whether the transport is enabled |': async ({ service }) => {
    const { id, isPublished } = await addTransport(service, { isPublished: false })
    assert.equal(isPublished, false)
    assert.equal((await get(service, id)).isPublished, false)
    assert.equal((await addTransport(service)).isPublished, true)
    for (const wrong of ['banana', '', 1, null]) {
      const body = { name: 'a', mailerDsn: 'null://null', isPublished: wrong }
      await refuseCreate(service, body, 'isPublished')
    }
  },
  'The list and single-item responses show id, name, mailerDsn and isPublished. Whether description and testedEmailFrom are returned in responses: not shown.':
    '### Transports',
}

/** What a transport goes through. */
export const states: Chapter = {
  'The only state-like attribute is the boolean `isPublished` on a transport (true = enabled, false = not enabled). Transitions: not shown.':
    '### Transports',
}
