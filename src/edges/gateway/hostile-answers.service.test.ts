import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { type OpenGateway, openGateway } from '../../../test/gateway/open-gateway.ts'

const body = 'Content-Length: 2\r\n\r\n{}'
const ok = `HTTP/1.1 200 OK\r\n${body}`
const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n'
/** A text of UTF-8, in the bytes that a server would send. */
const bytes = (text: string) => Buffer.from(text).toString('latin1')

/** Answers that no server should give; they are sent as Latin-1. */
const answers: Record<string, string> = {
  'a reason phrase of UTF-8': `HTTP/1.1 200 ${bytes('été 日本')}\r\n${body}`,
  'a control character in the reason phrase': `HTTP/1.1 404 a\x01\x7fb\r\n${body}`,
  'a line feed in the reason phrase': `HTTP/1.1 200 a\nX: y\r\n${body}`,
  'a reason phrase of 100,000 bytes': `HTTP/1.1 200 ${'x'.repeat(100_000)}\r\n${body}`,
  'no reason phrase': `HTTP/1.1 200\r\n${body}`,
  'the status 000': `HTTP/1.1 000 x\r\n${body}`,
  'the status 999': `HTTP/1.1 999 x\r\n${body}`,
  'the status 1000': `HTTP/1.1 1000 x\r\n${body}`,
  'a status that is no number': `HTTP/1.1 abc x\r\n${body}`,
  'the status 100 without need': `HTTP/1.1 100 Continue\r\n\r\n${ok}`,
  'early hints': `HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n${ok}`,
  'a thousand early hints': `${'HTTP/1.1 103 x\r\n\r\n'.repeat(1_000)}${ok}`,
  'another protocol': 'HTTP/1.1 101 x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nabc',
  'an upgrade that is offered': `HTTP/1.1 426 x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n${body}`,
  'two headers Transfer-Encoding': `${chunked}Transfer-Encoding: gzip\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  'two headers Location': `HTTP/1.1 301 x\r\nLocation: /a\r\nLocation: /b\r\n${body}`,
  'a Location that is no URL': `HTTP/1.1 301 x\r\nLocation: /\\[\r\n${body}`,
  'a Location of UTF-8': `HTTP/1.1 301 x\r\nLocation: /api/${bytes('日本')}\r\n${body}`,
  'a header of UTF-8': `HTTP/1.1 200 x\r\nX-A: ${bytes('日本')}\r\n${body}`,
  'a header with a control character': `HTTP/1.1 200 x\r\nX-A: a\x01b\r\n${body}`,
  'a header without a name': `HTTP/1.1 200 x\r\n: y\r\n${body}`,
  'a header of UTF-8 in its name': `HTTP/1.1 200 x\r\n${bytes('é')}: y\r\n${body}`,
  'a folded header': `HTTP/1.1 200 x\r\nX-A: a\r\n b\r\n${body}`,
  'headers that every object has': `HTTP/1.1 200 x\r\n${[
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
  ]
    .map((name) => `${name}: a\r\n${name}: b\r\nx-${name}: c\r\n`)
    .join('')}${body}`,
  'headers of ours, twice': `HTTP/1.1 200 x\r\nX-Request-Id: a\r\nX-Request-Id: b\r\nDate: a\r\nDate: b\r\nETag: a\r\nETag: b\r\n${body}`,
  'thousands of headers': `HTTP/1.1 200 x\r\n${'X-A: y\r\n'.repeat(2_000)}${body}`,
  'a header of 100,000 bytes': `HTTP/1.1 200 x\r\nX-A: ${'y'.repeat(100_000)}\r\n${body}`,
  'a keep-alive of years': `HTTP/1.1 200 x\r\nKeep-Alive: timeout=99999999999\r\n${body}`,
  'malformed trailers': `${chunked}Trailer: X\r\n\r\n2\r\n{}\r\n0\r\nX: ${bytes('日本')}\r\nContent-Length: 5\r\n__proto__: x\r\n\r\n`,
  'a malformed chunk': `${chunked}\r\nzz\r\n{}\r\n0\r\n\r\n`,
  'a chunk that breaks off': `${chunked}\r\nff\r\n{}`,
  'two lengths': `HTTP/1.1 200 x\r\nContent-Length: 1\r\n${body}`,
  'a length beyond all numbers': 'HTTP/1.1 200 x\r\nContent-Length: 99999999999999999999\r\n\r\n{}',
  'a negative length': 'HTTP/1.1 200 x\r\nContent-Length: -1\r\n\r\n{}',
  'a length that is too short': 'HTTP/1.1 200 x\r\nContent-Length: 1\r\n\r\n{}',
  'a length that is too long': 'HTTP/1.1 200 x\r\nContent-Length: 9\r\n\r\n{}',
  'a body of 204': `HTTP/1.1 204 x\r\n${body}`,
  'a body of 205': `HTTP/1.1 205 x\r\n${body}`,
  'a body of 304': `HTTP/1.1 304 x\r\n${body}`,
  'two answers': ok + ok,
  'HTTP/0.9': 'HTTP/0.9 200 x\r\n\r\n{}',
  'HTTP/1.0': 'HTTP/1.0 200 x\r\n\r\n{}',
  'HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'a request': 'GET / HTTP/1.1\r\n\r\n',
  nothing: '',
  'null bytes': '\0\0\0\0',
}

describe('a Mautic that answers what no server should', () => {
  let gateway: OpenGateway
  let server: Server
  let answer = ok
  before(async () => {
    server = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => socket.end(answer, 'latin1'))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    gateway = await openGateway()
    await gateway.connect({ name: 'acme', url: `http://127.0.0.1:${port}` })
  })
  after(async () => {
    await gateway.close()
    server.close()
  })

  /** Sends a request to the gateway; returns all that came back. */
  const ask = (method: string, path: string) =>
    gateway.sendRaw(
      `${method} /mautic/acme${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer x\r\nConnection: close\r\n\r\n`,
    )
  /** A client gets one answer of HTTP, or a connection that ends; and the next request is answered as always. */
  const assertContained = async (name: string) => {
    for (const [method, path] of [
      ['GET', '/api/x'],
      ['HEAD', '/api/x'],
      ['GET', '/api/multipleTransports'],
    ] as const) {
      const received = await ask(method, path).catch(() => '')
      if (received === '') continue
      const [, status = '', phrase = ''] = /^HTTP\/1\.1 (\d{3}) ([ -~]*)\r\n/.exec(received) ?? []
      assert.match(status, /^[2-5]\d\d$/, `${name}: ${received.slice(0, 100)}`)
      assert.doesNotMatch(phrase, /été|x{9}/)
      if (status === '502') assert.match(received, /"success":false|\r\n\r\n$/, name)
    }
    const next = answer
    answer = ok
    assert.match(await ask('GET', '/api/next'), /^HTTP\/1\.1 200 OK\r\n/, name)
    answer = next
  }

  for (const [name, text] of Object.entries(answers))
    test(`${name}: disturbs no other request`, async () => {
      answer = text
      await assertContained(name)
    })

  test('bytes that were changed at random disturb no other request', async () => {
    const seed = Number(process.env['HOSTILE_SEED'] ?? 1)
    let state = seed
    const random = (below: number) => {
      state = (state * 48_271) % 2_147_483_647
      return state % below
    }
    const texts = Object.values(answers).filter((text) => text.length < 1_000)
    for (let count = 0; count < 100; count += 1) {
      const characters = [...(texts[random(texts.length)] ?? '')]
      for (let changes = random(4); changes >= 0; changes -= 1)
        characters[random(characters.length + 1)] = String.fromCharCode(random(256))
      answer = characters.join('')
      await assertContained(`HOSTILE_SEED=${seed}, ${count}: ${JSON.stringify(answer)}`)
    }
  })

  test('its reason phrase is not passed on', async () => {
    answer = `HTTP/1.1 404 Secret\r\n${body}`
    assert.match(await ask('GET', '/api/x'), /^HTTP\/1\.1 404 Not Found\r\n/)
  })

  test('nothing of an answer that is refused stays in the answer to the client', async () => {
    answer = `HTTP/1.1 999 x\r\nX-Left: 1\r\nETag: "1"\r\n${body}`
    const received = await ask('GET', '/api/x')
    assert.match(received, /^HTTP\/1\.1 502 Bad Gateway\r\n/)
    assert.doesNotMatch(received, /x-left|etag/i)
  })
})
