import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { addEmail, addTemplate } from '../../../test/callers.ts'
import { openTestApp, type TestApp } from '../../../test/test-app.ts'

describe('expensive requests', () => {
  let service: TestApp
  before(async () => {
    service = await openTestApp({ isStarted: false })
    await addTemplate(service, { template: '{{ contact.firstname|upper }}'.repeat(2_000) })
    await addEmail(service, { customHtml: '<p>{contactfield=firstname}</p>'.repeat(5_000) })
    await service.ask('POST', '/api/contacts/new', { email: 'ann@example.com' })
    const raw = Buffer.from(`Subject: large\r\n\r\n${'x'.repeat(300_000)}`)
    await service.app.inbox.inbox.capture(
      { envelope: { from: 'a@b.test', to: ['c@d.test'] }, raw },
      undefined,
    )
  })
  after(() => service.close())

  const assignments = Array.from({ length: 100 }, () => ({ emailId: 1, transportId: null }))
  const users = Array.from({ length: 100 }, () => ({ userId: 1, transportId: null }))
  for (const [method, path, body] of [
    ['DELETE', '/api/twigTemplates/1/delete?dryRun=1', undefined],
    ['POST', '/api/twigTemplates/1/versions/1/restore', {}],
    ['GET', '/api/emails/2/preview?contactId=1', undefined],
    ['POST', '/api/twigTemplates/render', { template: 'x' }],
    ['GET', '/api/inbox/1/source', undefined],
    ['POST', '/api/multipleTransport/transportEmail/batch', assignments],
    ['POST', '/api/multipleTransport/transportUser/batch', users],
  ] as const)
    test(`of a caller have a limit: ${method} ${path}`, async () => {
      const requests = Array.from({ length: 60 }, () => service.ask(method, path, body))
      const answers = await Promise.all(requests)
      const refused = answers.filter(({ status }) => status === 429)
      assert.ok(refused.length > 0, `${answers[0]?.status} ${answers[0]?.text.slice(0, 200)}`)
      assert.equal(refused[0]?.headers['retry-after'], '1')
      const others = new Set(answers.map(({ status }) => status).filter((each) => each !== 429))
      assert.deepEqual([...others], [200])
    })
})
