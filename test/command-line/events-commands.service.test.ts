import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { readSample } from '../../src/modules/events/mail/report-samples.case.test.ts'
import { createFolder } from '../mailyard-process.ts'
import { runMailyard } from '../run-mailyard.ts'

const request = [
  {
    event: 'bounce',
    type: 'bounce',
    email: 'jane@example.net',
    timestamp: 1_795_694_400,
    sg_message_id: 'mS5gQ1.recvd-1',
    reason: '550 5.1.1 No such user',
  },
  { event: 'open', email: 'jane@example.net', sg_message_id: 'mS5gQ1.recvd-1' },
]

const events = [
  {
    type: 'bounced',
    recipient: 'jane@example.net',
    providerId: 'mS5gQ1.recvd-1',
    at: '2026-11-26T12:00:00+00:00',
    class: 'hard',
    reason: '550 5.1.1 No such user',
  },
  {
    type: 'ignored',
    recipient: 'jane@example.net',
    providerId: 'mS5gQ1.recvd-1',
    at: null,
    class: null,
    reason: null,
  },
]

const inputOf = (text: string) => new PassThrough().end(text) as unknown as NodeJS.ReadStream

test('a request of a provider is explained as JSON, from a file or standard input, and opens no database', async (t) => {
  const { folder, remove } = createFolder()
  t.after(remove)
  writeFileSync(join(folder, 'request.json'), JSON.stringify(request))
  // A database that cannot be reached.
  const databaseUrl = 'postgres://127.0.0.1:1/none'
  const text = `${JSON.stringify(events, null, 2)}\n`
  for (const more of [['request.json'], ['request.json', '--json'], ['-'], []]) {
    const stdin = inputOf(JSON.stringify(request))
    const args = ['events', 'parse', 'sendgrid', ...more]
    const { code, stdout, stderr } = await runMailyard(args, { folder, stdin, databaseUrl })
    assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: text, stderr: '' })
  }
  assert.deepEqual(readdirSync(folder), ['request.json'])
})

test('an unknown provider is refused with those that are known', async () => {
  const { code, stdout, stderr } = await runMailyard(['events', 'parse', 'sendgird'])
  assert.deepEqual([code, stdout], [2, ''])
  assert.match(stderr, /Did you mean "sendgrid"\? Known are .*postmark/)
  assert.ok(!stderr.includes('gmail'))
})

test('a file that is missing, and what is no request of the provider, are refused', async () => {
  for (const [args, text, fault] of [
    [['ses', 'missing.json'], '', /The file missing\.json cannot be read/],
    [['ses'], '', /unchanged/],
    [['ses'], '<html>', /unchanged/],
    [['ses'], '7', /unchanged/],
  ] as const) {
    const stdin = inputOf(text)
    const { code, stdout, stderr } = await runMailyard(['events', 'parse', ...args], { stdin })
    assert.deepEqual([code, stdout], [2, ''])
    assert.match(stderr, fault)
  }
})

test('a terminal obeys no control character of a request', async () => {
  const stdin = inputOf(JSON.stringify([{ event: 'bounce', reason: '\u001b[2J\u009b2J\u007f' }]))
  const { stdout } = await runMailyard(['events', 'parse', 'sendgrid'], { stdin })
  assert.match(stdout, /^[\n -~]*$/)
  assert.equal(JSON.parse(stdout)[0].reason, '\u001b[2J\u009b2J\u007f')
})

test('a bounce that came by mail is explained as the request of a provider is', async () => {
  const stdin = inputOf(readSample('postfix'))
  const { code, stdout, stderr } = await runMailyard(['events', 'parse', 'mail'], { stdin })
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
  assert.partialDeepStrictEqual(JSON.parse(stdout), [
    { type: 'bounced', recipient: 'jane@example.net', class: 'hard' },
  ])
  const outOfOffice = 'Subject: Out of office\r\n\r\nI am on holiday.\r\n'
  const other = await runMailyard(['events', 'parse', 'mail'], { stdin: inputOf(outOfOffice) })
  assert.equal(JSON.parse(other.stdout)[0].type, 'ignored')
})
