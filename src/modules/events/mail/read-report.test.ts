import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ProviderEvent } from '../../../libraries/mailer/index.ts'
import { readReport } from './read-report.ts'
import { composeStatus, readSample } from './report-samples.case.test.ts'

async function read(source: string | Uint8Array): Promise<ProviderEvent[]> {
  const { events, problem } = await readReport(Buffer.from(source))
  assert.equal(problem, undefined)
  return [...events]
}

async function recipientsOf(source: string) {
  return (await read(source)).map(({ recipient }) => recipient)
}

async function problemOf(source: string | Uint8Array): Promise<string> {
  const { problem } = await readReport(Buffer.from(source))
  return problem ?? assert.fail('It was read as a report.')
}

/** What a block about one recipient means. */
async function readFields(fields: string) {
  const [event] = await read(
    composeStatus([`Final-Recipient: rfc822; jane@example.net\n${fields}`]),
  )
  return event ?? assert.fail('There is no event.')
}

test('a bounce of Postfix names the address that it was sent to, not the one behind it', async () => {
  assert.deepEqual(await read(readSample('postfix')), [
    {
      type: 'bounced',
      recipient: 'jane@example.net',
      providerId: null,
      otherIds: ['<order-1@shop.example>'],
      at: Date.parse('2026-11-26T10:47:08Z'),
      class: 'hard',
      reason:
        '550 5.1.1 <jane@example.net>: Recipient address rejected: User unknown in virtual mailbox table',
      eventId: '<20261126104708.7858820E02A@mx.example.net>',
    },
  ])
})

test('a bounce of Exchange is read, whose returned message is whole', async () => {
  const [event, ...others] = await read(readSample('exchange'))
  assert.deepEqual(others, [])
  assert.deepEqual(
    [event?.type, event?.class, event?.recipient],
    ['bounced', 'hard', 'jane@example.net'],
  )
  assert.deepEqual(event?.otherIds, ['<order-1@shop.example>'])
  assert.match(event?.reason ?? '', /^550 5\.1\.10 RESOLVER\.ADR\.RecipientNotFound/)
})

test('a delay of Gmail is deferred, at the time of the last attempt', async () => {
  const [event] = await read(readSample('gmail'))
  assert.deepEqual([event?.type, event?.class], ['deferred', null])
  assert.equal(event?.at, Date.parse('2026-11-26T11:12:30Z'))
  assert.deepEqual(event?.otherIds, ['<order-1@shop.example>'])
  assert.match(event?.reason ?? '', /timed out\]$/)
})

test('a full mailbox that Amazon reports is a soft bounce', async () => {
  const [event] = await read(readSample('amazon'))
  assert.deepEqual([event?.type, event?.class], ['bounced', 'soft'])
  assert.equal(event?.at, Date.parse('2026-11-26T11:00:02Z'))
})

test('a feedback report of Yahoo is a complaint', async () => {
  assert.partialDeepStrictEqual(await read(readSample('yahoo')), [
    {
      type: 'complained',
      recipient: 'jane@example.net',
      otherIds: ['<order-1@shop.example>'],
      at: Date.parse('2026-11-26T11:20:40Z'),
      reason: 'abuse',
    },
  ])
})

test('a feedback report that does not name the recipient takes the one of the returned message', async () => {
  const outlook = readSample('outlook')
  assert.equal((await read(outlook))[0]?.recipient, 'jane@example.net')
  const withoutHeader = outlook.replace(/^X-HmXmr.*\r\n/m, '')
  assert.equal((await read(withoutHeader))[0]?.recipient, 'customers@example.com')
  const toSeveral = withoutHeader.replace(/^To: "Our.*$/m, 'To: a@example.net, b@example.net')
  assert.equal((await read(toSeveral))[0]?.recipient, null)
})

test('a feedback report may name several recipients', async () => {
  const rest = 'Original-Rcpt-To: <joe@example.net>\r\nOriginal-Rcpt-To: jane@example.net'
  const report = readSample('yahoo').replace('Original-Rcpt-To: jane@example.net', rest)
  assert.deepEqual(await recipientsOf(report), ['joe@example.net', 'jane@example.net'])
})

test('an opt-out is an unsubscribe, and what is no wish of the recipient is ignored', async () => {
  const typeOf = async (feedback: string) => {
    const report = readSample('yahoo').replace('Feedback-Type: abuse', `Feedback-Type: ${feedback}`)
    return (await read(report))[0]?.type
  }
  for (const feedback of ['opt-out', 'opt-out-list'])
    assert.equal(await typeOf(feedback), 'unsubscribed')
  assert.equal(await typeOf('Abuse'), 'complained')
  for (const feedback of ['virus', 'fraud', 'not-spam', 'other', 'auth-failure', ''])
    assert.equal(await typeOf(feedback), 'ignored', feedback)
})

test('the action decides the type', async () => {
  const actions: Record<string, string[]> = {
    bounced: ['failed', 'FAILED (after 5 days)'],
    deferred: ['delayed'],
    delivered: ['delivered', 'expanded'],
    ignored: ['relayed', 'unheard'],
  }
  for (const [type, ofType] of Object.entries(actions))
    for (const action of ofType) assert.equal((await readFields(`Action: ${action}`)).type, type)
  assert.equal((await readFields('Status: 5.1.1')).type, 'bounced')
})

test('only a status that is about the address is a hard bounce', async () => {
  const hard = [
    '5.1.1',
    '5.1.2',
    '5.1.6',
    '5.1.10',
    '5.2.1',
    '5.0.0\n\nDiagnostic-Code: 550 #5.1.1',
  ]
  const soft = ['4.4.7', '4.1.1', '5.0.0', '5.1.8', '5.2.2', '5.3.4', '5.4.7', '5.7.1', '', 'x']
  for (const name of ['Diagnostic-Code: x\nDiagnostic-Code', 'X-Supplementary-Info'])
    soft.push(`5.1.1\n${name}: <mx #5.7.1>`)
  for (const status of hard)
    assert.equal((await readFields(`Action: failed\nStatus: ${status}`)).class, 'hard', status)
  for (const status of soft)
    assert.equal((await readFields(`Action: failed\nStatus: ${status}`)).class, 'soft', status)
})

/** What the text of a message means that is no report. */
const readText = async (headers: string, text: string) => {
  const { events } = await readReport(Buffer.from(`${headers}\r\n\r\n${text}`))
  return [events[0]?.type, events[0]?.class]
}

const toServer = 'From: Mail Delivery System <Mailer-Daemon@x.test>\r\nAuto-Submitted: auto-replied'
const toAnswer = 'From: jane@x.test\r\nAuto-Submitted: auto-replied'
const texts: [headers: string, text: string, meaning: unknown[]][] = [
  ...[
    'This mailbox is unavailable until 12 January.',
    'I am away, call 555-0100 or +49 451 1234.',
    'I am away until 4.12.26, and back on 5.1.27.',
    'This account is disabled while I am away. Call: 550 1234',
    '550 User unknown',
  ].map((text): (typeof texts)[number] => [toAnswer, text, ['ignored', null]]),
  ['Auto-Submitted: auto-generated\r\nFrom: a@x.test', 'Mailbox unavailable', ['ignored', null]],
  [
    'From: jane@x.test\r\nSubject: Re: Help',
    'Yes.\r\n> Your account is disabled\r\n> 550 5.1.1 User unknown',
    ['ignored', null],
  ],
  ['From: jane@x.test', 'This mailbox is unavailable until 12 January.', ['bounced', 'soft']],
  ['From: jane@x.test', 'Your account is disabled. Call 555-0100.', ['bounced', 'soft']],
  [toAnswer, '550 5.1.1 User unknown', ['bounced', 'hard']],
  [toAnswer, 'Sorry, no mailbox here by that name. (#5.1.1)', ['bounced', 'hard']],
  [toServer, 'host mx.test said: 550 5.1.1 User unknown (in reply)', ['bounced', 'hard']],
  [toServer, 'host mx.test [192.0.2.1]: 550 User unknown', ['bounced', 'hard']],
  [toServer, 'User unknown', ['bounced', 'hard']],
  [toServer, '550 5.1.1 User unknown,\r\nblocked by our policy', ['bounced', 'soft']],
  [
    toServer,
    'but sender was rejected.\r\nRemote host said: 550 5.1.1 unknown',
    ['bounced', 'soft'],
  ],
  [toServer, '>>> MAIL From:<a@x.test>\r\n<<< 550 5.1.1 unknown', ['bounced', 'soft']],
  [toServer, 'WARNING MESSAGE ONLY\r\n\r\n550 5.1.1 User unknown', ['deferred', null]],
  [toServer, 'I give up.', ['bounced', 'soft']],
  [toServer, '451 4.4.1 No answer from host', ['deferred', null]],
  [toServer, '    452 try again', ['deferred', null]],
]

test('a text is a bounce only with the words of a server: the answer of a person and of their program is none', async () => {
  for (const [headers, text, meaning] of texts)
    assert.deepEqual(await readText(headers, text), meaning, text)
})

test('each recipient of a report is an event, with or without blank lines between them and their fields', async () => {
  const recipients = [
    'Final-Recipient: rfc822; a@example.net\nAction: failed\nStatus: 5.1.1',
    'Original-Recipient: rfc822; b@example.net\nFinal-Recipient: rfc822; c@example.net\nAction: delayed\nStatus: 4.2.2',
    'Final-Recipient: x400; /S=jane/\nAction: failed\nStatus: 5.1.1',
  ]
  for (const fields of [recipients, [recipients.join('\n')]])
    assert.deepEqual(
      (await read(composeStatus(fields))).map(({ type, recipient }) => `${type} ${recipient}`),
      ['bounced a@example.net', 'deferred b@example.net'],
    )
  const torn = composeStatus([
    'Final-Recipient: rfc822; a@example.net',
    'Status: 4.4.1',
    'Action: delayed',
  ])
  assert.deepEqual(await recipientsOf(torn), ['a@example.net'])
})

test('an address is read with a name and a comment, and with Unicode as RFC 6533 writes it', async () => {
  const report = composeStatus([
    'Final-Recipient: utf-8; J\\x{F6}rg@example.net\nAction: failed\nStatus: 5.1.1',
    'Final-Recipient: utf-8; jörg@example.net (Jörg)\nAction: failed\nStatus: 5.1.1',
    'Final-Recipient: rfc822; Jane <jane@example.net>\nAction: failed\nStatus: 5.1.1',
  ]).replace('message/delivery-status', 'message/global-delivery-status')
  const addresses = ['Jörg@example.net', 'jörg@example.net', 'jane@example.net']
  assert.deepEqual(await recipientsOf(report), addresses)
})

test('what a returned message contains is no report', async () => {
  const inner = readSample('postfix')
  const outer = composeStatus(['Final-Recipient: rfc822; real@example.net\nAction: delayed'])
    .replace('text/rfc822-headers', 'message/rfc822')
    .replace('To: jane@example.net', inner.slice(0, inner.indexOf('\r\n--')))
  assert.deepEqual(await recipientsOf(outer), ['real@example.net'])
})

test('other mail is no report, and the problem says what to send', async () => {
  const reply = 'From: a@example.net\r\nSubject: Out of office\r\n\r\nI am on holiday.\r\n'
  const html = `Content-Type: text/html; charset=utf-8\r\n${reply}`
  const bare = 'Content-Type: multipart/report; boundary=b\r\n\r\n--b\r\n\r\nHello\r\n--b--\r\n'
  for (const message of [reply, html, bare, '']) assert.match(await problemOf(message), /no report/)
})

test('a report of broken bytes is read as far as it makes sense, in words that every database stores', async () => {
  const [text = '', rest = ''] = composeStatus([
    'Final-Recipient: rfc822; jane@example.net\nAction: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 @@ no\n such user',
  ]).split('@@')
  const bytes = Buffer.concat([
    Buffer.from(text),
    Buffer.from([0xff, 0x00, 0xed, 0xa0, 0x80, 0x1b, 0x5b]),
    Buffer.from(rest),
  ])
  const [event] = await read(bytes)
  assert.equal(event?.class, 'hard')
  assert.match(event?.reason ?? '', /^550 .* no such user$/)
  assert.doesNotMatch(event?.reason ?? '', /\p{Cc}/u)
  assert.equal(event?.reason?.isWellFormed(), true)
})

test('a truncated report says what it has said so far', async () => {
  const whole = readSample('postfix')
  for (let end = 0; end < whole.length; end += 97) {
    const { events, problem } = await readReport(Buffer.from(whole.slice(0, end)))
    if (problem !== undefined) continue
    for (const event of events) assert.match(event.recipient ?? '', /@/)
  }
})

test('a report that is nested too deeply is none', async () => {
  const levels = Array.from({ length: 100 }, (_, level) => {
    return `--b${level}\r\nContent-Type: multipart/mixed; boundary=b${level + 1}\r\n\r\n`
  })
  const source = `Content-Type: multipart/report; boundary=b0\r\n\r\n${levels.join('')}`
  assert.match(await problemOf(source), /^The message cannot be read: .*nesting depth/)
})

test('of a report with too many recipients, as many are read as a message may have', async () => {
  const recipients = Array.from(
    { length: 1_500 },
    (_, at) => `Final-Recipient: rfc822; u${at}@example.net\nAction: failed\nStatus: 5.1.1`,
  )
  assert.equal((await read(composeStatus(recipients))).length, 1_000)
})

test('whatever the fields are, reading a report does not fail', async () => {
  const names = ['Final-Recipient', 'Original-Recipient', 'Action', 'Status', 'Diagnostic-Code']
  const field = fc.tuple(fc.constantFrom(...names), fc.string({ unit: 'binary', maxLength: 60 }))
  const block = fc.array(field, { maxLength: 8 })
  const write = (fields: [string, string][]) => fields.map((each) => each.join(': ')).join('\n')
  await fc.assert(
    fc.asyncProperty(fc.array(block, { maxLength: 4 }), async (blocks) => {
      const reading = await readReport(Buffer.from(composeStatus(blocks.map(write))))
      if ('events' in reading) assert.doesNotMatch(JSON.stringify(reading), /\\u0000/)
    }),
    { numRuns: 200 },
  )
})
