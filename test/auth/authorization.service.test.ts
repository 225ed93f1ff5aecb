import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { adminPassword } from '../administrator.ts'
import { addUser } from '../callers.ts'
import { createClient } from '../http/send-request.ts'
import { onMailyard } from '../on-each-database.ts'
import { volume } from '../volume.ts'

const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64')
const basic = (text: string | Buffer) => `Basic ${base64(text)}`

const broken = [
  'Basic',
  'Basic ',
  'Basic  ',
  'Basic !!!',
  'Basic ====',
  'Basic YWRtaW4',
  basic('admin'),
  basic(':'),
  basic('admin:'),
  basic(`:${adminPassword}`),
  basic(`admin\0:${adminPassword}`),
  basic(`admin:${adminPassword}\0`),
  basic(`admin:${adminPassword} `),
  basic(`admin:${adminPassword}\n`),
  basic(Buffer.from([0xff, 0xfe, 0x3a, 0xff])),
  basic("' OR '1'='1:x"),
  basic(`%:${adminPassword}`),
  basic('x'.repeat(20_000)),
  `Basic ${base64(base64(`admin:${adminPassword}`))}`,
  `Basic Basic ${base64(`admin:${adminPassword}`)}`,
  `Basic,${base64(`admin:${adminPassword}`)}`,
  `Digest username="admin"`,
  'Bearer',
  'Bearer ',
  'Bearer null',
  'Bearer undefined',
  'Bearer %00',
  "Bearer ' OR '1'='1",
  `Bearer ${'x'.repeat(100_000)}`,
  'Bearer \u00ff\u0080',
  'Negotiate abc',
  'x',
  ',',
  '\u00ff',
]

onMailyard('an Authorization header that is broken', { isOwn: true }, (shared) => {
  test('is answered 401 with the accepted schemes', async () => {
    const client = createClient(await shared.service.listen())
    try {
      for (const header of broken) {
        const answer = await client.send(self, header)
        assert.equal(answer.status, 401, `${header.slice(0, 60)} ${answer.text}`)
        assert.match(String(answer.headers['www-authenticate']), /Bearer .*Basic /)
        assert.equal(JSON.parse(answer.text).success, false)
        assert.ok(!answer.text.includes(adminPassword))
      }
    } finally {
      client.close()
    }
  })

  test('of any kind is answered without a fault, and gives no access', async () => {
    const client = createClient(shared.service.server.listeningOrigin)
    const anything = fc.string({ unit: 'binary-ascii', maxLength: 30 })
    const header = fc.oneof(
      fc
        .tuple(fc.constantFrom('Basic ', 'Bearer ', 'basic  ', ''), anything)
        .map((parts) => parts.join('')),
      fc.tuple(anything, anything).map((parts) => basic(parts.join(':'))),
    )
    const sendable = header.map((text) => text.replaceAll(/[^\t\x20-\x7e]/g, '?'))
    const property = fc.asyncProperty(sendable, async (text) => {
      const { status } = await client.send(self, text)
      assert.ok(status === 401 || status === 429, `${text} ${status}`)
    })
    try {
      await fc.assert(property, { numRuns: volume({ short: 100, full: 1_000 }) })
    } finally {
      client.close()
    }
  })
})

const self = { method: 'GET', target: '/api/users/self', headers: {}, body: undefined }

onMailyard('guesses at a password', (shared) => {
  test('are throttled if they come in parallel, as if they came one by one', async () => {
    const { service } = shared
    const user = await addUser(service, { email: ['view'] })
    const guesses = Array.from({ length: 60 }, (_, index) =>
      service.ask('GET', '/api/users/self', undefined, { as: [user.username, `guess ${index}`] }),
    )
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)
    const tried = statuses.filter((status) => status === 401).length
    assert.ok(tried <= 12, `${tried} of them were tried`)
    assert.equal(statuses.filter((status) => status === 429).length, statuses.length - tried)
  })
})
