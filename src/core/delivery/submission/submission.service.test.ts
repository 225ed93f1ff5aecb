import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addClient, addTransport } from '../../../../test/callers.ts'
import { useMailCatcher } from '../../../../test/mail-catcher.ts'
import { onMailyard } from '../../../../test/on-each-database.ts'
import { dialAs } from '../../../../test/smtp-dialogue.ts'

onMailyard('the keys of a message', (shared) => {
  const catcher = useMailCatcher()

  test('survive a new name of the OAuth client that submits it', async () => {
    const { service } = shared
    await addTransport(service, { name: 'T', mailerDsn: catcher.dsn })
    const values = { name: 'Shop', role: 1, grantTypes: ['client_credentials'] }
    const { id, clientId, clientSecret } = await addClient(service, values)
    const { port = 0 } = await service.openSmtpServer()
    const client = await dialAs(port, clientId, clientSecret)
    const headers = 'X-Mailyard-Transport: T\r\nX-EMAIL-ID: 5\r\nPrecedence: Bulk\r\n'
    const hand = (messageId: string) =>
      client.hand({ to: ['a@b.test'], raw: `${headers}Message-ID: <${messageId}>\r\n\r\nHello` })
    assert.match(await hand('one@shop.test'), /^250 2\.0\.0 Accepted/)
    await service.askFor('PATCH', `/api/oauthClients/${id}/edit`, { name: 'Shop 2' })
    assert.match(await hand('one@shop.test'), /^250 2\.0\.0 Already delivered/)
    assert.match(await hand('two@shop.test'), /^250 2\.0\.0 Already delivered/)
    assert.equal(catcher.mails.length, 1)
    client.destroy()
  })
})
