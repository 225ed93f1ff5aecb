import assert from 'node:assert/strict'
import { asAdmin } from '../administrator.ts'
import { uniqueName } from '../callers.ts'
import type { TestApp } from '../test-app.ts'
import type { Chapter } from './chapter.ts'

/** Every member that a list of the API has. */
function list(service: TestApp, path: string) {
  return service.askFor('GET', path)
}

/** What the contract says of the service as a whole. */
export const whatItDoes: Record<string, Chapter> = {
  '# Mail Transport and Twig Template Management API': {
    'This document covers the whole interface: the management of custom mail transports, their assignment to emails and users, the sending of a test message, and the management of Twig templates. All paths below are relative to `{base_url}`. Bodies are JSON (`Content-Type: application/json` on requests with a body).':
      async ({ baseUrl }) => {
        const answer = await fetch(`${baseUrl}/api/multipleTransports/new`, {
          method: 'POST',
          headers: { authorization: asAdmin, 'content-type': 'application/json' },
          body: JSON.stringify({ name: 'Newsletter', mailerDsn: 'smtp://u:p@mail.example.com' }),
        })
        assert.equal(answer.status, 201)
        assert.match(answer.headers.get('content-type') ?? '', /^application\/json\b/)
        const { id, name } = (await answer.json()) as { id: number; name: string }
        assert.equal(name, 'Newsletter')
        for (const [method, path] of [
          ['GET', `/api/multipleTransports/${id}`],
          ['GET', '/api/multipleTransport/transportEmail/1'],
          ['GET', '/api/multipleTransport/transportUser/1'],
          ['GET', '/api/twigTemplates'],
          ['DELETE', `/api/multipleTransports/${id}/delete`],
        ] as const) {
          const other = await fetch(baseUrl + path, { method, headers: { authorization: asAdmin } })
          assert.equal(other.status, 200, path)
          assert.match(other.headers.get('content-type') ?? '', /^application\/json\b/, path)
          await other.json()
        }
      },
  },
  '## What the service does': {
    'The service is an extension of a marketing-automation HTTP API. It lets a client, programmatically and in bulk:':
      async ({ service }) => {
        const names = [1, 2, 3].map(() => uniqueName('bulk'))
        const transports = names.map((name) => ({ name, mailerDsn: 'null://null' }))
        const made = await service.ask('POST', '/api/multipleTransports/batch/new', transports)
        assert.deepEqual(made.body.statusCodes, [201, 201, 201])
        const templates = names.map((name) => ({ name, template: '{{ 1 }}' }))
        const written = await service.ask('POST', '/api/twigTemplates/batch/new', templates)
        assert.deepEqual(written.body.statusCodes, [201, 201, 201])
      },
    '- create, read, list, update and delete mail transports (each holds a mailer DSN string used to send email);':
      '### Transports',
    '- assign a transport to an email or to a user;': '### Assignments',
    '- send a test email through a given transport;': '### Transports',
    '- create, read, list, update and delete Twig templates (named snippets of template code).':
      '### Twig templates',
  },
}

/** What the contract leaves open: the behaviour that clients can rely on. */
export const openEnds: Record<string, Chapter> = {
  '## Events': {
    'Events: not shown.': async ({ service }) => {
      // Mailyard notifies others by its webhooks, and those of a Mautic and of a transport notify Mailyard.
      const { paths } = await list(service, '/api/openapi.json')
      const suspicious = Object.keys(paths).filter((path) => /hook|events?$|subscri/i.test(path))
      assert.deepEqual(suspicious.sort(), [
        '/api/mautics/{id}/webhook',
        '/api/mautics/{id}/webhook/delete',
        '/api/multipleTransports/{id}/webhook',
        '/api/multipleTransports/{id}/webhooks',
        '/api/webhooks',
        '/api/webhooks/batch/delete',
        '/api/webhooks/batch/edit',
        '/api/webhooks/batch/new',
        '/api/webhooks/new',
        '/api/webhooks/{id}',
        '/api/webhooks/{id}/delete',
        '/api/webhooks/{id}/edit',
        '/api/webhooks/{id}/messages',
        '/api/webhooks/{id}/messages/{messageId}/delete',
        '/api/webhooks/{id}/messages/{messageId}/retry',
        '/api/webhooks/{id}/rotateSecret',
        '/api/webhooks/{id}/test',
      ])
    },
  },
  '## Limits': {
    'Limits (rate limits, sizes, page sizes): not shown.': async ({ service }) => {
      const many = Array.from({ length: 200 }, () => service.ask('GET', '/api/multipleTransports'))
      const statuses = new Set((await Promise.all(many)).map(({ status }) => status))
      assert.deepEqual([...statuses], [200], 'callers with the right password are not throttled')
      const rows = Array.from({ length: 40 }, (_, index) => ({
        name: `Limit ${index}`,
        mailerDsn: 'null://null',
      }))
      const made = await service.ask('POST', '/api/multipleTransports/batch/new', rows)
      const before = made.body.multipleTransports[0].id
      const all = await list(service, '/api/multipleTransports')
      const found = all.filter((each: { id: number }) => each.id >= before)
      assert.equal(found.length, 40, 'a list without a limit is complete')
    },
  },
  '## Versioning': {
    'Versioning: not shown.': async ({ service }) => {
      assert.equal((await service.ask('GET', '/api/v1/multipleTransports')).status, 404)
      assert.equal((await service.ask('GET', '/api/multipleTransports')).status, 200)
    },
  },
}
