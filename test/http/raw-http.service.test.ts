import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { before, test } from 'node:test'
import fc from 'fast-check'
import { asAdmin } from '../administrator.ts'
import { onMailyard } from '../on-each-database.ts'

const login = `Authorization: ${asAdmin}`
const health = 'GET /healthz HTTP/1.1\r\nHost: a\r\n'
const post = `POST /api/users/new HTTP/1.1\r\nHost: a\r\n${login}\r\n`
const chunked = `${post}Transfer-Encoding: chunked\r\n\r\n`
const last = 'GET /readyz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'

/** What is sent, and the statuses of what comes back; the connection is closed after it. */
const exchanges: Record<string, [sent: string, statuses: number[]]> = {
  'no Host in HTTP/1.1': [`GET /healthz HTTP/1.1\r\n\r\n${last}`, [400, 200]],
  'no Host in HTTP/1.0': ['GET /healthz HTTP/1.0\r\n\r\n', [200]],
  'the preface of HTTP/2': ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400]],
  'a version that is not there': ['GET /healthz HTTP/3.0\r\nHost: a\r\n\r\n', [400]],
  'the first bytes of TLS': ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', [400]],
  'no HTTP at all': ['hello\r\n\r\n', [400]],
  'a path with its host': [`GET http://b/healthz HTTP/1.1\r\nHost: a\r\n\r\n${last}`, [200, 200]],
  'an unknown path with its host': [
    `GET http://b/api/unknown HTTP/1.1\r\nHost: a\r\n\r\n${last}`,
    [401, 200],
  ],
  'a wrong method of a path with its host': [
    `GET http://b/api/users/new HTTP/1.1\r\nHost: a\r\n${login}\r\n\r\n${last}`,
    [405, 200],
  ],
  'a host alone': [`GET http://b HTTP/1.1\r\nHost: a\r\n\r\n${last}`, [200, 200]],
  'a path with a broken escape': [`GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n${last}`, [400, 200]],
  'a path without a slash': ['GET healthz HTTP/1.1\r\nHost: a\r\n\r\n', [400]],
  'a star': [`OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n${last}`, [405, 200]],
  CONNECT: ['CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n', [405]],
  'a method that is none': ['FOO /healthz HTTP/1.1\r\nHost: a\r\n\r\n', [400]],
  'an upgrade to WebSocket': [
    `${health}Connection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n`,
    [200],
  ],
  'an unknown expectation': [`${post}Expect: x\r\nContent-Length: 2\r\n\r\n{}`, [417]],
  'an unknown expectation beside an empty one': [
    `${post}Expect:\r\nExpect: x\r\nContent-Length: 2\r\n\r\n{}`,
    [417],
  ],
  'the expectation 100-continue': [
    `${post}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}${last}`,
    [400, 200],
  ],
  'both lengths': [
    `${post}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${last}`,
    [400],
  ],
  'both lengths, in reverse order': [
    `${post}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n${last}`,
    [400],
  ],
  'two lengths': [`${post}Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcde${last}`, [400]],
  'a list of lengths': [`${post}Content-Length: 2, 2\r\n\r\n{}${last}`, [400]],
  'a length below zero': [`${post}Content-Length: -1\r\n\r\n${last}`, [400]],
  'a length with a sign': [`${post}Content-Length: +2\r\n\r\n{}${last}`, [400]],
  'a length that overflows': [
    `${post}Content-Length: 18446744073709551618\r\n\r\n{}${last}`,
    [400],
  ],
  'a length above the limit': [`${post}Content-Length: 2000000\r\n\r\n{}`, [413]],
  'a coding that is not there': [`${post}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`, [400]],
  'a coding after chunked': [`${post}Transfer-Encoding: chunked, x\r\n\r\n0\r\n\r\n`, [400]],
  'a hidden coding': [`${post}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`, [400]],
  'a coding on a line of its own': [
    `${post}Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n`,
    [400],
  ],
  'a chunk without a size': [`${chunked}ZZ\r\n{}\r\n0\r\n\r\n${last}`, [400]],
  'a chunk whose size overflows': [`${chunked}FFFFFFFFFFFFFFFFF\r\n{}\r\n0\r\n\r\n`, [400]],
  'a chunk longer than its size': [`${chunked}1\r\n{}\r\n0\r\n\r\n${last}`, [400]],
  'chunks with bare line feeds': [`${chunked}2\n{}\n0\n\n${last}`, [400]],
  'chunks with extensions': [`${chunked}2;a=b\r\n{}\r\n0\r\n\r\n${last}`, [400, 200]],
  'chunks with endless extensions': [`${chunked}2;a=${'b'.repeat(20_000)}\r\n{}\r\n`, [413]],
  'a header that is too large': [`${health}X: ${'b'.repeat(300_000)}\r\n\r\n`, [431]],
  'a path that is too long': [`GET /${'b'.repeat(300_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, [431]],
  'a folded header': [`${health}X: a\r\n b\r\n\r\n`, [400]],
  'a NUL in a header': [`${health}X: a\0b\r\n\r\n`, [400]],
  'a bare carriage return': ['GET /healthz HTTP/1.1\r\nHost: a\rX: y\r\n\r\n', [400]],
  'bare line feeds': ['GET /healthz HTTP/1.1\nHost: a\n\n', [400]],
  'three requests at once': [
    `${health}\r\nGET /api/users HTTP/1.1\r\nHost: a\r\n\r\n${last}`,
    [200, 401, 200],
  ],
  'a request in the body of another': [
    `${health}Content-Length: 43\r\n\r\nDELETE /api/users/1 HTTP/1.1\r\nHost: abcd\r\n\r\n${last}`,
    [200, 200],
  ],
  'a request after a body that was refused': [
    `POST /api/users/new HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n{"a":${last}`,
    [401, 200],
  ],
}

onMailyard('invalid HTTP requests', { isOwn: true }, (shared) => {
  let port: number
  before(async () => {
    port = Number(new URL(await shared.service.listen()).port)
  })

  for (const [name, [sent, statuses]] of Object.entries(exchanges)) {
    test(`${name} is answered ${statuses.join(', ')}`, async () => {
      const answers = readAnswers(await exchange(port, Buffer.from(sent, 'latin1')))
      const shownStatuses = answers.map(({ status }) => status)
      assert.deepEqual(shownStatuses, statuses)
      for (const { status, body } of answers) {
        if (status < 400) continue
        const { success, error } = JSON.parse(body) as Record<string, unknown>
        assert.equal(success, false)
        assert.equal(typeof error, 'string')
      }
    })
  }

  test('requests with bytes changed at random are answered, or the connection is closed', async () => {
    const whole = `${post}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}${last}`
    const change = fc.tuple(fc.nat(whole.length - 1), fc.nat(255), fc.boolean())
    const property = fc.asyncProperty(
      fc.array(change, { minLength: 1, maxLength: 4 }),
      async (changes) => {
        const bytes = Buffer.from(whole, 'latin1')
        for (const [place, byte] of changes) bytes[place] = byte
        const isCut = changes.some(([, , cuts]) => cuts)
        const answer = await exchange(
          port,
          isCut ? bytes.subarray(0, changes[0]?.[0]) : bytes,
          true,
        )
        for (const { status } of readAnswers(answer)) assert.ok(status < 500, String(status))
      },
    )
    await fc.assert(property, { numRuns: 500 })
    assert.equal((await shared.ask('GET', '/healthz')).status, 200)
  })
})

const patienceMs = 10_000

/** Sends bytes, and collects what comes until the other side hangs up; `ends` hangs up first. */
function exchange(port: number, bytes: Buffer, ends = false): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    let text = ''
    socket.setTimeout(patienceMs, () =>
      socket.destroy(new Error(`It was left open after: ${text}`)),
    )
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
    })
    socket.once('error', (error: NodeJS.ErrnoException) => {
      // The server discards what was sent after its answer, so the connection may be reset.
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') resolve(text)
      else reject(error)
    })
    socket.once('end', () => socket.end())
    socket.once('close', () => resolve(text))
    if (ends) socket.end(bytes)
    else socket.write(bytes)
  })
}

/** Splits what came into answers; each must say how long it is. */
function readAnswers(text: string): { status: number; body: string }[] {
  const answers: { status: number; body: string }[] = []
  for (let rest = text; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n')
    assert.notEqual(end, -1, rest)
    const head = rest.slice(0, end)
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1])
    if (status === 100) {
      rest = rest.slice(end + 4)
      continue
    }
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1])
    assert.ok(Number.isInteger(length), head)
    answers.push({ status, body: rest.slice(end + 4, end + 4 + length) })
    rest = rest.slice(end + 4 + length)
  }
  return answers
}
