import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Reply } from '../../mailer/index.ts'
import { type ComposeNotificationOptions, composeNotification } from './compose-notification.ts'
import type { RecipientStatus } from './notification.ts'
import { readNotification } from './read-notification.case.test.ts'

const receivedAt = Date.UTC(2026, 10, 23, 2, 47, 8)
const now = receivedAt + 60_000
const original =
  'From: Lab <lab@sender.test>\r\nTo: nouser@rcpt.test\r\nSubject: Hello\r\nMessage-ID: <1@sender.test>\r\n\r\nHi\r\n'
const smtp = (code: number, enhancedCode: string | null, text: string): Reply => {
  return { protocol: 'smtp', code, enhancedCode, text }
}
const unknownUser = smtp(550, '5.1.1', '<nouser@rcpt.test>: User unknown in virtual mailbox table')
const failed: RecipientStatus = {
  address: 'nouser@rcpt.test',
  action: 'failed',
  reply: unknownUser,
  remoteMta: '127.0.0.1',
}

interface Changes extends Partial<Omit<ComposeNotificationOptions, 'message'>> {
  message?: Partial<ComposeNotificationOptions['message']>
}

const compose = ({ message, ...changes }: Changes = {}) =>
  composeNotification({
    message: {
      sender: 'lab+bounce_60a3@sender.test',
      notification: undefined,
      receivedAt,
      raw: Buffer.from(original),
      ...message,
    },
    recipients: [failed],
    reportingMta: 'mail.example.com',
    from: { name: 'Mail Delivery System', address: 'MAILER-DAEMON@mail.example.com' },
    id: 'notification.17',
    now,
    returnedBytesMax: 100_000,
    ...changes,
  })
const composed = async (changes: Changes = {}) => readNotification((await compose(changes)).raw)
const fieldsOf = async (recipient: Partial<RecipientStatus>) =>
  (await composed({ recipients: [{ ...failed, ...recipient }] })).ofRecipients[0] ?? {}

test('it goes to the sender of the message, from the null sender, and asks for no notification', async () => {
  const { envelope, raw } = await compose()
  assert.deepEqual(envelope, {
    from: '',
    to: ['lab+bounce_60a3@sender.test'],
    notification: { recipients: { 'lab+bounce_60a3@sender.test': { notify: 'NEVER' } } },
  })
  const { email } = await readNotification(raw)
  assert.deepEqual(email.from, {
    name: 'Mail Delivery System',
    address: 'MAILER-DAEMON@mail.example.com',
  })
  assert.equal(email.to?.[0]?.address, 'lab+bounce_60a3@sender.test')
  assert.equal(email.subject, 'Not delivered: Hello')
  assert.equal(email.messageId, '<notification.17@mail.example.com>')
  assert.equal(email.inReplyTo, '<1@sender.test>')
  assert.equal(email.references, '<1@sender.test>')
  assert.equal(email.date, new Date(now).toISOString())
})

test('its report has the fields that Postfix writes for the same refusal', async () => {
  const fixture = readFileSync(join(import.meta.dirname, 'postfix-notification.eml'))
  const ofPostfix = await readNotification(fixture)
  const text =
    '<nouser@rcpt.test>: Recipient address rejected: User unknown in virtual mailbox table'
  const ours = await composed({
    message: {
      notification: {
        return: 'HDRS',
        envelopeId: 'QQ+2B1',
        recipients: { 'nouser@rcpt.test': { originalRecipient: 'rfc822;nouser+2Bx@rcpt.test' } },
      },
    },
    recipients: [{ ...failed, reply: smtp(550, '5.1.1', text) }],
  })
  const withoutOwn = Object.entries(ofPostfix.ofMessage)
    .filter(([name]) => !name.startsWith('X-'))
    .map(([name, value]) => [name, value.replace(' (UTC)', '')])
  assert.deepEqual(ours.ofMessage, Object.fromEntries(withoutOwn))
  assert.deepEqual(ours.ofRecipients, ofPostfix.ofRecipients)
  assert.equal(ours.returned?.type, ofPostfix.returned?.type)
})

test('Mautic finds recipient, action and diagnosis', async () => {
  const { raw } = await compose({
    message: {
      notification: {
        recipients: { 'nouser@rcpt.test': { originalRecipient: 'rfc822;nouser@rcpt.test' } },
      },
    },
  })
  const report = raw.toString()
  assert.match(report, /Original-Recipient: rfc822;nouser@rcpt\.test\r\n/)
  assert.match(report, /Final-Recipient: ?rfc822; nouser@rcpt\.test\r\n/)
  assert.match(report, /Action: failed\r\n/)
  assert.match(report, /Diagnostic-Code: smtp; 550 5\.1\.1 .*User unknown in virtual mailbox/)
})

test('Mautic takes a refused address for bounced in any words of the server, and no other failure', async () => {
  // The last rules of its DSN parser and of its body parser.
  const heading = /Delivery to the following recipients failed.*\n.*\n.*nouser@rcpt\.test/i
  const body = /delivery[^\n\r]+failed[ \S]*\s+(\S+@\S+\w)\s/i
  const odd = smtp(550, '5.1.1', 'Sorry, R1')
  const { text } = await composed({ recipients: [{ ...failed, reply: odd }] })
  assert.match(text, heading)
  assert.match(text, body)
  for (const other of [
    { reply: smtp(554, '5.7.1', 'Sorry, R1') },
    { reply: smtp(451, '4.3.0', 'Sorry, R1'), hasExpired: true },
    { reply: null, reason: 'mx.test does not answer.', hasExpired: true },
    { action: 'delayed' as const, reply: smtp(451, '4.3.0', 'Sorry, R1') },
  ]) {
    const { text } = await composed({
      recipients: [{ ...failed, ...other }],
      message: { raw: Buffer.from(original.replace('Hello', 'Your mailbox is full of offers')) },
    })
    assert.doesNotMatch(text, heading)
    assert.doesNotMatch(text, body)
    const generic = /(alias|account|recipient|address|email|mailbox|user).*(full|invalid)|bad /i
    assert.doesNotMatch(text, generic)
  }
})

test('a person reads what happened, the words of the server, and what to do', async () => {
  const { text } = await composed({
    recipients: [
      { ...failed, remoteMta: 'mx.rcpt.test', hint: 'Correct the address.' },
      { address: 'b@rcpt.test', action: 'failed', reply: null, reason: 'It is too large.' },
      {
        address: 'jörg@rcpt.test',
        action: 'delayed',
        reply: smtp(450, '4.2.1', 'später'),
        willRetryUntil: Date.UTC(2026, 10, 24),
      },
    ],
  })
  assert.match(text, /failed\..*\n\n {2}nouser@rcpt\.test\n/)
  assert.match(
    text,
    / The server mx\.rcpt\.test answered: 550 5\.1\.1 <nouser@rcpt\.test>: User unk/,
  )
  assert.match(text, / Correct the address\.\n/)
  assert.match(text, /refused .*\n\n {2}b@rcpt\.test\n {4}It is too large\.\n/)
  assert.match(text, /not been delivered .*\n\n {2}jörg@rcpt\.test\n.*450 4\.2\.1 später\n/)
  assert.match(text, /again until Tue, 24 Nov 2026 00:00:00 \+0000/)
  assert.match(text, /Message-ID: <1@sender\.test>/)
})

test('the status is that of the server if it fits what happened', async () => {
  const expired = { hasExpired: true }
  for (const [recipient, status] of [
    [{ reply: unknownUser }, '5.1.1'],
    [{ reply: smtp(550, null, 'No') }, '5.0.0'],
    [{ reply: smtp(550, '2.0.0', 'No') }, '5.0.0'],
    [{ reply: { ...smtp(422, '5.1.1', 'No'), protocol: 'http' } }, '5.0.0'],
    [{ reply: null }, '5.0.0'],
    [{ ...expired, reply: smtp(451, '4.7.1', 'Greylisted') }, '4.7.1'],
    [{ ...expired, reply: null }, '4.4.7'],
    [{ action: 'delayed', reply: smtp(451, '4.7.1', 'Greylisted') }, '4.7.1'],
    [{ action: 'delayed', reply: unknownUser }, '4.0.0'],
    [{ action: 'relayed', reply: smtp(250, '2.6.0', 'Ok') }, '2.6.0'],
    [{ action: 'delivered', reply: null }, '2.0.0'],
  ] as [Partial<RecipientStatus>, string][])
    assert.equal((await fieldsOf(recipient))['Status'], status, JSON.stringify(recipient))
})

test('the diagnosis has the type of the protocol; without a reply there is none', async () => {
  const http = { ...smtp(422, 'ErrorCode 406', 'Inactive recipient'), protocol: 'http' as const }
  const { 'Diagnostic-Code': diagnosis } = await fieldsOf({ reply: http })
  assert.equal(diagnosis, 'x-http; 422 ErrorCode 406 Inactive recipient')
  assert.equal((await fieldsOf({ reply: null }))['Diagnostic-Code'], undefined)
})

test('times and the end of retries are shown where they apply', async () => {
  const times = { lastAttemptAt: now, willRetryUntil: now + 1_000 }
  const delayed = await fieldsOf({ action: 'delayed', ...times })
  assert.equal(delayed['Last-Attempt-Date'], 'Mon, 23 Nov 2026 02:48:08 +0000')
  assert.equal(delayed['Will-Retry-Until'], 'Mon, 23 Nov 2026 02:48:09 +0000')
  assert.equal((await fieldsOf(times))['Will-Retry-Until'], undefined)
})

test('an internationalized address is reported in 7-bit', async () => {
  const address = 'jörg@münchen.test'
  const { ofRecipients } = await composed({
    message: {
      notification: {
        recipients: { [address]: { originalRecipient: 'utf-8;j\\x{F6}rg@m\\x{FC}nchen.test' } },
      },
    },
    recipients: [
      { ...failed, address },
      { ...failed, address: 'joe@münchen.test' },
    ],
  })
  const [first, second] = ofRecipients
  assert.equal(first?.['Final-Recipient'], 'utf-8; j\\x{F6}rg@xn--mnchen-3ya.test')
  assert.equal(first?.['Original-Recipient'], 'utf-8;j\\x{F6}rg@m\\x{FC}nchen.test')
  assert.equal(second?.['Final-Recipient'], 'rfc822; joe@xn--mnchen-3ya.test')
})

test('the message is returned in full only after a failure, on request, and up to the limit', async () => {
  const full = { message: { notification: { return: 'FULL' } } } as const
  const delayed = { recipients: [{ ...failed, action: 'delayed' as const }] }
  const head = original.slice(0, original.indexOf('\r\n\r\n') + 2)
  for (const [changes, type, body] of [
    [full, 'message/rfc822', original],
    [{}, 'text/rfc822-headers', head],
    [{ message: { notification: { return: 'HDRS' } } }, 'text/rfc822-headers', head],
    [{ ...full, ...delayed }, 'text/rfc822-headers', head],
    [{ ...full, returnedBytesMax: 50 }, 'text/rfc822-headers', head],
  ] as [Changes, string, string][]) {
    const { returned } = await composed(changes)
    assert.equal(returned?.type, type)
    assert.equal(returned?.encoding, '7bit')
    assert.equal(returned?.body.toString(), body)
  }
  assert.equal((await composed({ message: { raw: undefined } })).returned, undefined)
})

test('a message with bytes that no part can carry is returned as its header', async () => {
  const long = 'x'.repeat(2_000)
  for (const [raw, type, encoding] of [
    [`Subject: s\r\n\r\n${long}\r\n`, 'text/rfc822-headers', '7bit'],
    ['Subject: s\r\n\r\na\0b\r\n', 'text/rfc822-headers', '7bit'],
    [`Subject: ${long}\r\n\r\nx\r\n`, 'text/rfc822-headers', 'quoted-printable'],
    ['Subject: s\r\n\r\njörg\r\n', 'message/rfc822', '8bit'],
    ['Subject: jörg\r\n\r\nx\r\n', 'message/global', 'quoted-printable'],
    [`Subject: jörg\r\n\r\n${long}\r\n`, 'message/global-headers', 'quoted-printable'],
    [`Subject: s\r\n${'X: y\r\n'.repeat(50_000)}\r\nx\0`, 'text/rfc822-headers', '7bit'],
    ['\r\nno header\0', 'text/rfc822-headers', '7bit'],
    ['', 'message/rfc822', '7bit'],
  ] as const) {
    const message = { raw: Buffer.from(raw), notification: { return: 'FULL' as const } }
    const { returned } = await composed({ message, returnedBytesMax: 1e6 })
    assert.deepEqual([returned?.type, returned?.encoding], [type, encoding], raw.slice(0, 40))
    assert.ok((returned?.body.length ?? 0) < 70_000)
  }
})
