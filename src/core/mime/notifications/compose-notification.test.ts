import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { ServerReply } from '../../../libraries/mailer/index.ts'
import { type ComposeNotificationOptions, composeNotification } from './compose-notification.ts'
import type { FailedRecipient } from './notification.ts'
import { type ReportFields, readNotification } from './read-notification.case.test.ts'

const receivedAt = Date.UTC(2026, 10, 23, 2, 47, 8)
const now = receivedAt + 60_000
const original =
  'From: Lab <lab@sender.test>\r\nTo: nouser@rcpt.test\r\nSubject: Hello\r\nMessage-ID: <1@sender.test>\r\n\r\nHi\r\n'
const smtp = (code: number, enhancedCode: string | null, text: string): ServerReply => {
  return { protocol: 'smtp', code, enhancedCode, text }
}
const unknownUser = smtp(550, '5.1.1', '<nouser@rcpt.test>: User unknown in virtual mailbox table')
const failed: FailedRecipient = {
  address: 'nouser@rcpt.test',
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
      receivedAt,
      raw: Buffer.from(original),
      ...message,
    },
    recipients: [failed],
    reportingMta: 'mail.example.com',
    from: { name: 'Mail Delivery System', address: 'MAILER-DAEMON@mail.example.com' },
    id: 'notification.17',
    now,
    ...changes,
  })
const composed = async (changes: Changes = {}) => readNotification((await compose(changes)).raw)
const fieldsOf = async (recipient: Partial<FailedRecipient>) =>
  (await composed({ recipients: [{ ...failed, ...recipient }] })).ofRecipients[0] ?? {}

test('it goes to the sender of the message, from the null sender', async () => {
  const { envelope, raw } = await compose()
  assert.deepEqual(envelope, { from: '', to: ['lab+bounce_60a3@sender.test'] })
  const { email } = await readNotification(raw)
  assert.partialDeepStrictEqual(email, {
    from: { name: 'Mail Delivery System', address: 'MAILER-DAEMON@mail.example.com' },
    to: [{ address: 'lab+bounce_60a3@sender.test' }],
    subject: 'Not delivered: Hello',
    messageId: '<notification.17@mail.example.com>',
    inReplyTo: '<1@sender.test>',
    references: '<1@sender.test>',
    date: new Date(now).toISOString(),
  })
})

test('its report has the fields that Postfix writes for the same refusal', async () => {
  const fixture = readFileSync(join(import.meta.dirname, 'postfix-notification.eml'))
  const ofPostfix = await readNotification(fixture)
  const text =
    '<nouser@rcpt.test>: Recipient address rejected: User unknown in virtual mailbox table'
  const ours = await composed({ recipients: [{ ...failed, reply: smtp(550, '5.1.1', text) }] })
  // Those of Postfix that begin with X- are its own; the others are what its sender has asked for.
  const withoutOwn = (fields: ReportFields) =>
    Object.fromEntries(
      Object.entries(fields)
        .filter(([name]) => !/^(X-|Original-)/.test(name))
        .map(([name, value]) => [name, value.replace(' (UTC)', '')]),
    )
  assert.deepEqual(ours.ofMessage, withoutOwn(ofPostfix.ofMessage))
  assert.deepEqual(ours.ofRecipients, ofPostfix.ofRecipients.map(withoutOwn))
  assert.equal(ours.returned?.type, ofPostfix.returned?.type)
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
      { address: 'b@rcpt.test', reply: null, reason: 'It is too large.' },
      { address: 'jörg@rcpt.test', reply: smtp(450, '4.2.1', 'später'), hasExpired: true },
    ],
  })
  for (const part of [
    /nouser@rcpt\.test\n.*mx\.rcpt\.test.* 550 5\.1\.1 <nouser@rcpt\.test>: User unk/,
    / Correct the address\.\n/,
    /b@rcpt\.test\n {4}It is too large\.\n/,
    /jörg@rcpt\.test\n.*450 4\.2\.1 später\n/,
    /Message-ID: <1@sender\.test>/,
  ])
    assert.match(text, part)
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
  ] as [Partial<FailedRecipient>, string][])
    assert.equal((await fieldsOf(recipient))['Status'], status, JSON.stringify(recipient))
})

test('the diagnosis has the type of the protocol; without a reply there is none', async () => {
  const http = { ...smtp(422, 'ErrorCode 406', 'Inactive recipient'), protocol: 'http' as const }
  const { 'Diagnostic-Code': diagnosis } = await fieldsOf({ reply: http })
  assert.equal(diagnosis, 'x-http; 422 ErrorCode 406 Inactive recipient')
  assert.equal((await fieldsOf({ reply: null }))['Diagnostic-Code'], undefined)
})

test('an address is reported in 7-bit, a quoted one as it is', async () => {
  for (const [address, reported] of [
    ['jörg@münchen.test', 'utf-8; j\\x{F6}rg@xn--mnchen-3ya.test'],
    ['joe@münchen.test', 'rfc822; joe@xn--mnchen-3ya.test'],
    ['"odd user"@x.test', 'rfc822; "odd user"@x.test'],
  ] as const) {
    const { ofRecipients } = await composed({ recipients: [{ ...failed, address }] })
    assert.equal(ofRecipients[0]?.['Final-Recipient'], reported)
  }
})

test('the header of the message is returned, in an encoding that can carry it', async () => {
  const head = original.slice(0, original.indexOf('\r\n\r\n') + 2)
  assert.equal((await composed()).returned?.body.toString(), head)
  assert.equal((await composed({ message: { raw: undefined } })).returned, undefined)
  const long = 'x'.repeat(2_000)
  for (const [raw, type, encoding] of [
    [`Subject: s\r\n\r\n${long}\0jörg\r\n`, 'text/rfc822-headers', '7bit'],
    [`Subject: ${long}\r\n\r\nx\r\n`, 'text/rfc822-headers', 'quoted-printable'],
    ['Subject: a\0b\r\n\r\nx\r\n', 'text/rfc822-headers', 'quoted-printable'],
    ['Subject: jörg\r\n\r\nx\r\n', 'message/global-headers', 'quoted-printable'],
    [`Subject: s\r\n${'X: y\r\n'.repeat(50_000)}\r\nx`, 'text/rfc822-headers', '7bit'],
    ['\r\nno header\0', 'text/rfc822-headers', '7bit'],
    ['', 'text/rfc822-headers', '7bit'],
  ] as const) {
    const { returned } = await composed({ message: { raw: Buffer.from(raw) } })
    assert.deepEqual([returned?.type, returned?.encoding], [type, encoding], raw.slice(0, 40))
    assert.ok((returned?.body.length ?? 0) < 70_000)
  }
})
