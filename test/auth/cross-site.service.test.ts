import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addClientCaller } from '../callers.ts'
import { onMailyard } from '../on-each-database.ts'
import { openTestApp, type TestCaller } from '../test-app.ts'

const role = { name: 'Made by another site' }
/** What `inject` names the server. */
const own = 'http://localhost:80'

onMailyard('a page of another site', (shared) => {
  const countRoles = async () => (await shared.ask('GET', '/api/roles')).body.total
  const send = (headers: Record<string, string>, as?: TestCaller) =>
    shared.ask('POST', '/api/roles/new', role, {
      headers,
      ...(as === undefined ? {} : { as }),
    })

  const forged: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'anything' },
    { 'sec-fetch-site': '' },
    { origin: 'http://evil.example' },
    { origin: 'http://localhost:8081' },
    { origin: 'http://localhost.evil.example' },
    { origin: 'http://evil.example#localhost' },
    { origin: 'http://localhost@evil.example' },
    { origin: 'null' },
    { origin: '' },
    { origin: 'file://' },
    { origin: 'chrome-extension://abc' },
    { origin: 'http://evil.example', 'sec-fetch-site': 'same-origin' },
    { origin: own, 'sec-fetch-site': 'cross-site' },
  ]
  for (const headers of forged) {
    test(`changes nothing with Basic credentials: ${JSON.stringify(headers)}`, async () => {
      const before = await countRoles()
      const answer = await send(headers)
      assert.equal(answer.status, 403, answer.text)
      assert.match(answer.body.error, /another site/)
      for (const [method, url] of [
        ['PATCH', '/api/roles/1/edit'],
        ['PUT', '/api/roles/1/edit'],
        ['DELETE', '/api/users/1/delete'],
        ['POST', '/api/unknown'],
      ] as const)
        assert.equal((await shared.ask(method, url, {}, { headers })).status, 403, url)
      assert.equal(await countRoles(), before)
    })
  }

  test('cannot find out from the answer whether a password is right', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' }
    const wrong = await send(headers, ['admin', 'wrong password'])
    assert.deepEqual([wrong.status, wrong.text], [403, (await send(headers)).text])
  })

  test('is not mistaken for our own page, or for a program', async () => {
    for (const headers of [
      {},
      { 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'none' },
      { origin: own },
      { origin: 'https://localhost' },
      { origin: 'http://LOCALHOST', 'sec-fetch-site': 'same-origin' },
    ] as Record<string, string>[])
      assert.equal((await send(headers)).status, 201, JSON.stringify(headers))
  })

  test('may use a bearer token, which no browser adds by itself', async () => {
    const { as } = await addClientCaller(shared.service, 'administrator')
    assert.equal((await send({ 'sec-fetch-site': 'cross-site', origin: own }, as)).status, 201)
  })

  test('may read with Basic credentials, as it cannot see the answer', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' }
    await shared.askFor('GET', '/api/roles', undefined, { headers })
  })

  test('browsers never show a password prompt: they get no WWW-Authenticate', async () => {
    for (const site of ['none', 'same-origin', 'same-site', 'cross-site']) {
      const options = { as: 'anonymous', headers: { 'sec-fetch-site': site } } as const
      const answer = await shared.ask('GET', '/api/users', undefined, options)
      assert.equal(answer.status, 401)
      assert.equal(answer.headers['www-authenticate'], undefined)
    }
    const program = await shared.ask('GET', '/api/users', undefined, { as: 'anonymous' })
    assert.match(String(program.headers['www-authenticate']), /Basic/)
  })
})

test('behind a trusted proxy, our own site is the one that the browser asked', async () => {
  const service = await openTestApp({ config: { trustedProxies: ['127.0.0.1'] } })
  const send = async (origin: string) => {
    const headers = { origin, 'x-forwarded-host': 'mail.example.com', 'x-forwarded-proto': 'https' }
    return (await service.ask('POST', '/api/roles/new', role, { headers })).status
  }
  assert.deepEqual(
    [await send('https://mail.example.com'), await send('https://evil.example.com')],
    [201, 403],
  )
  await service.close()
})
