import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { basicHeader } from '../../test/administrator.ts'
import { type OpenGateway, openGateway } from '../../test/gateway/open-gateway.ts'
import { sendJson, startUpstream, type Upstream } from '../../test/gateway/upstream.ts'
import { workedMs } from '../../test/worked-ms.ts'

const host = 'm.example.com'
const admin = basicHeader('ada', 'right')

/** What a Mautic says of its administrator. */
const self = {
  ...{ id: 1, username: 'ada', firstName: 'Ada', lastName: 'Admin', email: 'ada@example.com' },
  role: { id: 1, name: 'Administrator', isAdmin: true },
}

describe('the addresses of the gateway', () => {
  let gateway: OpenGateway
  let upstream: Upstream
  let other: Upstream
  let folder: Upstream
  const answerAsMautic: Upstream['answer'] = (request, response) => {
    if (request.url?.endsWith('/api/users/self') !== true)
      return sendJson(response, 200, { path: request.url })
    if (request.headers.authorization === admin) return sendJson(response, 200, self)
    return sendJson(response, 401, { errors: [{ message: 'Authorization denied.', code: 401 }] })
  }
  before(async () => {
    ;[upstream, other, folder] = await Promise.all([
      startUpstream(),
      startUpstream(),
      startUpstream(),
    ])
    gateway = await openGateway()
    await gateway.connect({ name: 'acme', url: upstream.url, hosts: [host, 'm2.example.com'] })
    await gateway.connect({ name: 'other', url: other.url, hosts: ['other.example.com'] })
    await gateway.connect({
      ...{ name: 'folder', url: `${folder.url}/mautic5`, hosts: ['folder.example.com'] },
    })
    for (const each of [upstream, other, folder]) each.answer = answerAsMautic
  })
  after(async () => {
    await gateway.close()
    for (const each of [upstream, other, folder]) await each.close()
  })
  afterEach(() => {
    upstream.answer = answerAsMautic
  })

  const ask = (path: string, headers: Record<string, string | string[]> = {}, method = 'GET') =>
    gateway.ask({ method, path, headers })
  const countRequests = () =>
    upstream.requests.length + other.requests.length + folder.requests.length
  /** Asserts that a request reaches no Mautic. */
  const assertNotForwarded = async (work: () => Promise<unknown>) => {
    const before = countRequests()
    await work()
    assert.equal(countRequests(), before)
  }

  test('under its host names, a Mautic has its API, its pages and everything else', async () => {
    const paths = [
      '/',
      '/api/emails',
      '/s/dashboard',
      '/oauth/v2/authorize',
      '/healthz',
      '/metrics',
    ]
    for (const name of [host, 'M2.Example.Com', `${host}:8443`, `${host}.`])
      for (const path of [...paths, '/api/session', '/assets/x.js', '/mautic/other/api/emails']) {
        const answer = await ask(path, { host: name, accept: 'text/html' })
        assert.deepEqual([answer.status, answer.text], [200, JSON.stringify({ path })])
        assert.equal(upstream.requests.at(-1)?.headers.host, name)
      }
  })

  test('the console, its session and its API are not served under a host name', async () => {
    const login = { username: 'admin', password: 'wrong' }
    const headers = { host, 'content-type': 'application/json' }
    const body = JSON.stringify(login)
    const answer = await gateway.ask({ method: 'POST', path: '/api/session', headers, body })
    assert.equal(answer.text, JSON.stringify({ path: '/api/session' }))
    const page = await ask('/transports', { host, accept: 'text/html' })
    assert.equal(page.text, JSON.stringify({ path: '/transports' }))
  })

  test('any other host gets what it got without a gateway', async () => {
    for (const name of [
      'example.com',
      `x.${host}`,
      `${host}.evil.example`,
      `${host}@x`,
      `${host}:`,
      `${host}:80.evil.example`,
      `${host}:123456`,
      '127.0.0.1',
    ])
      await assertNotForwarded(async () => {
        const answer = await ask('/healthz', { host: name })
        assert.equal(answer.status, 200, name)
        const page = await ask('/', { host: name, accept: 'text/html' })
        assert.match(page.text, /Mailyard/)
      })
  })

  test('under /mautic/{name} only its API and its token endpoint are served', async () => {
    for (const path of ['/api/emails?limit=1', '/api', '/oauth/v2/token?grant_type=x']) {
      const answer = await ask(`/mautic/acme${path}`)
      assert.deepEqual([answer.status, answer.text], [200, JSON.stringify({ path })])
    }
    const refused = ['', '/', '/s/login', '/s/dashboard', '/oauth/v2/authorize', '/apis', '/API/x']
    for (const path of [...refused, '/oauth/v2/token/x', '/oauth/v2/tokens', '/index.php/api/x'])
      await assertNotForwarded(async () => {
        const answer = await ask(`/mautic/acme${path}`)
        assert.deepEqual([answer.status, JSON.parse(answer.text).success], [404, false], path)
      })
  })

  test('no spelling of a path leads from the API to a page', async () => {
    const escapes = ['..', '.', '%2e%2e', '%2E.', '..%2f', '%252e%252e', '..\\x', '..%5cx', '..;x']
    for (const segment of [...escapes, '%2e%2e%2fs', '%c0%ae%c0%ae'])
      for (const path of [`/mautic/acme/api/${segment}/s/login`, `/mautic/acme/api/${segment}`])
        await assertNotForwarded(async () => {
          const raw = `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`
          const answer = await gateway.sendRaw(raw)
          assert.match(answer, /^HTTP\/1\.1 4\d\d /, path)
        })
    for (const path of ['/api/contacts/a..b', '/api/x/...', '/api/50%25', '/api/.well-known'])
      assert.equal((await ask(`/mautic/acme${path}`)).status, 200, path)
  })

  test('a path takes time in proportion to its length, whatever its segments are', async () => {
    const askRefused = (path: string) =>
      workedMs(async () => assert.equal((await ask(`/mautic/acme/s${path}`)).status, 404))
    const ordinary = await askRefused('/abcd'.repeat(40_000))
    const hostile = await askRefused('/a'.repeat(50_000) + '/b/..'.repeat(20_000))
    assert.ok(hostile < 20 * ordinary, `${hostile} ms, against ${ordinary} ms`)
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
    for (const target of [
      '/mautic',
      '/mautic/',
      '/mautic?x',
      'http://x/mautic',
      '//mautic',
      'mautic',
    ])
      await assertNotForwarded(async () => {
        const answer = await gateway.sendRaw(
          `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
        )
        assert.match(answer, /^HTTP\/1\.1 40[04] /, target)
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

  test('a cookie of Mailyard is neither forwarded nor set, and other cookies are', async () => {
    const cookie = 'a=1; mailyard_console=secret; b=2; mailyard_session=secret'
    for (const [path, headers] of [
      ['/', { host }],
      ['/mautic/acme/api/x', {}],
    ] as const) {
      await ask(path, { ...headers, cookie })
      assert.equal(upstream.requests.at(-1)?.headers.cookie, 'a=1; b=2')
    }
    await ask('/', { host, cookie: 'mailyard_console=secret' })
    assert.equal(upstream.requests.at(-1)?.headers.cookie, undefined)
    const setCookie = [
      'id=x; path=/; HttpOnly; SameSite=Lax',
      'd=1; Domain=.example.com; Path=/s/x',
      'mailyard_console=evil; Path=/',
    ]
    upstream.answer = (_request, response) =>
      sendJson(response, 200, {}, { 'set-cookie': setCookie })
    const own = await ask('/s/login', { host })
    assert.deepEqual(own.headers['set-cookie'], setCookie.slice(0, 2))
    const prefixed = await ask('/mautic/acme/api/x')
    assert.deepEqual(prefixed.headers['set-cookie'], [
      'id=x; HttpOnly; SameSite=Lax; Path=/mautic/acme/',
      'd=1; Path=/mautic/acme/s/x',
    ])
  })

  test('the session of the console opens nothing at a Mautic', async () => {
    const body = JSON.stringify({ username: 'admin', password: 'wrong' })
    await gateway.ask({ method: 'POST', path: '/api/session', body })
    const cookie = 'mailyard_console=abc'
    const answer = await ask('/mautic/acme/api/multipleTransports', { cookie })
    assert.equal(answer.status, 401)
    assert.match(answer.text, /Authentication required/)
  })

  test("an address of Mautic's own becomes one of the client", async () => {
    const cases: [location: string, prefixed: string, hosted: string][] = [
      ['/api/emails/1', '/mautic/acme/api/emails/1', '/api/emails/1'],
      [
        `${upstream.url}/api/emails?x=1#y`,
        'OWN/mautic/acme/api/emails?x=1#y',
        'OWN/api/emails?x=1#y',
      ],
      ['/mautic/acme/api/x', '/mautic/acme/api/x', '/mautic/acme/api/x'],
      [
        'https://elsewhere.example/api',
        'https://elsewhere.example/api',
        'https://elsewhere.example/api',
      ],
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

  test('a Mautic in a folder has its paths, addresses and cookies without the folder', async () => {
    const name = 'folder.example.com'
    await ask('/s/login?x', { host: name })
    assert.equal(folder.requests.at(-1)?.url, '/mautic5/s/login?x')
    folder.answer = (_request, response) => {
      const headers = { location: '/mautic5/s/dashboard', 'set-cookie': 'a=1; Path=/mautic5' }
      response.writeHead(302, headers).end()
    }
    const answer = await ask('/s/login', { host: name })
    assert.deepEqual(
      [answer.headers.location, answer.headers['set-cookie']],
      ['/s/dashboard', ['a=1; Path=/']],
    )
    folder.answer = answerAsMautic
  })

  test('no spelling of a path leads out of the folder of a Mautic', async () => {
    const segments = ['..', '%2e%2e', '.%2E', '%252e%252e', '..%2f..', '..\\x', 'x%5c..%5c..']
    for (const segment of segments)
      for (const path of [`/${segment}/admin`, `/api/${segment}/${segment}/admin`])
        await assertNotForwarded(async () => {
          const raw = `GET ${path} HTTP/1.1\r\nHost: folder.example.com\r\nConnection: close\r\n\r\n`
          const answer = await gateway.sendRaw(raw)
          assert.match(answer, /^HTTP\/1\.1 400 /, path)
        })
    for (const path of ['/media/a..b', '/x/...', '/s/50%25?..']) {
      assert.equal((await ask(path, { host: 'folder.example.com' })).status, 200, path)
      assert.equal(folder.requests.at(-1)?.url, `/mautic5${path}`)
    }
  })

  test('under a prefix, no answer is a page, or speaks for the origin of the console', async () => {
    upstream.answer = (_request, response) => {
      response.writeHead(200, {
        'content-type': 'text/html',
        'clear-site-data': '"*"',
        'strict-transport-security': 'max-age=9',
        'service-worker-allowed': '/',
      })
      response.end('<script>alert(1)</script>')
    }
    const { headers } = await ask('/mautic/acme/api/x')
    assert.match(String(headers['content-security-policy']), /^sandbox; default-src 'none'/)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    for (const name of ['clear-site-data', 'strict-transport-security', 'service-worker-allowed'])
      assert.equal(headers[name], undefined, name)
    const own = await ask('/s/x', { host })
    assert.equal(own.headers['clear-site-data'], '"*"')
    assert.equal(own.headers['content-security-policy'], undefined)
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

  test('other methods than those of Mautic are refused, with the path that the client wrote', async () => {
    for (const [target, path] of [
      ['/s/login?x', '/s/…'],
      ['/mautic/acme/api/emails?x', '/mautic/acme/api/emails'],
    ])
      for (const method of ['TRACE', 'PROPFIND'])
        await assertNotForwarded(async () => {
          const name = target?.startsWith('/mautic') === true ? 'a' : host
          const head = `${method} ${target} HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`
          const answer = Buffer.from(await gateway.sendRaw(head), 'latin1').toString('utf8')
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
      'two hosts': `GET / HTTP/1.1\r\nHost: ${host}\r\nHost: other.example.com\r\nConnection: close\r\n\r\n`,
      'a folded header': `${head}X: a\r\n b\r\nContent-Length: 0\r\n\r\n${smuggled}`,
      'a line feed alone': `${head}X: a\nContent-Length: 0\r\n\r\n${smuggled}`,
      'a WebSocket': `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n`,
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
