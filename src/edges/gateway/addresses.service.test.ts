import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { basicHeader } from '../../../test/administrator.ts'
import { type OpenGateway, openGateway } from '../../../test/gateway/open-gateway.ts'
import { type Answer, sendJson, useUpstream } from '../../../test/gateway/upstream.ts'

const host = 'm.example.com'
const admin = basicHeader('ada', 'right')

/** What a Mautic says of its administrator. */
const self = {
  ...{ id: 1, username: 'ada', firstName: 'Ada', lastName: 'Admin', email: 'ada@example.com' },
  role: { id: 1, name: 'Administrator', isAdmin: true },
}

describe('the addresses of the gateway', () => {
  let gateway: OpenGateway
  const answerAsMautic: Answer = (request, response) => {
    if (request.url?.endsWith('/api/users/self') !== true)
      return sendJson(response, 200, { path: request.url })
    if (request.headers.authorization === admin) return sendJson(response, 200, self)
    return sendJson(response, 401, { errors: [{ message: 'Authorization denied.', code: 401 }] })
  }
  const upstream = useUpstream(answerAsMautic)
  const other = useUpstream(answerAsMautic)
  const folder = useUpstream(answerAsMautic)
  before(async () => {
    gateway = await openGateway()
    await gateway.connect({ name: 'acme', url: upstream.url, hosts: [host, 'm2.example.com'] })
    await gateway.connect({ name: 'other', url: other.url, hosts: ['other.example.com'] })
    const folderUrl = `${folder.url}/mautic5`
    await gateway.connect({ name: 'folder', url: folderUrl, hosts: ['folder.example.com'] })
  })
  after(() => gateway.close())

  const ask = (path: string, headers: Record<string, string | string[]> = {}, method = 'GET') =>
    gateway.ask({ method, path, headers })
  /** Sends a target byte for byte; resolves with all that comes back. */
  const askRaw = (target: string, name = 'a', method = 'GET') =>
    gateway.sendRaw(`${method} ${target} HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`)
  const countRequests = () =>
    upstream.requests.length + other.requests.length + folder.requests.length
  /** Asserts that a request reaches no Mautic. */
  const assertNotForwarded = async (work: () => Promise<unknown>) => {
    const before = countRequests()
    await work()
    assert.equal(countRequests(), before)
  }

  /** Paths that only the own address of a Mautic serves. */
  const elsewhere = [
    '/',
    '/s/login_check',
    '/email/unsubscribe/x',
    '/mtc.js',
    '/apis',
    '/API/x',
    '/index.php/api/x',
    '/%61pi/x',
    '//api/x',
    '/;/api/x',
    '/healthz',
    '/transports',
    '/mautic/other/api/emails',
    '/oauth/v2/authorize?client_id=1',
    '/oauth/v2/%61uthorize',
    '/oauth//v2/authorize_login_check',
    '/oauth/v2/%2561uthorize',
    '/oauth%2fv2/authorize',
  ]

  test('a Mautic has its API and its OAuth, under its host names and under /mautic/{name}', async () => {
    const paths = ['/api/emails?limit=1', '/api', '/api/session', '/oauth/v2/token?grant_type=x']
    for (const name of [host, 'M2.Example.Com', `${host}:8443`, `${host}.`])
      for (const path of paths) {
        const answer = await ask(path, { host: name, accept: 'text/html' })
        assert.deepEqual([answer.status, answer.text], [200, JSON.stringify({ path })])
        assert.equal(upstream.requests.at(-1)?.headers.host, name)
      }
    for (const path of paths) {
      const answer = await ask(`/mautic/acme${path}`)
      assert.deepEqual([answer.status, answer.text], [200, JSON.stringify({ path })])
    }
  })

  test("everything else is answered 404 with Mautic's own address, by no Mautic and not by the console", async () => {
    for (const [prefix, headers] of [
      ['', { host, accept: 'text/html' }],
      ['/mautic/acme', {}],
    ] as const)
      for (const path of elsewhere)
        await assertNotForwarded(async () => {
          const answer = await ask(prefix + path, headers)
          assert.equal(answer.status, 404, prefix + path)
          const { success, error } = JSON.parse(answer.text)
          assert.equal(success, false)
          assert.ok(error.includes(`Use ${upstream.url} for`), error)
        })
  })

  test('any other host gets what it got without a gateway', async () => {
    const names = [`x.${host}`, `${host}.evil.example`, `${host}@x`, `${host}:`, `${host}:123456`]
    for (const name of ['127.0.0.1', ...names])
      await assertNotForwarded(async () => {
        const answer = await ask('/healthz', { host: name })
        assert.equal(answer.status, 200, name)
        const page = await ask('/', { host: name, accept: 'text/html' })
        assert.match(page.text, /Mailyard/)
      })
  })

  test('no spelling of a path leads from the API to a page', async () => {
    const escapes = ['..', '.', '%2e%2e', '%2E.', '..%2f', '%252e%252e', '..\\x', '..%5cx', '..;x']
    for (const segment of [...escapes, '%2e%2e%2fs', '%c0%ae%c0%ae'])
      for (const path of [
        `/api/${segment}/s/login`,
        `/api/${segment}`,
        `/oauth/${segment}/s/login`,
      ])
        for (const [name, prefix] of [
          ['a', '/mautic/acme'],
          [host, ''],
        ])
          await assertNotForwarded(async () => {
            assert.match(await askRaw(`${prefix}${path}`, name), /^HTTP\/1\.1 4\d\d /, path)
          })
    for (const path of ['/api/contacts/a..b', '/api/x/...', '/api/50%25', '/api/.well-known'])
      assert.equal((await ask(`/mautic/acme${path}`)).status, 200, path)
  })

  test('a path takes time in proportion to its length, whatever its segments are', async () => {
    const path = `/mautic/acme/s${'/a'.repeat(50_000)}${'/b/..'.repeat(20_000)}`
    assert.match(String((await ask(path)).status), /^40[04]$/)
  })

  test('an unknown or unpublished name leads nowhere, and a change applies at once', async () => {
    const headers = { authorization: admin }
    const { id } = await gateway.connect({ name: 'late', url: other.url, hosts: ['l.example.com'] })
    assert.equal((await ask('/mautic/late/api/emails', headers)).status, 200)
    const change = { isPublished: false }
    await gateway.service.ask('PATCH', `/api/mautics/${id}/edit`, change)
    for (const name of ['late', 'unknown', 'ACME', '..', '%61cme', 'acme%2f', 'constructor'])
      await assertNotForwarded(async () => {
        const answer = await ask(`/mautic/${name}/api/emails`, headers)
        assert.equal(answer.status, 404, name)
      })
    await assertNotForwarded(async () => {
      const answer = await ask('/', { host: 'l.example.com', accept: 'text/html' })
      assert.match(answer.text, /Mailyard/)
    })
  })

  test('a request from outside never reaches what is forwarded without a Mautic', async () => {
    for (const target of ['/mautic', '/mautic/', '/mautic?x', 'http://x/mautic', '//mautic'])
      await assertNotForwarded(async () => {
        assert.match(await askRaw(target), /^HTTP\/1\.1 40[04] /, target)
      })
  })

  test('the contract is answered by Mailyard, also with a method in a header', async () => {
    const created = await gateway.ask({
      method: 'POST',
      path: '/mautic/acme/api/twigTemplates/new',
      headers: { authorization: admin },
      body: JSON.stringify({ name: 'Greeting', template: 'Hello' }),
    })
    assert.equal(created.status, 201, created.text)
    const { twigTemplate } = JSON.parse(created.text)
    assert.equal(twigTemplate.createdBy, 'Ada Admin (acme)')
    assert.equal(created.headers.location, `/mautic/acme/api/twigTemplates/${twigTemplate.id}`)
    const edited = await gateway.ask({
      method: 'POST',
      path: `/api/twigTemplates/${twigTemplate.id}/edit`,
      headers: { host, authorization: admin, 'x-http-method-override': 'PATCH' },
      body: JSON.stringify({ name: 'Other' }),
    })
    assert.equal(JSON.parse(edited.text).twigTemplate.name, 'Other')
    const list = await ask('/mautic/acme/api/multipleTransports?limit=1', { authorization: admin })
    assert.match(String(list.headers.link), /^<\/mautic\/acme\/api\/multipleTransports\?/)
    for (const path of [
      '/api/multipleTransports',
      '/api/multipleTransport/transportEmail',
      '/api/twigTemplates',
    ])
      for (const headers of [{ host }, { host: 'a' }]) {
        const prefix = headers.host === host ? '' : '/mautic/acme'
        const answer = await ask(prefix + path, { ...headers, authorization: admin })
        assert.equal(answer.status, 200, `${prefix}${path}: ${answer.text}`)
      }
    assert.ok(upstream.requests.every(({ url }) => !/multipleTransport|twigTemplate/.test(url)))
  })

  test('a path that only looks like one of the contract is forwarded', async () => {
    for (const path of [
      '/api/multipleTransportsX',
      '/api/multipletransports',
      '/api//twigTemplates',
    ]) {
      const answer = await ask(path, { host })
      assert.equal(answer.text, JSON.stringify({ path }))
    }
  })

  test('cookies are neither forwarded nor set', async () => {
    upstream.answer = (_request, response) =>
      sendJson(
        response,
        200,
        {},
        { 'set-cookie': ['id=x; path=/', 'mailyard_console=evil; Path=/'] },
      )
    for (const [path, headers] of [
      ['/api/x', { host }],
      ['/mautic/acme/api/x', {}],
    ] as const) {
      const answer = await ask(path, { ...headers, cookie: 'a=1; mailyard_console=secret' })
      assert.equal(upstream.requests.at(-1)?.headers.cookie, undefined)
      assert.equal(answer.headers['set-cookie'], undefined)
    }
  })

  test("an address of Mautic's own becomes one of the client", async () => {
    const cases: [location: string, prefixed: string, hosted: string][] = [
      ['/api/emails/1', '/mautic/acme/api/emails/1', '/api/emails/1'],
      [
        `${upstream.url}/api/emails?x=1#y`,
        'OWN/mautic/acme/api/emails?x=1#y',
        'OWN/api/emails?x=1#y',
      ],
      ['/mautic/acme/api/x', '/mautic/acme/api/x', `${upstream.url}/mautic/acme/api/x`],
      [`${upstream.url}/s/login`, `${upstream.url}/s/login`, `${upstream.url}/s/login`],
      ['/\\evil.example/api', '/\\evil.example/api', '/\\evil.example/api'],
      ['//elsewhere.example/api', '//elsewhere.example/api', '//elsewhere.example/api'],
      ['next', 'next', 'next'],
    ]
    for (const [location, prefixed, hosted] of cases) {
      upstream.answer = (_request, response) => response.writeHead(301, { location }).end()
      const own = (name: string) => `http://${name}`
      const one = await ask('/mautic/acme/api/emails/')
      assert.equal(one.headers.location, prefixed.replace('OWN', own(`127.0.0.1:${gateway.port}`)))
      const two = await ask('/api/emails/', { host })
      assert.equal(two.headers.location, hosted.replace('OWN', own(host)))
    }
  })

  test('a Mautic in a folder has its paths and addresses without the folder, and none out of it', async () => {
    folder.answer = (_request, response) => {
      response.writeHead(302, { location: '/mautic5/api/emails' }).end()
    }
    const { headers } = await ask('/api/x', { host: 'folder.example.com' })
    assert.equal(headers.location, '/api/emails')
    folder.answer = answerAsMautic
    const segments = ['..', '%2e%2e', '.%2E', '%252e%252e', '..%2f..', '..\\x', 'x%5c..%5c..']
    for (const segment of segments)
      for (const path of [`/${segment}/api`, `/api/${segment}/${segment}/admin`])
        await assertNotForwarded(async () => {
          assert.match(await askRaw(path, 'folder.example.com'), /^HTTP\/1\.1 400 /, path)
        })
    for (const path of ['/api/a..b', '/api/...', '/api/50%25?..']) {
      assert.equal((await ask(path, { host: 'folder.example.com' })).status, 200, path)
      assert.equal(folder.requests.at(-1)?.url, `/mautic5${path}`)
    }
  })

  test('no answer is a page, stays in a cache, or speaks for the origin of Mailyard', async () => {
    const dropped = {
      'access-control-allow-origin': '*',
      'clear-site-data': '"*"',
      link: '</x>; rel=preload; as=script',
      refresh: '0; url=https://evil.example',
      'service-worker-allowed': '/',
      'strict-transport-security': 'max-age=9',
      'x-cache-control': 'max-age=9',
      'x-accel-redirect': '/secret',
      'x-sendfile': '/etc/passwd',
    }
    const kept = { etag: '"5"', 'content-disposition': 'attachment', 'x-mautic-version': '5' }
    const ours = {
      'cache-control': 'public, max-age=9, s-maxage=9',
      'content-security-policy': 'x',
    }
    const headers = { 'content-type': 'text/html', ...dropped, ...kept, ...ours }
    upstream.answer = (_request, response) => {
      response.writeHead(200, headers).end('<script>alert(1)</script>')
    }
    const ofHost = await ask('/api/x', { host })
    const ofPrefix = await ask('/mautic/acme/api/x')
    for (const answer of [ofHost, ofPrefix]) {
      assert.match(
        String(answer.headers['content-security-policy']),
        /^sandbox; default-src 'none'/,
      )
      assert.equal(answer.headers['x-content-type-options'], 'nosniff')
      assert.equal(answer.headers['cache-control'], 'no-store')
      for (const name of Object.keys(dropped)) assert.equal(answer.headers[name], undefined, name)
      for (const [name, value] of Object.entries(kept)) assert.equal(answer.headers[name], value)
    }
  })

  test('a challenge of Mautic reaches programs, and no browser', async () => {
    upstream.answer = (_request, response) =>
      sendJson(response, 401, {}, { 'www-authenticate': 'Basic realm="x"' })
    const program = await ask('/mautic/acme/api/x')
    assert.equal(program.headers['www-authenticate'], 'Basic realm="x"')
    const browser = await ask('/mautic/acme/api/x', { 'sec-fetch-site': 'same-origin' })
    assert.equal(browser.headers['www-authenticate'], undefined)
  })

  test('the log names the Mautic, and has no credentials, queries and paths of pages', async () => {
    gateway.service.logged.length = 0
    const secret = 'top-secret-value'
    const headers = { host, authorization: `Bearer ${secret}`, cookie: `x=${secret}` }
    await gateway.ask({ method: 'POST', path: `/api/emails/new?access_token=${secret}`, headers })
    await gateway.ask({ method: 'POST', path: `/email/unsubscribe/${secret}`, headers })
    await ask(`/mautic/acme/api/multipleTransports?x=${secret}`, {
      authorization: `Bearer ${secret}`,
    })
    await ask(`/email/view/${secret}`, { host })
    const text = gateway.service.logged.join('')
    assert.equal(text.includes(secret), false)
    const paths = gateway.service.logged.map((line) => JSON.parse(line).path)
    assert.ok(paths.includes('/api/emails/new') && paths.includes('/email/…'))
    assert.ok(paths.includes('/mautic/acme/api/multipleTransports'))
  })

  test('the address of a webhook of Mailyard is not forwarded, and its secret is not logged', async () => {
    gateway.service.logged.length = 0
    const path = '/webhooks/transports/1/top-secret'
    await assertNotForwarded(async () => {
      assert.equal((await ask(path, { host }, 'POST')).status, 404)
      assert.equal((await ask(`/mautic/acme${path}`, {}, 'POST')).status, 404)
      assert.equal((await ask(path, {}, 'POST')).status, 404)
    })
    const lines = gateway.service.logged.map((line) => JSON.parse(line).path)
    assert.deepEqual(lines, ['/webhooks/…', '/mautic/acme/webhooks/…', '/webhooks/transports/1/…'])
    assert.ok(!gateway.service.logged.join('').includes('top-secret'))
  })

  test('other methods than those of Mautic are refused, with the path that the client wrote', async () => {
    for (const [target, path] of [
      ['/s/login?x', '/s/…'],
      ['/mautic/acme/api/emails?x', '/mautic/acme/api/emails'],
    ] as const)
      for (const method of ['TRACE', 'PROPFIND'])
        await assertNotForwarded(async () => {
          const name = target.startsWith('/mautic') ? 'a' : host
          const raw = await askRaw(target, name, method)
          const answer = Buffer.from(raw, 'latin1').toString('utf8')
          assert.match(answer, /^HTTP\/1\.1 405 /)
          assert.ok(answer.includes(`Method ${method} is not allowed for ${path};`), answer)
        })
  })

  test('ambiguous requests are refused, and what follows them is no request of its own', async () => {
    const head = `POST /api/x HTTP/1.1\r\nHost: ${host}\r\n`
    const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: m.example.com\r\n\r\n'
    const cases: Record<string, string> = {
      'both lengths': `${head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
      'two lengths': `${head}Content-Length: 0\r\nContent-Length: 52\r\n\r\n${smuggled}`,
      'a list of lengths': `${head}Content-Length: 0, 52\r\n\r\n${smuggled}`,
      'a signed length': `${head}Content-Length: +4\r\n\r\n${smuggled}`,
      'a hexadecimal length': `${head}Content-Length: 0x4\r\n\r\n${smuggled}`,
      'a blank in the length of a chunk': `${head}Transfer-Encoding: chunked\r\n\r\n0 \r\n\r\n${smuggled}`,
      'an unknown coding': `${head}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${smuggled}`,
      'two codings': `${head}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
      'two headers of codings': `${head}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n${smuggled}`,
      'a hidden coding': `${head}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${smuggled}`,
      'chunked in HTTP/1.0': `POST /api/x HTTP/1.0\r\nHost: ${host}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
      'two hosts': `GET /api/x HTTP/1.1\r\nHost: ${host}\r\nHost: other.example.com\r\nConnection: close\r\n\r\n`,
      'a folded header': `${head}X: a\r\n b\r\nContent-Length: 0\r\n\r\n${smuggled}`,
      'a line feed alone': `${head}X: a\nContent-Length: 0\r\n\r\n${smuggled}`,
      'a WebSocket': `GET /api/x HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n`,
    }
    for (const [name, text] of Object.entries(cases))
      await assertNotForwarded(async () => {
        const closing = text.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')
        const answer = await gateway.sendRaw(/Connection/.test(text) ? text : closing)
        assert.match(answer, /^HTTP\/1\.1 (?:400|501) /, `${name}: ${answer.slice(0, 200)}`)
        assert.equal(answer.split('HTTP/1.1 ').length, 2, name)
      })
  })
})
