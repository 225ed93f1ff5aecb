import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { adminPassword } from '../../../test/administrator.ts'
import { addTransport } from '../../../test/callers.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { useScriptedServer } from '../../../test/scripted-server.ts'
import { until } from '../../../test/until.ts'

const logIn = Buffer.from(`\0admin\0${adminPassword}`).toString('base64')
const dialogue = [
  'EHLO client.test',
  `AUTH PLAIN ${logIn}`,
  'MAIL FROM:<a@b.test>',
  'RCPT TO:<ann@gone.test>',
  'DATA',
  'X-Mailyard-Transport: slow\r\nMessage-ID: <gone@relay.test>\r\n\r\nHello\r\n.\r\n',
].join('\r\n')

onEachDatabase('a stop', (shared) => {
  const server = useScriptedServer()
  server.delayMs = 500

  test('waits for a message whose client has disconnected, so that its outcome is known', async () => {
    const service = await shared.openAnother()
    await addTransport(service, { name: 'slow', mailerDsn: server.dsn })
    const smtpServer = await service.openSmtpServer()
    const client = connect(smtpServer.port ?? 0, '127.0.0.1')
    client.resume().write(dialogue)
    await until(() => server.asked.length > 0, 'the server is asked')
    client.resetAndDestroy()
    await until(() => smtpServer.connections === 0, 'the client has disconnected')
    await Promise.all([smtpServer.close(5_000), service.app.drain(5_000)])
    const { body } = await shared.ask('GET', '/api/deliveries?recipient=ann@gone.test')
    assert.equal(body.deliveries[0].outcome, 'accepted')
  })
})
