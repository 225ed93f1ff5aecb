import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { useScriptedServer } from '../../test/scripted-server.ts'
import { quickIntervals } from '../../test/send-fixture.ts'
import { type Dialogue, openDialogue } from '../../test/smtp-dialogue.ts'

const password = 'correct horse battery staple'

onEachDatabase(
  'the SMTP mode',
  (shared) => {
    const server = useScriptedServer()
    const clients: Dialogue[] = []
    let port = 0
    before(async () => {
      port = (await shared.service.openSmtpServer()).port ?? 0
      const transport = { name: 'T', mailerDsn: server.dsn }
      await shared.service.ask('POST', '/api/multipleTransports/new', transport)
      server.act = () => ({ code: 451, text: '4.3.0 later' })
    })
    after(() => {
      for (const client of clients) client.destroy()
    })
    const addUser = async (username: string, smtpMode: string | null) => {
      const { status, body } = await shared.service.ask('POST', '/api/users/new', {
        ...{ username, email: `${username}@example.com`, role: 1, smtpMode },
        plainPassword: { password, confirm: password },
      })
      assert.equal(status, 201, JSON.stringify(body))
      return body.user
    }
    let count = 0
    const submit = async (login: string, secret = password) => {
      const client = await openDialogue(port)
      clients.push(client)
      await client.say('EHLO client.test')
      assert.match(await client.logIn(login, secret), /^235 /)
      count += 1
      const head = `From: a@b.test\r\nX-Mailyard-Transport: T\r\nMessage-ID: <${count}@mode.test>`
      return client.hand({ to: ['ann@example.com'], raw: `${head}\r\n\r\nHello` })
    }

    test('of a user is used instead of the setting', async () => {
      assert.equal((await addUser('queued', 'queue')).smtpMode, 'queue')
      assert.equal((await addUser('direct', 'direct')).smtpMode, 'direct')
      assert.match(await submit('queued'), /^250 2\.0\.0 Stored as message/)
      assert.match(await submit('direct'), /^451 /)
    })

    test('of a user without one is the setting, also after a change back', async () => {
      const { id, smtpMode } = await addUser('plain', null)
      assert.equal(smtpMode, null)
      assert.match(await submit('plain'), /^451 /)
      const edit = (mode: string | null) =>
        shared.service.ask('PATCH', `/api/users/${id}/edit`, { smtpMode: mode })
      assert.equal((await edit('queue')).body.user.smtpMode, 'queue')
      assert.match(await submit('plain'), /^250 /)
      assert.equal((await edit(null)).body.user.smtpMode, null)
      assert.match(await submit('plain'), /^451 /)
      const wrong = await edit('fast')
      assert.equal(wrong.status, 400)
      assert.match(JSON.stringify(wrong.body.details), /smtpMode/)
    })

    test('of an OAuth client is used for its log-in', async () => {
      const input = { name: 'App', grantTypes: ['client_credentials'], role: 1, smtpMode: 'queue' }
      const { body } = await shared.service.ask('POST', '/api/oauthClients/new', input)
      const { clientId, clientSecret, smtpMode } = body.oauthClient
      assert.equal(smtpMode, 'queue')
      assert.match(await submit(clientId, clientSecret), /^250 2\.0\.0 Stored as message/)
    })
  },
  { intervals: quickIntervals },
)
