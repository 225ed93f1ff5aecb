import assert from 'node:assert/strict'
import { asAdmin } from '../administrator.ts'
import { addTransport, addUser, uniqueName } from '../callers.ts'
import { openMailServer } from '../mail-server.ts'
import type { Chapter } from './chapter.ts'

const path = '/api/multipleTransports'

/** Where the endpoints are. */
export const endpoints: Chapter = {
  'Note: the assignment endpoints use the singular segment `multipleTransport`; all other transport endpoints use the plural `multipleTransports`.':
    async ({ service }) => {
      const { id } = await addTransport(service)
      for (const [method, url, status] of [
        ['GET', '/api/multipleTransport/transportEmail/1', 200],
        ['GET', '/api/multipleTransports/transportEmail/1', 404],
        ['GET', '/api/multipleTransport/transportUser/1', 200],
        ['GET', '/api/multipleTransports/transportUser/1', 404],
        ['GET', '/api/multipleTransports', 200],
        ['GET', '/api/multipleTransport', 404],
        ['GET', `/api/multipleTransports/${id}`, 200],
        ['GET', `/api/multipleTransport/${id}`, 404],
        ['POST', `/api/multipleTransports/send/test/${id}`, 200],
        ['POST', `/api/multipleTransport/send/test/${id}`, 404],
      ] as const) {
        assert.equal((await service.ask(method, url)).status, status, `${method} ${url}`)
      }
    },
}

/** The endpoints of transports. */
export const transportEndpoints: Chapter = {
  '| List transports | GET | /api/multipleTransports | none | JSON array of transport objects |':
    async ({ service, baseUrl }) => {
      const { id } = await addTransport(service)
      const answer = await fetch(baseUrl + path, { headers: { authorization: asAdmin } })
      assert.equal(answer.status, 200)
      const body = (await answer.json()) as { id: number }[]
      assert.ok(Array.isArray(body))
      const { body: one } = await service.ask('GET', `${path}/${id}`)
      const listedTransport = body.find((each) => each.id === id)
      assert.deepEqual(listedTransport, one)
    },
  '| Get one transport | GET | /api/multipleTransports/{id} | path `id` (integer, required) | one transport object |':
    async ({ service }) => {
      const created = await addTransport(service)
      const answer = await service.askFor('GET', `${path}/${created.id}`)
      assert.deepEqual(answer, created, 'not wrapped, and as it was created')
      assert.equal((await service.ask('GET', `${path}/abc`)).status, 400)
    },
  '| Create transport | POST | /api/multipleTransports/new | body: name (required), mailerDsn (required), description, testedEmailFrom, isPublished | the newly created transport object, shaped like the get-one response |':
    async ({ service }) => {
      const values = {
        name: uniqueName('transport'),
        mailerDsn: 'smtp://u:p@mail.example.com:25',
        description: 'what it is for',
        testedEmailFrom: 'from@example.com',
        isPublished: false,
      }
      const answer = await service.askFor('POST', `${path}/new`, values)
      const { id, ...rest } = answer
      assert.deepEqual({ ...rest, ...values }, rest, 'each value comes back')
      assert.deepEqual((await service.ask('GET', `${path}/${id}`)).body, answer)
    },
  '| Edit transport | PATCH | /api/multipleTransports/{id}/edit | path `id` (integer, required); body with any subset of name, description, mailerDsn, testedEmailFrom, isPublished (only the fields to change) | the updated transport object |':
    async ({ service }) => {
      const { id } = await addTransport(service)
      for (const change of [
        { name: 'Renamed' },
        { description: 'new words' },
        { mailerDsn: 'smtp://new:secret@mail.example.com' },
        { testedEmailFrom: 'new@example.com' },
        { isPublished: false },
        { name: 'Twice', isPublished: true },
        {},
      ]) {
        const { body: before } = await service.ask('GET', `${path}/${id}`)
        const answer = await service.askFor('PATCH', `${path}/${id}/edit`, change)
        const { dateModified, modifiedBy } = answer
        assert.deepEqual(answer, { ...before, ...change, dateModified, modifiedBy })
        assert.deepEqual((await service.ask('GET', `${path}/${id}`)).body, answer)
      }
      assert.equal((await service.ask('PATCH', `${path}/abc/edit`, {})).status, 400)
    },
  '| Delete transport | DELETE | /api/multipleTransports/{id}/delete | path `id` (integer, required) | success status code (200 or 204), possibly with a confirmation message in the body; the transport is permanently removed |':
    async ({ service }) => {
      const { id } = await addTransport(service)
      const answer = await service.askFor('DELETE', `${path}/${id}/delete`)
      assert.equal(answer.success, true)
      assert.equal(typeof answer.message, 'string')
      for (const [method, url] of [
        ['GET', `${path}/${id}`],
        ['PATCH', `${path}/${id}/edit`],
        ['DELETE', `${path}/${id}/delete`],
        ['POST', `${path}/send/test/${id}`],
      ] as const) {
        assert.equal((await service.ask(method, url, {})).status, 404, `${method} ${url}`)
      }
      const { body: all } = await service.ask('GET', path)
      const isListed = all.some((each: { id: number }) => each.id === id)
      assert.equal(isListed, false)
      assert.equal((await service.ask('DELETE', `${path}/abc/delete`)).status, 400)
    },
  '| Test transport | POST | /api/multipleTransports/send/test/{id} | path `id` (integer, required); no body | object with `success` (boolean) and `message` (string) |':
    async ({ service }) => {
      const server = await openMailServer()
      const { id } = await addTransport(service, { mailerDsn: `smtp://127.0.0.1:${server.port}` })
      const good = await service.ask('POST', `${path}/send/test/${id}`)
      await server.close()
      assert.equal(good.status, 200)
      assert.deepEqual([good.body.success, typeof good.body.message], [true, 'string'])
      assert.equal(server.received.length, 1)
      const bad = await service.askFor('POST', `${path}/send/test/${id}`)
      assert.deepEqual([bad.success, typeof bad.message], [false, 'string'])
      assert.equal((await service.ask('POST', `${path}/send/test/abc`)).status, 400)
    },
}

/** What an edit does. */
export const editRules: Chapter = {
  // The endpoints that edit are tried with each field.
  '1. An edit sends only the fields to be changed; omitted fields stay unchanged.':
    '### Transports',
  '2. Behaviour of an edit whose id does not exist (whether it may create a new record): not shown.':
    async ({ service }) => {
      const before = (await service.ask('GET', path)).body.length
      const user = await addUser(service, { multipleTransports: ['full'] })
      const answer = await service.ask(
        'PATCH',
        `${path}/999999/edit`,
        { name: 'x' },
        { as: user.as },
      )
      assert.deepEqual([answer.status, answer.body.success], [404, false])
      assert.equal((await service.ask('GET', path)).body.length, before, 'nothing was created')
    },
}
