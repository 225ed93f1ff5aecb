import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { adminPassword } from '../test/administrator.ts'
import { uniqueName } from '../test/callers.ts'
import { useMailCatcher } from '../test/mail-catcher.ts'
import { submit } from '../test/relay/submit.ts'
import { createSendFixture } from '../test/send-fixture.ts'
import { openTestApp } from '../test/test-app.ts'
import { allModules } from './app.ts'

/** What the API has of each module. */
const routes: Record<keyof typeof allModules, readonly string[]> = {
  webhooks: ['/api/webhooks'],
  inbox: ['/api/inbox'],
  senders: ['/api/senders', '/api/dkimKeys'],
  events: ['/api/multipleTransports/1/webhooks'],
  preview: ['/api/multipleTransport/resolve?emailId=1'],
  health: ['/api/health/findings', '/metrics'],
}
const ofCore = [
  '/api/multipleTransports?with=usage',
  '/api/deliveries',
  '/api/queue',
  '/api/emails',
]

describe('a Mailyard without one of its modules', () => {
  const catcher = useMailCatcher()

  for (const name of Object.keys(allModules) as (keyof typeof allModules)[])
    test(`sends, and does everything else, without ${name}`, async (context) => {
      const { [name]: _, ...modules } = allModules
      const service = await openTestApp({
        modules,
        config: { mailerDsn: catcher.dsn, bounceAddress: 'bounce@mail.example' },
      })
      context.after(() => service.close())
      const fixture = createSendFixture(() => service)
      const transport = await fixture.transport(catcher.dsn)
      const email = await fixture.email(transport)
      const [contact] = await fixture.sendTo(email, [`${uniqueName('left')}@example.com`])
      const { port = 0 } = await service.openSmtpServer()
      const to = `${uniqueName('left')}@example.net`
      const raw = Buffer.from(
        `From: shop@example.com\r\nTo: ${to}\r\nSubject: Hello\r\n\r\nHello\r\n`,
      )
      const mail = { from: 'shop@example.com', to: [to], raw }
      const reply = await submit(mail, { port, username: 'admin', password: adminPassword })
      assert.equal(reply?.code, 250)
      await service.app.idle()
      const received = catcher.mails.flatMap((mail) => mail.to)
      for (const address of [contact?.email ?? '', to])
        assert.ok(received.includes(address), address)
      for (const path of ofCore) await service.askFor('GET', path)
      for (const [other, paths] of Object.entries(routes))
        for (const path of paths) {
          const { status } = await service.ask('GET', path)
          assert.equal(status, other === name ? 404 : 200, path)
        }
      const unsaved = { mailerDsn: 'inbox://local', to }
      const tested = await service.askFor('POST', '/api/multipleTransports/send/test', unsaved)
      assert.equal(tested.success, name !== 'inbox', tested.message)
      await service.askFor('DELETE', `/api/multipleTransports/${transport}/delete`)
    })
})
