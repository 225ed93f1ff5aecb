import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMauticMessages } from '../../../test/mautic-messages.ts'
import { readMessage } from './read-message.ts'

const read = (lines: readonly string[]) => readMessage([Buffer.from(lines.join('\r\n'))])
const textOf = (message: ReturnType<typeof readMessage>) => Buffer.concat(message.chunks).toString()

test('the head gives the sender, the contact and the Message-ID', () => {
  const { head } = read([
    'Message-ID:',
    '\t< 1@brand.test >',
    'FROM: "Ann, of \\"Brand\\"" (not <x@y.test>)',
    ' <ann@brand.test>, b@c.test',
    'To: Bob <bob@contacts.test>, c@d.test',
    'precedence: BULK',
    'X-EMAIL-ID: 12',
    'x-owner-id: 3',
    'X-Contact-Id:4',
    'X-Mailyard-Transport: =?utf-8?Q?B=C3=A4cker?=',
    ' =?utf-8?Q?ei?=',
    'Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=',
    '',
    'X-EMAIL-ID: 13',
  ])
  assert.deepEqual(head, {
    messageId: '<1@brand.test>',
    from: 'ann@brand.test',
    isBulk: true,
    isList: false,
    listUnsubscribe: undefined,
    subject: '=?utf-8?Q?Gr=C3=BC=C3=9Fe?=',
    to: 'bob@contacts.test',
    transport: 'Bäckerei',
    emailId: 12,
    ownerId: 3,
    contactId: 4,
  })
})

test('malformed headers are ignored', () => {
  const malformed = ['Message-ID: <>', 'From: Ann', 'X-EMAIL-ID: 0', 'X-Owner-Id: -1']
  for (const lines of [
    [...malformed, '', 'body'],
    ['X-Contact-Id: 1e3', 'X-Mailyard-Transport: ', '', ''],
    ...['a\0b', '=?utf-8?Q?a=00b?=', 'x'.repeat(10_000)].map((name) => [
      `X-Mailyard-Transport: ${name}`,
      '',
      '',
    ]),
    [''],
    ['', 'X-EMAIL-ID: 3'],
  ])
    assert.deepEqual(
      Object.entries(read(lines).head).filter(([, value]) => value),
      [],
      lines[0],
    )
})

const senders: [written: string, address: string][] = [
  ['=?utf-8?Q?Zo=C3=AB?= <zoe@owners.test>', 'zoe@owners.test'],
  ['Team: "A, B" <a@team.test>, c@team.test;', 'a@team.test'],
  ['(the boss) boss@brand.test', 'boss@brand.test'],
  ['josé@exämple.test', 'josé@exämple.test'],
  ['"evil@other.test" <real@brand.test>', 'real@brand.test'],
]
for (const [written, address] of senders)
  test(`From: ${written} is ${address}`, () => {
    assert.equal(read([`From: ${written}`, '', '']).head.from, address)
  })

test('own headers are removed, folded or repeated too; the rest stays', () => {
  const message = read([
    'X-EMAIL-ID: 1',
    'Subject: X-EMAIL-ID: 1',
    'X-Mailyard-Transport: a',
    ' X-Normalized: yes',
    'x-email-id: 2',
    ' X-Contact-Id: 9',
    'X-Contact-Identity: stays',
    'X-OWNER-ID: 5',
    '',
    'X-EMAIL-ID: 3',
  ])
  const lines = ['Subject: X-EMAIL-ID: 1', 'X-Contact-Identity: stays', '', 'X-EMAIL-ID: 3']
  assert.equal(textOf(message), lines.join('\r\n'))
  assert.equal(message.head.emailId, 1)
})

test('a head with very many fields passes unchanged', () => {
  const many = Array.from({ length: 6_000 }, (_none, index) => `X-Field: ${index}`)
  const message = read(['X-EMAIL-ID: 1', ...many, '', 'body'])
  assert.equal(message.head.emailId, 1)
  assert.equal(textOf(message), [...many, '', 'body'].join('\r\n'))
})

test('lines may end in LF', () => {
  const message = readMessage([Buffer.from('X-EMAIL-ID: 1\nTo: a@b.test\n\nbody\r\n\r\n')])
  assert.equal(message.head.emailId, 1)
  assert.equal(textOf(message), 'To: a@b.test\n\nbody\r\n\r\n')
})

test('a lone CR ends a line, because it is sent as CRLF', () => {
  const read = (text: string) => {
    const { head, chunks } = readMessage([Buffer.from(text)])
    return [head.emailId, Buffer.concat(chunks).toString()]
  }
  assert.deepEqual(read('A: b\rX-EMAIL-ID: 3\r 4\rC: d\r\n\r\nbody'), [
    undefined,
    'A: b\rC: d\r\n\r\nbody',
  ])
  assert.deepEqual(read('X-EMAIL-ID: 3\rC: d\r\rX-EMAIL-ID: 4\r'), [3, 'C: d\r\rX-EMAIL-ID: 4\r'])
  assert.deepEqual(read('C: d\r\r\nX-EMAIL-ID: 4\r\n'), [undefined, 'C: d\r\r\nX-EMAIL-ID: 4\r\n'])
  assert.deepEqual(read('\rX-EMAIL-ID: 4\r\n'), [undefined, '\rX-EMAIL-ID: 4\r\n'])
})

test('the fingerprint covers the whole message, however it is split into buffers', () => {
  const text = 'X-EMAIL-ID: 1\r\nTo: a@b.test\r\n\r\nbody'
  const whole = readMessage([Buffer.from(text)]).fingerprint()
  const cut = readMessage([Buffer.from(text.slice(0, 7)), Buffer.from(text.slice(7))])
  assert.equal(cut.fingerprint(), whole)
  assert.notEqual(readMessage([Buffer.from(text.replace('1', '2'))]).fingerprint(), whole)
})

test('the body of a large message is not copied', () => {
  const head = Buffer.from('X-EMAIL-ID: 1\r\nTo: a@b.test\r\n\r\n')
  const body = Array.from({ length: 160 }, () => Buffer.alloc(65_536, 'x'))
  const message = readMessage([head, ...body])
  assert.equal(message.holdsTokens, false)
  assert.deepEqual(new Set(message.chunks.slice(1).map((chunk) => chunk.buffer)).size, 160)
  assert.ok(message.chunks.slice(1).every((chunk, index) => chunk.buffer === body[index]?.buffer))
})

test('the messages of a real Mautic lose only our headers', () => {
  const recordings = readMauticMessages()
  assert.ok(recordings.length > 10)
  for (const { name, message: raw } of recordings) {
    const message = readMessage([raw])
    const lines = raw.toString().split('\n')
    const kept = lines.filter((line) => !/^X-(EMAIL|Contact|Owner)-Id: /i.test(line))
    assert.equal(textOf(message), kept.join('\n'), name)
    assert.match(message.head.messageId ?? '', /^<[0-9a-f]{32}@(sender|owners)\.test>$/, name)
    assert.match(message.head.from ?? '', /@(sender|owners)\.test$/, name)
    assert.equal(message.head.isBulk, name.startsWith('segment'), name)
    assert.equal(message.head.emailId !== undefined, /^(segment|campaign)/.test(name), name)
  }
})

test('of a very large head only the beginning is read, and every byte is kept', () => {
  const normalized = `To: a@b.test\r\nSubject: x\r\n${' x\r\n'.repeat(500_000)}`
  const kept = readMessage([Buffer.from(normalized)])
  assert.equal(textOf(kept), normalized)
  assert.equal(kept.head.from, undefined)
  const parts = `--b\r\n${'x: y\r\n'.repeat(10_000)}`.repeat(50)
  const many = `Content-Type: multipart/mixed; boundary=b\r\n\r\n${parts}--b--\r\n`
  assert.equal(textOf(readMessage([Buffer.from(many)])), many)
  const cut = `X-Contact-Id: 4\r\n${'x: y\r\n'.repeat(200_000)}\r\nbody`
  const message = readMessage([Buffer.from(cut)])
  assert.equal(message.head.contactId, 4)
  assert.equal(textOf(message), cut.slice('X-Contact-Id: 4\r\n'.length))
})
