import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { OutboundFetch, type OutboundFetchOptions } from './outbound-fetch.ts'

let answer: RequestListener = (_request, response) => response.end()
const server = createServer((request, response) => answer(request, response))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const opened: OutboundFetch[] = []
after(async () => {
  for (const outbound of opened) await outbound.close()
  server.close()
  server.closeAllConnections()
})

function send(options: Partial<OutboundFetchOptions> = {}, url = `${origin}/token?a=b`) {
  const outbound = new OutboundFetch({ rules: { mode: 'open' }, ...options })
  opened.push(outbound)
  const body = new URLSearchParams({ code: 'a&b' })
  return outbound.fetch(url, { method: 'POST', headers: { accept: 'application/json' }, body })
}

test('a request is sent as a form, and its answer is read', async () => {
  let received = ''
  answer = (request, response) => {
    const { method, url, headers } = request
    void text(request).then((body) => {
      received = `${method} ${url} ${headers.accept} ${body}`
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"x"}')
    })
  }
  const response = await send()
  assert.equal(received, 'POST /token?a=b application/json code=a%26b')
  assert.deepEqual([response.status, await response.json()], [401, { error: 'x' }])
})

test('a redirect is not followed', async () => {
  const paths: (string | undefined)[] = []
  answer = (request, response) => {
    paths.push(request.url)
    response.writeHead(307, { location: `${origin}/other` }).end()
  }
  assert.equal((await send()).status, 307)
  assert.deepEqual(paths, ['/token?a=b'])
})

test('an answer of more than 64 KB is refused, and not read to its end', async () => {
  answer = (_request, response) => {
    response.writeHead(200)
    const write = () => {
      while (!response.destroyed && response.write('x'.repeat(16_384)));
    }
    response.on('drain', write)
    write()
  }
  await assert.rejects(send(), { kind: 'upstream', message: /larger than 64 KB/ })
  answer = (_request, response) => response.end('x'.repeat(64 * 1024))
  assert.equal((await (await send()).text()).length, 64 * 1024)
})

test('a server that does not answer in time, or stops within its answer, is given up', async () => {
  const late = { kind: 'upstream', message: /did not answer within 1 s/ }
  answer = () => undefined
  await assert.rejects(send({ timeoutMs: 50 }), late)
  answer = (_request, response) => response.writeHead(200).write('{')
  await assert.rejects(send({ timeoutMs: 50 }), late)
})

test('a closed port and an address that is not allowed are named', async () => {
  await assert.rejects(send({}, 'http://127.0.0.1:1/'), {
    kind: 'upstream',
    message: /Nothing answers at 127\.0\.0\.1:1 \(connection refused\)/,
  })
  await assert.rejects(send({ rules: { mode: 'public' } }), {
    code: 'outbound_blocked',
    message: /MAILYARD_OUTBOUND_ALLOW/,
  })
})

test('it is a fetch: any method, with text or bytes, and the headers of the answer', async () => {
  const received: string[] = []
  answer = (request, response) => {
    const { method, url, headers } = request
    void text(request).then((body) => {
      received.push(`${method} ${url} ${headers['content-type']} ${body}`)
      response.writeHead(204, { location: '/webhooks/1' }).end()
    })
  }
  const outbound = new OutboundFetch({ rules: { mode: 'open' } })
  opened.push(outbound)
  const asFetch: typeof fetch = outbound.fetch
  const response = await asFetch(new URL(`${origin}/webhooks`))
  assert.deepEqual([response.status, response.headers.get('location')], [204, '/webhooks/1'])
  const headers = new Headers({ 'content-type': 'application/json' })
  await asFetch(`${origin}/webhooks`, { method: 'put', headers, body: '{}' })
  await asFetch(`${origin}/webhooks/1`, { method: 'PATCH', body: Buffer.from('bytes') })
  await asFetch(`${origin}/form`, { method: 'POST', body: new URLSearchParams({ a: 'b c' }) })
  assert.deepEqual(received, [
    'GET /webhooks undefined ',
    'PUT /webhooks application/json {}',
    'PATCH /webhooks/1 undefined bytes',
    'POST /form application/x-www-form-urlencoded;charset=UTF-8 a=b+c',
  ])
})

test('what it cannot send is refused, and not sent in part', async () => {
  const outbound = new OutboundFetch({ rules: { mode: 'open' } })
  opened.push(outbound)
  const body = new FormData()
  await assert.rejects(outbound.fetch(origin, { method: 'POST', body }), TypeError)
  await assert.rejects(outbound.fetch(origin, { method: 'PURGE' }), TypeError)
  await assert.rejects(outbound.fetch(new Request(origin)), TypeError)
})
