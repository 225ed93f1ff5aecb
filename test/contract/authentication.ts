import assert from 'node:assert/strict'
import { adminPassword, basicHeader } from '../administrator.ts'
import { addClientCaller, addTransport, addUser } from '../callers.ts'
import type { TestApp, TestCaller } from '../test-app.ts'
import type { Chapter } from './chapter.ts'

const statusOf = async (service: TestApp, url: string, as: TestCaller) =>
  (await service.ask('GET', url, undefined, { as })).status

/** One request to each endpoint of an area, which changes no data. */
const requests = {
  multipleTransports: [
    ['GET', '/api/multipleTransports'],
    ['GET', '/api/multipleTransports/999999'],
    ['POST', '/api/multipleTransports/new'],
    ['PATCH', '/api/multipleTransports/999999/edit'],
    ['DELETE', '/api/multipleTransports/999999/delete'],
    ['POST', '/api/multipleTransports/send/test/999999'],
    ['POST', '/api/multipleTransport/transportEmail/999999'],
    ['POST', '/api/multipleTransport/transportUser/999999'],
  ],
  twigtemplates: [
    ['GET', '/api/twigTemplates'],
    ['GET', '/api/twigTemplates/999999'],
    ['POST', '/api/twigTemplates/new'],
    ['PATCH', '/api/twigTemplates/999999/edit'],
    ['DELETE', '/api/twigTemplates/999999/delete'],
  ],
} as const

/** The section on authentication and permissions. */
export const authentication: Chapter = {
  '1. Every request must be authenticated by one of:': async ({ service, baseUrl }) => {
    for (const [method, url] of [...requests.multipleTransports, ...requests.twigtemplates]) {
      const answer = await fetch(baseUrl + url, { method })
      assert.equal(answer.status, 401, `${method} ${url}`)
      assert.notEqual(answer.headers.get('www-authenticate'), null)
      const body = (await answer.json()) as Record<string, unknown>
      assert.deepEqual([body['success'], typeof body['error']], [false, 'string'])
    }
    for (const as of [['admin', 'wrong'], ['unknown', adminPassword], { token: 'wrong' }] as const)
      assert.equal(await statusOf(service, '/api/multipleTransports', as), 401)
  },
  '   - OAuth 2.0 bearer token: header `Authorization: Bearer <ACCESS_TOKEN>`;': async ({
    service,
    baseUrl,
  }) => {
    const client = await addClientCaller(service, { multipleTransports: ['view'] })
    assert.equal(await statusOf(service, '/api/multipleTransports', client.as), 200)
    const { token } = client.as as { token: string }
    const headers = { authorization: `Bearer ${token}` }
    assert.equal((await fetch(`${baseUrl}/api/multipleTransports`, { headers })).status, 200)
  },
  "   - HTTP Basic authentication with the user name and password of a user (only when enabled in the instance's API settings).":
    async ({ service, baseUrl, openAnother }) => {
      const user = await addUser(service, { multipleTransports: ['view'] })
      const headers = { authorization: basicHeader(user.username, user.password) }
      assert.equal((await fetch(`${baseUrl}/api/multipleTransports`, { headers })).status, 200)
      const without = await openAnother({ config: { isBasicAuthEnabled: false } })
      assert.equal(await statusOf(without, '/api/multipleTransports', user.as), 403)
      const client = await addClientCaller(service, { multipleTransports: ['view'] })
      assert.equal(await statusOf(without, '/api/multipleTransports', client.as), 200)
    },
  '2. API access must be enabled in the instance configuration.': async ({
    service,
    openAnother,
  }) => {
    const off = await openAnother({ config: { isApiEnabled: false } })
    const client = await addClientCaller(service, 'administrator')
    for (const [method, url] of [...requests.multipleTransports, ...requests.twigtemplates]) {
      for (const as of [client.as, ['admin', adminPassword] as const, 'anonymous' as const]) {
        const answer = await off.ask(method, url, undefined, { as })
        assert.deepEqual([answer.status, answer.body.success], [403, false], `${method} ${url}`)
      }
    }
    assert.equal(await statusOf(off, '/%61pi/multipleTransports', client.as), 403)
  },
  '3. The caller needs permission for the `multipleTransports` area to use the transport endpoints, and for the `twigtemplates` area to use the twig template endpoints.':
    async ({ service }) => {
      const without = await addUser(service, { contact: ['full'] })
      const transports = await addUser(service, {
        multipleTransports: ['full'],
        email: ['view'],
        user: ['view'],
      })
      const templates = await addUser(service, { twigtemplates: ['full'] })
      for (const [area, mayDo, mayNot] of [
        ['multipleTransports', transports, templates],
        ['twigtemplates', templates, transports],
      ] as const) {
        for (const [method, url] of requests[area]) {
          for (const { as } of [mayNot, without]) {
            const answer = await service.ask(method, url, undefined, { as })
            assert.deepEqual([answer.status, answer.body.success], [403, false], `${method} ${url}`)
          }
          const { status } = await service.ask(method, url, undefined, { as: mayDo.as })
          assert.ok([200, 400, 404].includes(status), `${method} ${url}: ${status}`)
        }
      }
      const { id } = await addTransport(service)
      assert.equal(await statusOf(service, `/api/multipleTransports/${id}`, transports.as), 200)
      assert.equal(await statusOf(service, `/api/multipleTransports/${id}`, templates.as), 403)
    },
  '4. Token issuing endpoints and flows: not shown.': '## Authentication',
}
