import assert from 'node:assert/strict'
import { addTransport } from '../callers.ts'
import type { Chapter } from './chapter.ts'

/** What a refusal says. */
export const errors: Chapter = {
  '1. When an id is invalid or does not exist, or required parameters are missing, the response is an object with `success` (boolean, false) and `error` (string, human-readable message; for a missing transport the message states that the transport was not found).':
    async ({ service }) => {
      const { id } = await addTransport(service)
      const transports = '/api/multipleTransports'
      const assignments = '/api/multipleTransport'
      for (const [method, url, body, status, message] of [
        ['GET', `${transports}/999999`, undefined, 404, /transport not found/i],
        ['PATCH', `${transports}/999999/edit`, {}, 404, /transport not found/i],
        ['DELETE', `${transports}/999999/delete`, undefined, 404, /transport not found/i],
        ['POST', `${transports}/send/test/999999`, undefined, 404, /transport not found/i],
        [
          'POST',
          `${assignments}/transportEmail/1`,
          { transportId: 999_999 },
          404,
          /transport not found/i,
        ],
        [
          'POST',
          `${assignments}/transportUser/1`,
          { transportId: 999_999 },
          404,
          /transport not found/i,
        ],
        ['GET', `${transports}/99999999999999999999999`, undefined, 404, /transport not found/i],
        ['GET', `${transports}/0`, undefined, 404, /transport not found/i],
        ['GET', `${transports}/abc`, undefined, 400, /\bid\b/],
        ['GET', `${transports}/-1`, undefined, 400, /\bid\b/],
        ['GET', `${transports}/1.5`, undefined, 400, /\bid\b/],
        ['PATCH', `${transports}/abc/edit`, {}, 400, /\bid\b/],
        ['DELETE', `${transports}/abc/delete`, undefined, 400, /\bid\b/],
        ['POST', `${transports}/send/test/abc`, undefined, 400, /\bid\b/],
        ['POST', `${assignments}/transportEmail/abc`, { transportId: id }, 400, /emailId/],
        ['POST', `${assignments}/transportUser/abc`, { transportId: id }, 400, /userId/],
        ['POST', `${transports}/new`, {}, 400, /name.*mailerDsn/],
        ['POST', `${assignments}/transportEmail/1`, {}, 400, /transportId/],
        ['POST', `${assignments}/transportUser/1`, {}, 400, /transportId/],
      ] as const) {
        const answer = await service.ask(method, url, body)
        assert.equal(answer.status, status, `${method} ${url}: ${answer.text}`)
        assert.equal(answer.body.success, false)
        assert.match(answer.body.error, message, `${method} ${url}`)
      }
    },
  '2. Error status codes, and error bodies of the twig template endpoints: not shown.': async ({
    service,
  }) => {
    const path = '/api/twigTemplates'
    for (const [method, url, body, status, message] of [
      ['GET', `${path}/999999`, undefined, 404, /Twig template not found/],
      ['PATCH', `${path}/999999/edit`, {}, 404, /Twig template not found/],
      ['DELETE', `${path}/999999/delete`, undefined, 404, /Twig template not found/],
      ['GET', `${path}/abc`, undefined, 400, /\bid\b/],
      ['POST', `${path}/new`, {}, 400, /name.*template/],
    ] as const) {
      const answer = await service.ask(method, url, body)
      assert.equal(answer.status, status, `${method} ${url}: ${answer.text}`)
      assert.equal(answer.body.success, false)
      assert.match(answer.body.error, message, `${method} ${url}`)
    }
  },
}
