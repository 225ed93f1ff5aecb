import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { asAdmin } from '../../../test/administrator.ts'
import { addTransport } from '../../../test/callers.ts'
import { openMailServer } from '../../../test/mail-server.ts'
import { onMailyard } from '../../../test/on-each-database.ts'

const path = '/api/multipleTransports/send/test'
const headers = { accept: 'application/x-ndjson' }
const body = { to: 'ann@example.com' }

interface Line {
  type: string
  stage?: string
  state?: string
  outcome?: string
  member?: string
  hint?: string | null
  result?: { success: boolean; stages: Record<string, unknown>[] }
}

const linesOf = (answer: string): Line[] =>
  answer
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

const withoutTimes = (answer: string) =>
  JSON.parse(answer.replace(/"durationMs":\d+/g, '"durationMs":0'))

onMailyard('a streamed test', { isOwn: true }, (shared) => {
  let listening: Promise<string> | undefined
  const stream = (url: string, values: object) => shared.ask('POST', url, values, { headers })

  test('sends each stage when it begins and ends, and the same answer at the end', async () => {
    const server = await openMailServer({ refusal: { code: 554, message: 'No thanks' } })
    const mailerDsn = `smtp://127.0.0.1:${server.port}`
    const { id } = await addTransport(shared.service, { mailerDsn })
    const plain = await shared.ask('POST', `${path}/${id}`, body)
    const answer = await stream(`${path}/${id}`, body)
    await server.close()
    assert.equal(answer.headers['content-type'], 'application/x-ndjson; charset=utf-8')
    assert.equal(answer.headers['x-accel-buffering'], 'no')
    const lines = linesOf(answer.text)
    const { type, result } = lines.at(-1) ?? assert.fail('no line')
    assert.equal(type, 'result')
    assert.deepEqual(withoutTimes(JSON.stringify(result)), withoutTimes(plain.text))
    const finished = lines.filter(({ state }) => state === 'finished')
    for (const stage of result?.stages ?? []) {
      const last = finished.findLast((line) => line.stage === stage['stage'])
      assert.deepEqual(last, { type: 'stage', state: 'finished', ...stage })
    }
    const data = lines.filter(({ stage }) => stage === 'data')
    assert.deepEqual(
      data.map(({ state, outcome }) => [state, outcome]),
      [
        ['started', undefined],
        ['finished', 'failed'],
      ],
    )
  })

  test('of a list names the member of each stage', async () => {
    const mailerDsn = 'failover(null://null inbox://local smtp://localhost:1)'
    const lines = linesOf((await stream(path, { ...body, mailerDsn })).text)
    const members = new Set(lines.flatMap(({ member }) => member ?? []))
    assert.deepEqual([...members], ['null://null', 'inbox://local', 'smtp://localhost:1'])
    assert.equal(lines.at(-1)?.result?.success, false)
  })

  test('that cannot start is answered as an error', async () => {
    const missing = await stream(`${path}/999999`, body)
    assert.deepEqual([missing.status, missing.body.success], [404, false])
    const faulty = await stream(path, { ...body, mailerDsn: 'gopher://x' })
    assert.deepEqual([faulty.status, Object.keys(faulty.body.details)], [400, ['mailerDsn']])
  })

  for (const accept of ['application/x-ndjson', 'application/json'])
    test(`stops when the client disconnects, and is not remembered (${accept})`, async () => {
      // It accepts the connection and never greets.
      const connected = Promise.withResolvers<Socket>()
      const silent = createServer((socket) => connected.resolve(socket))
      silent.listen(0, '127.0.0.1')
      await once(silent, 'listening')
      const { port } = silent.address() as AddressInfo
      const { id } = await addTransport(shared.service, { mailerDsn: `smtp://127.0.0.1:${port}` })
      listening ??= shared.service.listen()
      const url = await listening
      const client = new AbortController()
      const asked = fetch(`${url}${path}/${id}`, {
        method: 'POST',
        headers: { accept, authorization: asAdmin, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: client.signal,
      })
      const failed = asked.then(
        (answer) => answer.text().catch(String),
        (error: unknown) => String(error),
      )
      const socket = await connected.promise
      socket.on('error', () => undefined)
      if (accept === 'application/x-ndjson') {
        // The first lines arrive while the test waits for the greeting.
        const { body: first } = await asked
        assert.ok(first)
      }
      const closed = once(socket.resume(), 'close')
      client.abort()
      await closed
      assert.match(await failed, /abort/i)
      silent.close()
      const query = `with=lastTest&search=ids:${id}`
      const listed = await shared.ask('GET', `/api/multipleTransports?${query}`)
      assert.equal(listed.body[0].lastTest, null)
    })
})
