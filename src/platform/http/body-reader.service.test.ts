import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { asAdmin, basicHeader } from '../../../test/administrator.ts'
import { addUser } from '../../../test/callers.ts'
import { openTestApp, type TestApp } from '../../../test/test-app.ts'
import { until } from '../../../test/until.ts'

const megabyte = 1_048_576
const memoryMegabytesMax = 32
const path = '/api/twigTemplates/batch/new'

let service: TestApp
let port = 0
before(async () => {
  service = await openTestApp({ config: { memoryMegabytesMax } })
  port = Number(new URL(await service.listen()).port)
})
after(() => service.close())

/** Whether all of the memory is free. */
function isFree(): boolean {
  const half = (memoryMegabytesMax / 2) * megabyte
  const isFree = service.app.memory.tryAcquire(half, 'test')
  if (isFree) service.app.memory.release(half, 'test')
  return isFree
}

/** Sends the head of a request and a part of its body. */
function sendPart(
  part: string | Buffer,
  options: { size?: number; as?: string; path?: string } = {},
) {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.on('error', () => undefined)
  const lines = [
    `POST ${options.path ?? path} HTTP/1.1`,
    'Host: a',
    `Authorization: ${options.as ?? asAdmin}`,
    'Content-Type: application/json',
    `Content-Length: ${options.size ?? 15 * megabyte}`,
  ]
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  socket.write(part)
  return socket
}

async function readStatus(socket: Socket): Promise<number> {
  const [answer] = (await once(socket, 'data')) as [Buffer]
  return Number(/^HTTP\/1\.1 (\d+) /.exec(String(answer))?.[1])
}

test('unfinished bodies of one caller take its share and no more, and others are answered meanwhile', async () => {
  const piece = Buffer.alloc(megabyte, 'x')
  const statuses: number[] = []
  const sockets = Array.from({ length: 40 }, () => {
    const socket = sendPart(piece)
    void readStatus(socket).then(
      (status) => statuses.push(status),
      () => undefined,
    )
    return socket
  })
  // Half of the memory, three bytes for each byte received: at most five of them are kept.
  await until(() => statuses.length >= 35, 'those above the share are answered')
  assert.deepEqual([...new Set(statuses)], [429])
  const { username, password } = await addUser(service, { contact: ['full'] })
  const email = `${'x'.repeat(50)}@example.com`
  const headers = {
    authorization: basicHeader(username, password),
    'content-type': 'application/json',
  }
  const body = JSON.stringify({ email, firstname: 'x'.repeat(100) })
  const url = `http://127.0.0.1:${port}/api/contacts/new`
  const answer = await fetch(url, { method: 'POST', headers, body })
  assert.equal(answer.status, 201, await answer.text())
  for (const socket of sockets) socket.destroy()
  await until(isFree, 'all memory is released')
})

test('an answer above the share says when to try again, and closes the connection', async () => {
  const holding = Array.from({ length: 5 }, () => sendPart(Buffer.alloc(megabyte, 'x')))
  await until(() => !isFree(), 'the share is used')
  const socket = sendPart(Buffer.alloc(4 * megabyte, 'x'), { size: 4 * megabyte })
  let answer = ''
  for await (const chunk of socket) answer += String(chunk)
  assert.match(answer, /^HTTP\/1\.1 429 /)
  assert.match(answer, /^retry-after: 5\r$/im)
  assert.match(answer, /^connection: close\r$/im)
  for (const each of holding) each.destroy()
  await until(isFree, 'all memory is released')
})

test('clients without a log-in have two fifths of the memory together', async () => {
  const { app } = service
  assert.equal(app.memory.tryAcquire(0, 'test'), true)
  const bodies = Array.from({ length: 200 }, () =>
    sendPart(Buffer.alloc(60_000, 'x'), { path: '/oauth/v2/token', size: 61_000, as: 'none' }),
  )
  const statuses: number[] = []
  for (const socket of bodies)
    void readStatus(socket).then(
      (status) => statuses.push(status),
      () => undefined,
    )
  // 6 MB for one network, three bytes for each: about 35 bodies.
  await until(() => statuses.length >= 160, 'those above the share are answered')
  assert.deepEqual([...new Set(statuses)], [429])
  for (const socket of bodies) socket.destroy()
  await until(isFree, 'all memory is released')
})

const valid = JSON.stringify([{ name: 'x', template: 'x'.repeat(200_000) }])
const endings: readonly [how: string, run: () => Promise<unknown>][] = [
  ['it is answered', () => service.ask('POST', path, valid, json)],
  ['it is no JSON', () => service.ask('POST', path, `${valid}}`, json)],
  ['it has a wrong encoding', () => service.ask('POST', path, valid, withEncoding('gzip'))],
  [
    'it is too large',
    () => service.ask('POST', '/api/contacts/new', ' '.repeat(2 * megabyte), json),
  ],
  ['its content type is unknown', () => service.ask('POST', path, valid, ofType('text/x'))],
  ['its caller is unknown', () => service.ask('POST', path, valid, { ...json, as: ['a', 'b'] })],
  [
    'the client disconnects before its end',
    async () => {
      const socket = sendPart(valid, { size: 2 * megabyte })
      await until(() => !isFree(), 'it is received')
      socket.destroy()
    },
  ],
  [
    'the client disconnects before the answer',
    async () => {
      const socket = sendPart(valid, { size: valid.length })
      await once(service.server.server, 'request')
      socket.destroy()
    },
  ],
  [
    'the client disconnects with other requests in its pipeline',
    async () => {
      const socket = sendPart(`${valid}`, { size: valid.length })
      socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: ${asAdmin}\r\n`)
      socket.write(`Content-Type: application/json\r\nContent-Length: 500000\r\n\r\n${valid}`)
      await until(() => !isFree(), 'it is received')
      socket.destroy()
    },
  ],
]
const json = { headers: { 'content-type': 'application/json' } }
const ofType = (type: string) => ({ headers: { 'content-type': type } })
const withEncoding = (encoding: string) => ({
  headers: { ...json.headers, 'content-encoding': encoding },
})

for (const [how, run] of endings) {
  test(`the memory of a body is released when ${how}`, async () => {
    await run()
    await until(isFree, 'all memory is released')
  })
}
