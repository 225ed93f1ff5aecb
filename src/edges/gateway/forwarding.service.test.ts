import assert from 'node:assert/strict'
import { createHash, hash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request as sendRequest } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { type OpenGateway, openGateway } from '../../../test/gateway/open-gateway.ts'
import { sendJson, useUpstream } from '../../../test/gateway/upstream.ts'
import { until } from '../../../test/until.ts'

const host = 'm.example.com'
const megabyte = 1_048_576

describe('forwarding', () => {
  let gateway: OpenGateway
  const upstream = useUpstream()
  before(async () => {
    gateway = await openGateway()
    await gateway.connect({ name: 'acme', url: upstream.url, hosts: [host] })
  })
  after(() => gateway.close())

  /** Begins a request, and waits for its answer in the background. */
  const open = (options: { method?: string; path?: string; headers?: Record<string, string> }) => {
    const request = sendRequest({
      ...{ host: '127.0.0.1', port: gateway.port, method: 'GET', path: '/api/x', agent: false },
      ...options,
      headers: { host, ...options.headers },
    })
    const response = new Promise<IncomingMessage>((resolve, reject) => {
      request.once('response', resolve).on('error', reject)
    })
    response.catch(() => undefined)
    return { request, response }
  }
  const last = () => {
    const request = upstream.requests.at(-1)
    assert.ok(request !== undefined)
    return request
  }

  test('a path arrives as the client wrote it', async () => {
    const path = '/api/%e2%82%ac/a%2Fb//c?x=1&x=%zz&y[]=a+b/../d'
    const answer = await gateway.ask({ path, headers: { host } })
    assert.deepEqual([answer.status, last().url], [200, path])
  })

  test('methods and bodies of any type pass', async () => {
    upstream.answer = (request, response) => request.pipe(response)
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      for (const type of ['application/json', 'text/xml', 'multipart/form-data; boundary=x']) {
        const body = `{${method} not JSON`
        const headers = { host, 'content-type': type }
        const answer = await gateway.ask({ method, path: '/api/emails/new', headers, body })
        assert.deepEqual([answer.status, answer.text, last().method], [200, body, method])
        assert.equal(last().headers['content-type'], type)
      }
    const override = { host, 'x-http-method-override': 'PATCH' }
    await gateway.ask({ method: 'POST', path: '/api/emails/1/edit', headers: override })
    assert.deepEqual([last().method, last().headers['x-http-method-override']], ['POST', 'PATCH'])
  })

  test('an upload of megabytes arrives unchanged, with a length and without', async () => {
    const body = randomBytes(6 * megabyte)
    upstream.answer = (request, response) => {
      const digest = createHash('sha256')
      request.on('data', (chunk: Buffer) => digest.update(chunk))
      request.on('end', () => sendJson(response, 201, { digest: digest.digest('hex') }))
    }
    for (const headers of [{ host }, { host, 'transfer-encoding': 'chunked' }]) {
      const answer = await gateway.ask({ method: 'POST', path: '/api/files', headers, body })
      assert.equal(answer.status, 201)
      assert.deepEqual(JSON.parse(answer.text), { digest: hash('sha256', body) })
    }
  })

  test('an upload is passed on while it arrives, and an answer while it is made', async () => {
    let uploaded = ''
    upstream.answer = (request, response) => {
      request.setEncoding('utf8').on('data', (chunk) => {
        uploaded += chunk
        response.write(`got ${chunk}`)
      })
      request.on('end', () => response.end())
    }
    const opened = open({ method: 'POST', headers: { 'transfer-encoding': 'chunked' } })
    const { request } = opened
    request.write('one')
    await until(() => uploaded === 'one', 'the first part arrived')
    const response = await opened.response
    const [first] = (await once(response.setEncoding('utf8'), 'data')) as [string]
    assert.equal(first, 'got one')
    request.end('two')
    let rest = ''
    for await (const chunk of response) rest += chunk
    assert.equal(rest, 'got two')
  })

  test('a client that does not read stops the upstream', async () => {
    let written = 0
    let isFull = false
    upstream.answer = (_request, response) => {
      const chunk = Buffer.alloc(megabyte)
      const write = () => {
        while (written < 500 && response.write(chunk)) written += 1
        isFull = written < 500
      }
      response.on('drain', write)
      write()
    }
    const opened = open({})
    opened.request.end()
    const response = await opened.response
    response.pause()
    let seen = -1
    // It stops when the buffers between are full.
    await until(() => {
      const isStill = isFull && seen === written
      seen = written
      return isStill
    }, 'the upstream waits')
    assert.ok(written < 200, `${written} MB were taken`)
    response.destroy()
  })

  test('an upstream that does not read stops the client', async () => {
    upstream.answer = () => undefined
    const { request } = open({ method: 'POST', headers: { 'transfer-encoding': 'chunked' } })
    let sent = 0
    const chunk = Buffer.alloc(megabyte)
    while (sent < 500) {
      sent += 1
      if (request.write(chunk)) continue
      const drained = once(request, 'drain').then(() => true)
      // A full buffer stays full.
      if (!(await Promise.race([drained, setTimeout(500, false)]))) break
    }
    assert.ok(sent < 200, `${sent} MB were taken`)
    request.destroy()
  })

  test('a client that disconnects cancels the request', async () => {
    let isCancelled = false
    upstream.answer = (_request, response) => {
      response.once('close', () => {
        isCancelled = true
      })
    }
    const { request } = open({ path: '/api/slow' })
    request.end()
    await until(() => last().url === '/api/slow', 'the request arrived')
    request.destroy()
    await until(() => isCancelled, 'the upstream request was cancelled')
  })

  test('an upload that breaks off never ends as if it were complete', async () => {
    let result = ''
    upstream.answer = (request) => {
      request.once('end', () => {
        result = 'complete'
      })
      request.once('error', () => {
        result = 'broken off'
      })
      request.resume()
    }
    const before = upstream.requests.length
    const { request } = open({ method: 'POST', headers: { 'transfer-encoding': 'chunked' } })
    request.write('a part')
    await until(() => upstream.requests.length > before, 'the request arrived')
    request.destroy()
    await until(() => result !== '', 'the upload ended')
    assert.equal(result, 'broken off')
  })

  test('an answer that breaks off is broken off for the client', async () => {
    for (const headers of [{}, { 'content-length': '100' }]) {
      upstream.answer = (_request, response) => {
        response.writeHead(200, headers)
        response.write('half')
        setImmediate(() => response.destroy())
      }
      const opened = open({})
      opened.request.end()
      const response = await opened.response
      await assert.rejects(response.toArray(), { code: 'ECONNRESET' })
    }
  })

  test('an answer before the end of an upload reaches a client that is still sending', async () => {
    upstream.answer = (_request, response) => sendJson(response, 413, { error: 'too large' })
    const body = randomBytes(4 * megabyte)
    const answer = await gateway.ask({
      method: 'POST',
      path: '/api/files',
      headers: { host },
      body,
    })
    assert.deepEqual([answer.status, JSON.parse(answer.text)], [413, { error: 'too large' }])
  })

  test('redirects, answers without a body and their headers pass unchanged', async () => {
    const headers = { 'content-type': 'text/html', 'x-own': ['a', 'b'], etag: '"5"' }
    for (const status of [204, 301, 304, 404, 500, 503]) {
      upstream.answer = (_request, response) => response.writeHead(status, headers).end()
      const method = status === 204 ? 'OPTIONS' : 'GET'
      const answer = await gateway.ask({ method, path: '/api/emails/', headers: { host } })
      assert.deepEqual(
        [answer.status, answer.headers['x-own'], answer.headers.etag, answer.text],
        [status, 'a, b', '"5"', ''],
      )
    }
    upstream.answer = (_request, response) => {
      response.writeHead(200, { 'content-length': '5' }).end()
    }
    const head = await gateway.ask({ method: 'HEAD', path: '/api/x', headers: { host } })
    assert.deepEqual([head.status, head.headers['content-length']], [200, '5'])
  })

  test('compressed bodies are not touched', async () => {
    const bytes = randomBytes(50)
    upstream.answer = (_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bytes)
    const opened = open({ headers: { 'accept-encoding': 'gzip' } })
    opened.request.end()
    const response = await opened.response
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk as Buffer)
    assert.deepEqual(Buffer.concat(chunks), bytes)
    assert.equal(response.headers['content-encoding'], 'gzip')
  })

  test('headers of a connection stay on it, in both directions', async () => {
    upstream.answer = (_request, response) => {
      response.setHeader('connection', 'close, x-hop')
      response.setHeader('x-hop', 'secret')
      response.setHeader('alt-svc', 'h3=":443"')
      sendJson(response, 200, {})
    }
    const answer = await gateway.ask({
      path: '/api/x',
      headers: {
        host,
        connection: 'close, X-Private, TE',
        'x-private': '1',
        te: 'trailers',
        'keep-alive': 'timeout=5',
        'proxy-authorization': 'Basic eA==',
        'proxy-connection': 'keep-alive',
        upgrade: 'h2c',
        'http2-settings': 'AAMAAABk',
        expect: '100-continue',
      },
    })
    const hops = ['x-private', 'te', 'keep-alive', 'proxy-authorization', 'proxy-connection']
    for (const name of [...hops, 'upgrade', 'http2-settings', 'expect'])
      assert.equal(last().headers[name], undefined, name)
    assert.equal(last().headers.connection, 'keep-alive')
    assert.deepEqual([answer.headers['x-hop'], answer.headers['alt-svc']], [undefined, undefined])
  })

  test('Mautic learns the address, host and scheme of the client, and nothing that the client made up', async () => {
    const made = {
      'x-forwarded-for': '203.0.113.9',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      'x-forwarded-prefix': '/evil',
      x_forwarded_for: '203.0.113.9',
      'x.forwarded.for': '203.0.113.9',
      'client-ip': '203.0.113.9',
      client_ip: '203.0.113.9',
      'cf-connecting-ipv6': '2001:db8::9',
      'x-originating-ip': '203.0.113.9',
      'x-remote-addr': '203.0.113.9',
      'cloudfront-viewer-address': '203.0.113.9:46532',
      'x-realip': '203.0.113.9',
      'x-host': 'evil.example',
      via: '1.1 evil.example',
      'x-original-url': '/s/config',
      'x-rewrite-url': '/s/config',
      proxy: 'http://evil.example',
      forwarded: 'for=203.0.113.9',
    }
    // These say nothing of the client's address.
    const others = { 'x-tooltip': 'a', 'x-membership': 'b', 'x-client': 'c' }
    await gateway.ask({ path: '/api/emails', headers: { host, ...made, ...others } })
    const { headers } = last()
    assert.deepEqual(
      Object.entries(headers).filter(([name]) => name !== 'host' && name !== 'connection'),
      [
        ['x-forwarded-for', '127.0.0.1'],
        ['x-forwarded-host', host],
        ['x-forwarded-proto', 'http'],
        ...Object.entries(others),
      ],
    )
    assert.equal(headers.host, host)
    await gateway.ask({ path: '/mautic/acme/api/emails', headers: made })
    const prefixed = last().headers
    assert.deepEqual(
      [prefixed.host, prefixed['x-forwarded-prefix'], prefixed['x-forwarded-host']],
      [`127.0.0.1:${upstream.port}`, '/mautic/acme', `127.0.0.1:${gateway.port}`],
    )
  })

  test('a Mautic that cannot be reached is answered 502', async () => {
    await upstream.stop()
    const ofApi = await gateway.ask({ path: '/api/emails', headers: { host } })
    assert.deepEqual(
      [ofApi.status, JSON.parse(ofApi.text)],
      [502, { success: false, error: 'Mautic "acme" cannot be reached. Try again later.' }],
    )
    const token = await gateway.ask({ method: 'POST', path: '/oauth/v2/token', headers: { host } })
    assert.equal(token.status, 502)
    const lines = () => gateway.service.logged.map((line) => JSON.parse(line))
    const reported = lines().filter(({ msg }) => msg === 'mautic unreachable').length
    assert.ok(reported > 0)
    const upload = await gateway.ask({
      ...{ method: 'POST', path: '/api/files', headers: { host } },
      body: randomBytes(2 * megabyte),
    })
    assert.equal(upload.status, 502)
    await upstream.start()
    const again = await gateway.ask({ path: '/api/emails', headers: { host } })
    assert.equal(again.status, 200)
    // It is logged once, and not for each request.
    assert.equal(lines().filter(({ msg }) => msg === 'mautic unreachable').length, reported)
    assert.equal(lines().filter(({ msg }) => msg === 'mautic reachable again').length, 1)
  })

  test('a Mautic that does not answer in time is answered 504', async () => {
    const impatient = await openGateway({ mauticAnswerMs: 1 })
    await impatient.connect({ name: 'slow', url: upstream.url, hosts: [host] })
    upstream.answer = () => undefined
    const ofApi = await impatient.ask({ path: '/mautic/slow/api/emails' })
    assert.deepEqual(
      [ofApi.status, JSON.parse(ofApi.text)],
      [504, { success: false, error: 'Mautic "slow" did not answer in time.' }],
    )
    await impatient.close()
  })

  test('while uploads have all connections to a Mautic, its callers are verified', async () => {
    const { length } = upstream.requests
    upstream.answer = (request, response) => {
      if (request.url !== '/api/users/self') return
      sendJson(response, 200, { username: 'ada', role: { name: 'x', isAdmin: true } })
    }
    const headers = { 'transfer-encoding': 'chunked' }
    const uploads = Array.from({ length: 130 }, () =>
      open({ method: 'POST', path: '/api/files', headers }),
    )
    for (const { request } of uploads) request.write('x')
    await until(() => upstream.requests.length - length >= 128, 'all connections are used')
    const bearer = { host, authorization: 'Bearer of-ada' }
    const answer = await gateway.ask({ path: '/api/multipleTransports', headers: bearer })
    for (const { request } of uploads) request.destroy()
    assert.equal(answer.status, 200, answer.text)
  })

  test('the outbound policy applies to the address of a Mautic', async () => {
    const strict = await openGateway({ config: { outboundPolicy: 'public' } })
    const { length } = upstream.requests
    await strict.connect({ name: 'acme', url: upstream.url, hosts: [host] })
    for (const path of ['/mautic/acme/api/emails', '/mautic/acme/api/multipleTransports']) {
      const answer = await strict.ask({ path, headers: { authorization: 'Bearer x' } })
      assert.equal(answer.status, 502, answer.text)
    }
    assert.equal(upstream.requests.length, length)
    assert.match(strict.service.logged.join(''), /MAILYARD_OUTBOUND_ALLOW/)
    await strict.close()
  })
})
