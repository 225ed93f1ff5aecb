import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { addTransport, addUser } from '../../../test/callers.ts'
import { onMailyard } from '../../../test/on-each-database.ts'
import { useScriptedServer } from '../../../test/scripted-server.ts'
import { dialAs } from '../../../test/smtp-dialogue.ts'

onMailyard('the SMTP mode', { isOwn: true }, (shared) => {
  const server = useScriptedServer()
  let port = 0
  before(async () => {
    port = (await shared.service.openSmtpServer()).port ?? 0
    await addTransport(shared.service, { name: 'T', mailerDsn: server.dsn })
    server.act = () => ({ code: 451, text: '4.3.0 later' })
  })
  let count = 0
  const submit = async (login: string, secret: string) => {
    const client = await dialAs(port, login, secret)
    count += 1
    const head = `From: a@b.test\r\nX-Mailyard-Transport: T\r\nMessage-ID: <${count}@mode.test>`
    const reply = await client.hand({ to: ['ann@example.com'], raw: `${head}\r\n\r\nHello` })
    client.destroy()
    return reply
  }

  test('of a user is used instead of the setting, until it is removed', async () => {
    const { id, username, password } = await addUser(shared.service, 'administrator')
    const edit = (smtpMode: string | null) =>
      shared.ask('PATCH', `/api/users/${id}/edit`, { smtpMode })
    for (const [mode, reply] of [
      ['queue', /^250 2\.0\.0 Stored as message/],
      ['direct', /^451 /],
      [null, /^451 /],
    ] as const) {
      assert.equal((await edit(mode)).body.user.smtpMode, mode)
      assert.match(await submit(username, password), reply)
    }
    const wrong = await edit('fast')
    assert.deepEqual([wrong.status, Object.keys(wrong.body.details)], [400, ['smtpMode']])
  })

  test('of an OAuth client is used for its log-in', async () => {
    const input = { name: 'App', grantTypes: ['client_credentials'], role: 1, smtpMode: 'queue' }
    const { body } = await shared.ask('POST', '/api/oauthClients/new', input)
    const { clientId, clientSecret, smtpMode } = body.oauthClient
    assert.equal(smtpMode, 'queue')
    assert.match(await submit(clientId, clientSecret), /^250 2\.0\.0 Stored as message/)
  })
})
