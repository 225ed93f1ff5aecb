import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addClientCaller, addUser } from '../../../../test/callers.ts'
import { onMailyard } from '../../../../test/on-each-database.ts'
import type { TestApp } from '../../../../test/test-app.ts'

/** Where a request without credentials comes from, and how it names the server. */
interface Origin {
  remoteAddress: string
  headers?: Record<string, string>
}

const loopback = '127.0.0.1'
const remote = '203.0.113.7'
const publicName = { host: 'mailyard.example.com' }

async function scrape(service: TestApp, { remoteAddress, headers = {} }: Origin): Promise<number> {
  const request = { method: 'GET' as const, url: '/metrics', remoteAddress, headers }
  return (await service.server.inject(request)).statusCode
}

onMailyard('/metrics', (shared) => {
  const service = () => shared.service

  test('needs no log-in on loopback, for a loopback name', async () => {
    for (const host of ['localhost', 'LOCALHOST:8080', '127.0.0.1:8080', '[::1]:8080'])
      for (const remoteAddress of [loopback, '127.8.9.1', '::1', '::ffff:127.0.0.1'])
        assert.equal(await scrape(service(), { remoteAddress, headers: { host } }), 200, host)
  })

  test('needs a log-in from other machines, whatever they claim to be', async () => {
    for (const headers of [{}, { 'x-forwarded-for': loopback }, { 'x-real-ip': loopback }])
      for (const remoteAddress of [remote, '10.0.0.1', '2001:db8::1', '::ffff:203.0.113.7'])
        assert.equal(await scrape(service(), { remoteAddress, headers }), 401)
  })

  test('needs a log-in through a proxy on this machine that is not trusted', async () => {
    for (const name of ['x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via']) {
      const headers = { [name]: loopback }
      assert.equal(await scrape(service(), { remoteAddress: loopback, headers }), 401, name)
    }
  })

  test('needs a log-in for a public name, as a proxy without headers or a hostile page sends it', async () => {
    const names = ['mailyard.example.com', 'localhost.example.com', '127.0.0.1.example.com']
    for (const host of names)
      assert.notEqual(await scrape(service(), { remoteAddress: loopback, headers: { host } }), 200)
  })

  test('needs `api: view` of callers who log in', async () => {
    const viewer = await addClientCaller(service(), { api: ['view'] })
    const other = await addClientCaller(service(), { email: ['full'] })
    const user = await addUser(service(), { api: ['view'] })
    const ask = async (as: typeof viewer.as) =>
      (await service().ask('GET', '/metrics', undefined, { as, headers: publicName })).status
    assert.deepEqual(
      [await ask(viewer.as), await ask(user.as), await ask(other.as)],
      [200, 200, 403],
    )
    assert.equal(await ask({ token: 'unknown' }), 401)
  })
})

const trustedProxies = [loopback, '10.0.0.0/8']
onMailyard('/metrics behind a trusted proxy', { config: { trustedProxies } }, (shared) => {
  const through = (forwardedFor: string, remoteAddress = loopback) => {
    const headers = { ...publicName, 'x-forwarded-for': forwardedFor }
    return scrape(shared.service, { remoteAddress, headers })
  }

  test('needs no log-in if the client is on this machine too', async () => {
    assert.equal(await through(loopback), 200)
    assert.equal(await through('::1'), 200)
  })

  test('needs a log-in of clients elsewhere, also of those that forge an address', async () => {
    assert.equal(await through(remote), 401)
    assert.equal(await through(`${loopback}, ${remote}`), 401)
    assert.equal(await through(`${loopback}, 10.0.0.9`), 401)
    assert.equal(await through(loopback, '10.0.0.9'), 401)
    assert.equal(await through('unknown'), 401)
    const headers = { ...publicName, forwarded: 'for=127.0.0.1' }
    assert.equal(await scrape(shared.service, { remoteAddress: loopback, headers }), 401)
  })
})

const config = { publicUrl: 'https://mailyard.example.com', trustedProxies: [loopback] }
onMailyard('/metrics with MAILYARD_PUBLIC_URL', { config }, (shared) => {
  const service = () => shared.service

  test('needs a log-in on loopback too, because a proxy on this machine may hide its client', async () => {
    const hidden = [
      { host: 'localhost' },
      { host: '127.0.0.1:8080' },
      { ...publicName, 'x-forwarded-for': loopback },
    ]
    for (const headers of hidden)
      for (const remoteAddress of [loopback, '::1'])
        assert.equal(await scrape(service(), { remoteAddress, headers }), 401, headers.host)
    const { as } = await addClientCaller(service(), { api: ['view'] })
    assert.equal((await service().ask('GET', '/metrics', undefined, { as })).status, 200)
  })
})
