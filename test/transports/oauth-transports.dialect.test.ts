import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addUser } from '../callers.ts'
import { onEachDatabase } from '../on-each-database.ts'
import { createSendFixture } from '../send-fixture.ts'
import { useTokenServers } from './token-servers.ts'

const servers = useTokenServers()

const dsnOf = (query: string) =>
  `smtp+oauth://CLIENT:S3CR3T-value@localhost:${servers.smtp.port}?tokenUrl=${encodeURIComponent(servers.tokens.url)}${query}`

onEachDatabase('a transport with OAuth', { config: { smtpMode: 'queue' } }, (shared) => {
  const fixture = createSendFixture(() => shared.service)

  test('sends messages through the mailbox of their sender with one token', async () => {
    servers.tokens.requests.length = 0
    servers.smtp.received.length = 0
    const transport = await fixture.transport(dsnOf(''))
    const email = await fixture.email(transport, { fromAddress: 'shop@example.com' })
    const contacts = await fixture.contacts(10)
    const answers = await Promise.all(contacts.map(({ id }) => fixture.send(email, id)))
    for (const answer of answers) assert.deepEqual(answer, { success: true })
    assert.equal(servers.smtp.received.length, 10)
    assert.equal(servers.tokens.requests.length, 1)
  })

  test('shows neither its tokens nor its secrets in answers, logs and metrics', async () => {
    const id = await fixture.transport(dsnOf('&refreshToken=refresh-T0KEN&mailbox=a@example.com'))
    const viewer = await addUser(shared.service, { multipleTransports: ['view'] })
    const test = await shared.ask('POST', `/api/multipleTransports/send/test/${id}?transcript=1`, {
      to: 'jane@example.net',
    })
    assert.equal(test.body.success, true, test.text)
    const seen = await shared.ask('GET', `/api/multipleTransports/${id}`, undefined, {
      as: viewer.as,
    })
    assert.match(seen.body.mailerDsn, /CLIENT:\*{8}@.*refreshToken=\*{8}&mailbox=a@example\.com$/)
    const metrics = await shared.ask('GET', '/metrics')
    for (const text of [test.text, seen.text, metrics.text, ...shared.service.logged])
      assert.doesNotMatch(text, /S3CR3T|T0KEN|of-the-test/)
  })

  test('goes on with a replaced refresh token in another process', async () => {
    const query = '&refreshToken=first-of-two&mailbox=a@example.com'
    const id = await fixture.transport(dsnOf(query))
    const path = `/api/multipleTransports/send/test/${id}`
    const to = { to: 'jane@example.net' }
    servers.tokens.more = { refresh_token: 'second-of-two' }
    assert.equal((await shared.ask('POST', path, to)).body.success, true)
    servers.tokens.more = {}
    servers.tokens.requests.length = 0
    const other = await shared.openAnother()
    assert.equal((await other.ask('POST', path, to)).body.success, true)
    assert.equal(servers.tokens.requests[0]?.['refresh_token'], 'second-of-two')
    const transport = await other.ask('GET', `/api/multipleTransports/${id}`)
    assert.match(transport.body.mailerDsn, /refreshToken=first-of-two/)
  })
})
