import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { type MauticDouble, startMauticDouble } from '../../../test/mautic-double/mautic-double.ts'
import { clockAt } from '../../../test/movable-clock.ts'
import { OutboundClient, type OutboundRules } from '../../libraries/mailer/index.ts'
import { MauticClient, type MauticLogin } from './mautic-client.ts'
import type { MauticErrorCode } from './mautic-error.ts'
import { asCount, asList, asTime } from './read-answer.ts'

describe('the client of Mautic', () => {
  let mautic: MauticDouble
  const closing: (() => Promise<unknown>)[] = []
  before(async () => {
    mautic = await startMauticDouble()
  })
  beforeEach(() => {
    mautic.behaviour.fault = () => undefined
    mautic.requests.length = 0
  })
  afterEach(async () => {
    for (const close of closing.splice(0)) await close()
  })
  after(() => mautic.close())

  let now = 1
  const clock = clockAt(() => now)
  const open = (login: Partial<MauticLogin> = {}, policy: OutboundRules = { mode: 'open' }) => {
    const { clientId, clientSecret: secret } = mautic.client
    const http = new OutboundClient(policy, { connectionsMax: 4 })
    closing.push(() => http.close())
    const full = { url: mautic.url, clientId, username: null, secret, ...login }
    return new MauticClient({ login: full, http, clock })
  }
  const listen = async (answer: RequestListener) => {
    const server = createServer(answer).listen(0, '127.0.0.1')
    await once(server, 'listening')
    closing.push(async () => {
      server.closeAllConnections()
      server.close()
    })
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const basic = () => ({
    clientId: null,
    username: mautic.administrator.username,
    secret: mautic.administrator.password,
  })
  const failing = (work: Promise<unknown>, code: MauticErrorCode) =>
    assert.rejects(work, { name: 'MauticError', code })
  const tokenRequests = () =>
    mautic.requests.filter(({ path }) => path.startsWith('/oauth/v2/token')).length

  test('concurrent requests share one log-in of the OAuth client', async () => {
    const client = open()
    const answers = await Promise.all(
      [1, 2, 3].map((id) => client.get(`/api/emails/${id}`) as Promise<{ email: { id: number } }>),
    )
    assert.deepEqual(
      answers.map(({ email }) => email.id),
      [1, 2, 3],
    )
    assert.equal(tokenRequests(), 1)
  })

  test('a token is renewed before it ends, and once where Mautic refuses it', async () => {
    const client = open()
    await client.get('/api/users/self')
    mautic.revokeTokens()
    await client.get('/api/users/self')
    assert.equal(tokenRequests(), 2)
    now += 3_600_000 - 30_000
    await client.get('/api/users/self')
    assert.equal(tokenRequests(), 3)
    mautic.behaviour.fault = ({ path }) => (path.startsWith('/api') ? 401 : undefined)
    await failing(client.get('/api/users/self'), 'unauthorized')
    assert.equal(tokenRequests(), 4)
  })

  test('a user and password work, without a log-in', async () => {
    const self = await open(basic()).get('/api/users/self')
    assert.equal((self as { username: string }).username, 'admin')
    assert.equal(tokenRequests(), 0)
  })

  test('each failure has its code', async () => {
    await failing(open({ secret: 'x' }).get('/api/emails'), 'unauthorized')
    const wrong = { ...basic(), secret: 'wrong' }
    await failing(open(wrong).get('/api/emails'), 'unauthorized')
    const { username, password: secret } = mautic.limited
    const limited = open({ clientId: null, username, secret })
    await failing(limited.get('/api/users'), 'forbidden')
    await failing(open().get('/api/emails/9999'), 'not_found')
    mautic.behaviour.fault = ({ path }) => (path.startsWith('/api') ? 500 : undefined)
    await failing(open().get('/api/emails'), 'failed')
    mautic.behaviour.fault = () => 'html'
    await failing(open(basic()).get('/api/emails'), 'unexpected')
    mautic.behaviour.fault = () => 'reset'
    await failing(open(basic()).get('/api/emails'), 'unreachable')
  })

  test('an answer that does not come in time ends the request', async () => {
    mautic.behaviour.fault = () => 'hang'
    const request = open(basic()).get('/api/emails', {}, { timeoutMs: 20 })
    await failing(request, 'timeout')
  })

  test('an answer without end is not read into memory', async () => {
    const url = await listen((_request, response) => {
      const chunk = Buffer.alloc(1_048_576, 32)
      const write = (): void => {
        while (response.write(chunk));
        response.once('drain', write)
      }
      response.on('error', () => undefined)
      write()
    })
    const request = open({ ...basic(), url }).get('/api/emails', {}, { timeoutMs: 60_000 })
    await failing(request, 'unexpected')
  })

  test('no redirect is followed except that of a trailing slash', async () => {
    const client = open()
    const list = (await client.get('/api/emails/', { limit: 1 })) as { total: number }
    assert.equal(list.total, 40)
    let asked = 0
    const url = await listen(({ url: path }, response) => {
      asked += 1
      const location = path?.startsWith('/api/a') ? 'http://127.0.0.1:1/x' : '/s/login'
      response.writeHead(302, { location }).end()
    })
    for (const path of ['/api/a', '/api/b'])
      await failing(open({ ...basic(), url }).get(path), 'redirected')
    assert.equal(asked, 2)
  })

  test('the outbound policy applies to names and addresses, when the connection is made', async () => {
    const { port } = new URL(mautic.url)
    const denied = { mode: 'open', deny: ['127.0.0.0/8', '::1'] } as const
    for (const url of [mautic.url, `http://localhost:${port}`, `http://127.1:${port}`]) {
      await failing(open({ url }, { mode: 'public' }).get('/api/emails'), 'blocked')
      await failing(open({ url }, denied).get('/api/emails'), 'blocked')
    }
    assert.equal(mautic.requests.length, 0)
  })

  test('after an outage, requests fail at once for three seconds, except probes', async () => {
    const client = open(basic())
    mautic.behaviour.fault = () => 'reset'
    await assert.rejects(client.get('/api/emails'))
    mautic.behaviour.fault = () => undefined
    const before = mautic.requests.length
    await assert.rejects(client.get('/api/emails'))
    assert.equal(mautic.requests.length, before)
    now += 3_001
    await client.get('/api/emails')
    mautic.behaviour.fault = () => 'reset'
    await assert.rejects(client.get('/api/emails'))
    mautic.behaviour.fault = () => undefined
    await client.get('/api/emails', {}, { isProbe: true })
    await client.get('/api/emails')
  })

  test('after an answer that the server does not work now, others are not asked for three seconds, or as it says', async () => {
    const count = () => mautic.requests.length
    for (const status of [429, 502, 503, 504]) {
      const client = open()
      await client.get('/api/users/self')
      mautic.behaviour.fault = () => status
      await failing(client.get('/api/emails/1'), 'failed')
      mautic.behaviour.fault = () => undefined
      const before = count()
      await Promise.all([2, 3, 4].map((id) => failing(client.get(`/api/emails/${id}`), 'failed')))
      assert.equal(count(), before)
      now += 3_001
      await client.get('/api/emails/2')
    }
    mautic.behaviour.fault = () => 503
    const client = open()
    await failing(client.get('/api/emails/1'), 'failed')
    const before = count()
    await failing(client.get('/api/emails/1'), 'failed')
    assert.equal(count(), before, 'the log-in was answered so')
  })

  test('a server may ask for a pause of up to a minute', async () => {
    const date = (seconds: number) => new Date(now + seconds * 1_000).toUTCString()
    for (const [retryAfter, pauseMs] of [
      ['20', 20_000],
      [date(20), 20_000],
      ['0', 3_000],
      ['soon', 3_000],
      ['86400', 60_000],
    ] as const) {
      let asked = 0
      const url = await listen((_request, response) => {
        asked += 1
        response.writeHead(429, { 'retry-after': retryAfter }).end('{}')
      })
      const client = open({ ...basic(), url })
      for (const waitMs of [0, pauseMs - 1_001, 1_002]) {
        now += waitMs
        await failing(client.get('/api/emails'), 'failed')
      }
      assert.equal(asked, 2, retryAfter)
    }
  })

  test('an error for one record keeps no other request from being sent, and no success of an earlier one ends a pause', async () => {
    const client = open(basic())
    mautic.behaviour.fault = ({ path }) => (path.endsWith('/1') ? 500 : undefined)
    await failing(client.get('/api/emails/1'), 'failed')
    await client.get('/api/emails/2')
    const { promise, resolve } = Promise.withResolvers<undefined>()
    mautic.behaviour.fault = ({ path }) => (path.endsWith('/1') ? 503 : promise)
    const earlier = client.get('/api/emails/2')
    await failing(client.get('/api/emails/1'), 'failed')
    resolve(undefined)
    await earlier
    await failing(client.get('/api/emails/3'), 'failed')
  })

  test('no error holds a secret', async () => {
    mautic.behaviour.fault = () => 500
    const errors: string[] = []
    for (const login of [{}, basic()])
      await open(login)
        .get('/api/emails')
        .catch((error: Error) =>
          errors.push(`${error.message} ${error.stack} ${String(error.cause)}`),
        )
    assert.equal(errors.length, 2)
    const { clientSecret } = mautic.client
    for (const secret of [clientSecret, mautic.administrator.password])
      assert.equal(errors.join().includes(secret), false)
  })

  test('lists, numbers and dates are read in each of the forms that Mautic sends', () => {
    assert.deepEqual(asList({ 2: 'b', 1: 'a' }), ['a', 'b'])
    for (const empty of [[], {}, null, undefined, '', 3]) assert.deepEqual(asList(empty), [])
    assert.deepEqual(['17', 17, '', 'x', -1, 1.5, null].map(asCount), [
      17,
      17,
      ...Array(5).fill(undefined),
    ])
    const time = Date.UTC(2026, 10, 22, 14, 0, 5)
    assert.equal(asTime('2026-11-22T15:00:05+01:00'), time)
    assert.equal(asTime('2026-11-22 14:00:05'), time)
    assert.deepEqual(['', 'never', null, 5].map(asTime), [null, null, null, null])
  })
})
