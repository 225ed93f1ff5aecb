import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addClientCaller, addTransport, addUser, uniqueName } from '../callers.ts'
import { type MailServer, openMailServer } from '../mail-server.ts'
import { addBrand } from '../mautics.ts'
import { onMailyard } from '../on-each-database.ts'

const sendPath = (id: number) => `/api/multipleTransports/send/test/${id}`
const urlOf = ({ port }: MailServer, user = '') => `smtp://${user}127.0.0.1:${port}`

/** Runs a test beside a mail server. */
async function withServer(
  options: Parameters<typeof openMailServer>[0],
  work: (server: MailServer) => Promise<void>,
): Promise<void> {
  const server = await openMailServer(options)
  try {
    await work(server)
  } finally {
    await server.close()
  }
}

onMailyard('the test message', { config: { mailerFrom: 'configured@example.com' } }, (shared) => {
  const { ask, askFor } = shared
  const add = (values: Record<string, unknown>) => addTransport(shared.service, values)

  test('goes to the calling user, from testedEmailFrom', () =>
    withServer({}, async (server) => {
      const user = await addUser(shared.service, { multipleTransports: ['edit'] })
      const { id } = await add({ mailerDsn: urlOf(server), testedEmailFrom: 'from@example.com' })
      const { status, body } = await ask('POST', sendPath(id), undefined, { as: user.as })
      assert.deepEqual([status, body.success], [200, true])
      const [mail] = server.received
      assert.deepEqual([mail?.from, mail?.to], ['from@example.com', [user.email]])
      assert.match(mail?.raw ?? '', /^From: from@example\.com\r$/m)
      assert.ok(mail?.raw.includes(`To: ${user.email}`))
    }))

  test('comes from the configured sender where the transport has none', () =>
    withServer({}, async (server) => {
      const { id } = await add({ mailerDsn: urlOf(server) })
      await ask('POST', sendPath(id))
      assert.equal(server.received[0]?.from, 'configured@example.com')
    }))

  test('goes to the address in the body', () =>
    withServer({}, async (server) => {
      const { id } = await add({ mailerDsn: urlOf(server) })
      await askFor('POST', sendPath(id), { to: 'other@example.com' })
      assert.deepEqual(server.received[0]?.to, ['other@example.com'])
      for (const to of ['no-domain', 'a@example.com\r\nBcc: b@example.com', 5, '', ['a@b.c']]) {
        const refused = await ask('POST', sendPath(id), { to })
        assert.deepEqual([refused.status, Object.keys(refused.body.details)], [400, ['to']])
      }
      assert.equal(server.received.length, 1)
    }))

  test('of a client that acts for itself goes to testedEmailFrom, and is refused without one', () =>
    withServer({}, async (server) => {
      const { as } = await addClientCaller(shared.service, { multipleTransports: ['edit'] })
      const { id } = await add({ mailerDsn: urlOf(server), testedEmailFrom: 'me@example.com' })
      const { body } = await ask('POST', sendPath(id), undefined, { as })
      assert.equal(body.success, true)
      assert.deepEqual(server.received[0]?.to, ['me@example.com'])
      const other = await add({ mailerDsn: urlOf(server) })
      const refused = await ask('POST', sendPath(other.id), undefined, { as })
      assert.equal(refused.status, 400)
      assert.match(refused.body.error, /testedEmailFrom/)
      const named = await ask('POST', sendPath(other.id), { to: 'a@example.com' }, { as })
      assert.equal(named.body.success, true)
    }))

  test('is sent through a transport that is not published', () =>
    withServer({}, async (server) => {
      const { id } = await add({ mailerDsn: urlOf(server), isPublished: false })
      assert.equal((await ask('POST', sendPath(id))).body.success, true)
      assert.equal(server.received.length, 1)
    }))

  test('leaves from the source_ip of the DSN where the operator lists it, and not else', () =>
    withServer({}, async (server) => {
      const config = { sourceAddresses: ['127.0.0.2'] }
      const service = await shared.openAnother({ config })
      const mailerDsn = `${urlOf(server)}?source_ip=127.0.0.2`
      const { id } = await addTransport(service, { mailerDsn })
      const { body } = await service.ask('POST', sendPath(id))
      assert.equal(body.success, true, body.message)
      const senderAddresses = server.received.map(({ remoteAddress }) => remoteAddress)
      assert.deepEqual(senderAddresses, ['127.0.0.2'])
      const unlisted = await ask('POST', sendPath(id))
      assert.equal(unlisted.body.success, false)
      assert.match(unlisted.body.message, /source_ip .* operator has listed/)
    }))

  test('is never sent through a fallback', () =>
    withServer({}, async (fallback) => {
      const gone = await openMailServer()
      await gone.close()
      const service = await shared.openAnother({ config: { mailerDsn: urlOf(fallback) } })
      const { id } = await add({ mailerDsn: urlOf(gone) })
      const { status, body } = await service.ask('POST', sendPath(id))
      assert.deepEqual([status, body.success], [200, false])
      assert.equal(fallback.received.length, 0)
    }))

  test('logs in as the DSN says', () =>
    withServer(
      { login: { username: 'ann@example.com', password: 'p@ss/w+rd' } },
      async (server) => {
        const user = 'ann%40example.com:p%40ss%2Fw%2Brd@'
        const { id } = await add({ mailerDsn: urlOf(server, user) })
        const { body } = await ask('POST', sendPath(id))
        assert.equal(body.success, true, body.message)
        assert.equal(server.received[0]?.username, 'ann@example.com')
      },
    ))

  test('through unsaved values is of the brand of its sender, whose people find it', async () => {
    const domains = [`${uniqueName('shop')}.test`]
    const brands = [await addBrand(shared.service, { domains }), await addBrand(shared.service)]
    const { as } = await addUser(shared.service, 1, brands)
    const values = { mailerDsn: 'inbox://local', testedEmailFrom: `news@${domains[0]}` }
    const sent = await ask('POST', '/api/multipleTransports/send/test', values, { as })
    assert.equal(sent.body.success, true, sent.text)
    const own = { as: (await addUser(shared.service, 1, brands.slice(0, 1))).as }
    assert.equal((await ask('GET', '/api/inbox', undefined, own)).body.total, 1)
  })

  test('?transcript that says neither yes nor no is refused, and nothing is sent', async () => {
    await withServer({}, async (server) => {
      const mailerDsn = urlOf(server)
      const { id } = await add({ mailerDsn })
      for (const [path, body] of [
        [sendPath(id), {}],
        ['/api/multipleTransports/send/test', { mailerDsn }],
      ] as const) {
        const answer = await ask('POST', `${path}?transcript=banana`, body)
        assert.deepEqual([answer.status, Object.keys(answer.body.details)], [400, ['transcript']])
      }
      assert.equal(server.received.length, 0)
    })
  })

  test('a failure is 200 with success false; the message names what failed and what to do, and holds no secret', async () => {
    const login = { username: 'ann', password: 'right' }
    await withServer({ login }, async (server) => {
      const gone = await openMailServer()
      await gone.close()
      for (const [mailerDsn, stage, what, advice] of [
        [urlOf(gone, 'ann:hunter2@'), 'connect', /connection refused/i, /check the port/i],
        [urlOf(server, 'ann:hunter2@'), 'auth', /not accepted/i, /check both/i],
        ['smtp://ann:hunter2@nowhere.invalid', 'resolve', /not found/i, /check the host/i],
        [urlOf(server, 'ann:hunter2@').replace('smtp:', 'smtps:'), 'tls', /TLS/, /smtp:\/\//],
      ] as const) {
        const { id } = await add({ mailerDsn })
        const { status, body, text } = await ask('POST', `${sendPath(id)}?transcript=1`)
        assert.deepEqual([status, body.success], [200, false], mailerDsn)
        assert.match(body.message, what)
        assert.match(body.message, advice)
        const failed = body.stages.filter((each: { outcome: string }) => each.outcome === 'failed')
        const failedStages = failed.map((each: { stage: string }) => each.stage)
        assert.deepEqual(failedStages, [stage])
        assert.equal(text.includes('hunter2'), false)
        const coded = Buffer.from('\0ann\0hunter2').toString('base64')
        assert.equal(text.includes(coded), false)
      }
      assert.equal(shared.service.logged.join('\n').includes('hunter2'), false)
    })
  })

  test('the reply of a server that refuses the message is in the answer', () =>
    withServer({ refusal: { code: 550, message: 'no relaying here' } }, async (server) => {
      const { id } = await add({ mailerDsn: urlOf(server) })
      const { status, body } = await ask('POST', sendPath(id))
      assert.deepEqual([status, body.success], [200, false])
      assert.match(body.message, /550.*no relaying here/)
    }))
})
