import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { addTransport, addUser } from '../../../test/callers.ts'
import { useMailCatcher } from '../../../test/mail-catcher.ts'
import { dialAs } from '../../../test/smtp-dialogue.ts'
import { openTestApp, type TestApp } from '../../../test/test-app.ts'
import { until } from '../../../test/until.ts'
import type { SmtpServer } from './smtp/smtp-server.ts'

const largest = 1_048_576
const catcher = useMailCatcher()
let service: TestApp
let server: SmtpServer
let port = 0
before(async () => {
  const config = { smtpMessageSizeMegabytesMax: 1, memoryMegabytesMax: 20 }
  service = await openTestApp({ config })
  server = await service.openSmtpServer()
  port = server.port ?? 0
  await addTransport(service, { name: 'T', mailerDsn: catcher.dsn })
})
after(() => service.close())

const raw = `X-Mailyard-Transport: T\r\nSubject: s\r\n\r\n${`${'x'.repeat(998)}\r\n`.repeat(1_048)}`

test('ten unfinished messages of the largest size leave memory for those of another login', async () => {
  assert.ok(raw.length > largest * 0.99 && raw.length < largest)
  const unfinished = []
  for (let count = 0; count < 10; count += 1) {
    const client = await dialAs(port)
    await client.say('MAIL FROM:<a@b.test>')
    await client.say('RCPT TO:<c@d.test>')
    await client.say('DATA')
    client.send(raw)
    unfinished.push(client)
  }
  await setTimeout(200)
  const { username, password } = await addUser(service, { email: ['send'] })
  const other = await dialAs(port, username, password)
  for (const to of ['one@d.test', 'two@d.test'])
    assert.match(await other.hand({ to: [to], raw }), /^250 /)
  // Sending needs copies, and the share of this login is used up.
  const [first, ...rest] = unfinished
  first?.send('.\r\n')
  assert.match((await first?.read()) ?? '', /^452 4\.3\.1 /)
  for (const client of rest) client.destroy()
  await until(() => server.connections === 2, 'the other connections are closed')
  assert.match((await first?.hand({ to: ['c@d.test'], raw })) ?? '', /^250 /)
  assert.equal(catcher.mails.length, 3)
  first?.end()
  other.end()
})
