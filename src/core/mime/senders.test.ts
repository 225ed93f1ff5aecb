import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMauticMessages } from '../../../test/mautic-messages.ts'
import { readMessage, readRendered } from './read-message.ts'

const sendersOf = (head: string) =>
  readMessage([Buffer.from(`${head}\r\nSubject: From: b@other.test\r\n\r\nFrom: b@other.test\r\n`)])
    .senders

const a = 'a@shop.test'
const b = 'b@other.test'

test('every address of From, Sender, Resent-From and Resent-Sender is a sender, those of From first', () => {
  const heads: Record<string, [head: string, senders: string[]]> = {
    plain: [`From: ${a}`, [a]],
    'name and comment': [`FROM: "Ann, of \\"Shop\\" <${b}>" (not ${b}) <${a}>`, [a]],
    'quote in a comment': [`From: (") ${a} (")`, [a]],
    'encoded name': [`From: =?utf-8?Q?B=C3=A4cker_=3C${b.replace('@', '=40')}=3E?= <${a}>`, [a]],
    'name that is not ASCII': [`From: Bäcker <${a}>`, [a]],
    'address that is not ASCII': ['From: jörg@bücher.test', ['jörg@bücher.test']],
    list: [`From: ${a}, Ben <${b}>`, [a, b]],
    'list with a semicolon': [`From: ${a}; ${b}`, [a, b]],
    group: [`From: Team: ${a}, Ben <${b}>;`, [a, b]],
    'group and mailbox': [`From: Team: ${a};, ${b}`, [a, b]],
    'group in a group': [`From: Team: Others: ${b};, ${a};`, [b, a]],
    'folded header': [`From: Ann\r\n\t<${a}>,\r\n ${b}`, [a, b]],
    'folded before its value': [`From:\r\n ${a}`, [a]],
    'folded with a lone CR': [`From: ${a},\r ${b}`, [a, b]],
    'lone CR between headers': [`From: ${a}\rSender: ${b}`, [a, b]],
    'lone LF between headers': [`From: ${a}\nSender: ${b}`, [a, b]],
    'space before the colon': [`From: ${a}\r\nSender : ${b}`, [a, b]],
    'From and Sender': [`Sender: ${b}\r\nFrom: ${a}`, [a, b]],
    'every header': [
      `Resent-Sender: d@d.test\r\nResent-From: c@c.test\r\nSender: ${b}\r\nFrom: ${a}\r\nResent-From: e@e.test`,
      [a, b, 'c@c.test', 'e@e.test', 'd@d.test'],
    ],
    'as long as is read': [`From: "${'x'.repeat(8_176)}" <${a}>`, [a]],
  }
  for (const [name, [head, senders]] of Object.entries(heads))
    assert.deepEqual(sendersOf(head), senders, name)
})

test('a message whose senders another program may read in another way has a problem instead', () => {
  const problems: Record<string, [head: string, problem: RegExp]> = {
    'no From': ['To: c@c.test', /no header From/],
    'Sender alone': [`Sender: ${a}`, /no header From/],
    'Resent-From alone': [`Resent-From: ${a}`, /no header From/],
    'two From': [`From: ${a}\r\nfrom: ${b}`, /2 headers From/],
    'the same From twice': [`From: ${a}\r\nFrom: ${a}`, /2 headers From/],
    'two Sender': [`From: ${a}\r\nSender: ${a}\r\nSender: ${b}`, /2 headers Sender/],
    '8,193 bytes': [`From: "${'x'.repeat(8_177)}" <${a}>`, /header From is too long/],
    '8,193 bytes in two headers': [
      `From: ${a}\r\nResent-From: "${'x'.repeat(8_166)}" <${a}>`,
      /header Resent-From is too long/,
    ],
    '5,001st header': [
      `From: ${a}\r\n${'X: y\r\n'.repeat(4_999)}Sender: ${b}`,
      /head of the message/,
    ],
    'head of more than 512 KiB': [
      `From: ${a}\r\nX: ${'y'.repeat(524_288)}\r\nSender: ${b}`,
      /head of the message/,
    ],
    'line that is no header': [`From: ${a}\r\nSen der: ${b}`, /head of the message/],
    'lone CR in a header': [`From: ${a},\r${b}`, /head of the message/],
    'NUL in the name of a header': [`From: ${a}\r\nSender\0: ${b}`, /head of the message/],
    'header that begins the message with a space': [
      ` From: ${b}\r\nFrom: ${a}`,
      /head of the message/,
    ],
  }
  const values: Record<string, string> = {
    empty: '',
    'name only': 'Ann',
    'angle brackets only': '<>',
    'empty group': 'Team:;',
    'empty group and mailbox': `Team:;, ${a}`,
    'mailbox without a domain': 'Ann <ann>',
    'name without an address in a list': `Ann, ${a}`,
    'local part is missing': '<@shop.test>',
    'domain is missing': '<a@>',
    'two addresses in one mailbox': `${b} <${a}>`,
    'two addresses in angle brackets': `<${a}> <${b}>`,
    'address in an address': `<${a}<${b}>`,
    'two @': `b@other.test@shop.test`,
    'list in angle brackets': `<${a},${b}>`,
    'non-breaking space': `${b}\u00a0${a}`,
    route: `<@other.test,@c.test:${a}>`,
    'route without brackets': `@other.test:${a}`,
    'IP address': 'a@[192.0.2.1]',
    'quoted local part': `"${b}"@shop.test`,
    'quoted local part in brackets': '<"a b"@shop.test>',
    'comment in an address': '<a(b)@shop.test>',
    'comment around the @': 'a(b)@(c)shop.test',
    'nested comment': `((x) ${a}) ${b}`,
    'nested comment that hides an address': `("(") ${b} (")") <${a}>`,
    'open comment': `${a} (${b}`,
    'open quote': `${a} "${b}`,
    'quoted address after an address': `<${a}> "${b}"`,
    'quoted address beside an address': `${a}"${b}"`,
    'name before an address without brackets': `Ann ${a}`,
    'open bracket of an IP address': `${a}[`,
    'escaped quote': `\\"${a}" <${b}>`,
    'encoded address': `=?utf-8?B?${Buffer.from(`<${b}>`).toString('base64')}?=`,
    'encoded address in brackets': `<=?utf-8?Q?${b.replace('@', '=40')}?=>`,
    'encoded local part': `=?utf-8?Q?${b.replace('@', '=40')}=00?=@shop.test`,
    'encoded domain': 'a@=?utf-8?Q?other.test?=',
    'address in an encoded word': `=?utf-8?Q?${b}?= <${a}>`,
    NUL: `a@shop.test\0.other.test`,
    'NUL in a quoted name': `"Ann\0" <${a}>`,
    'other control character': `${a}\u001b$B`,
    'line end of Unicode (NEL)': `${a}\u0085${b}`,
  }
  for (const [name, [head, problem]] of Object.entries(problems))
    assert.match(JSON.stringify(sendersOf(head)), problem, name)
  for (const [name, value] of Object.entries(values)) {
    const senders = JSON.stringify(sendersOf(`From: ${value}`))
    assert.match(senders, /^\{"problem":"The header From cannot be read/, name)
  }
  for (const name of ['Sender', 'Resent-From', 'Resent-Sender']) {
    const senders = JSON.stringify(sendersOf(`From: ${a}\r\n${name}: Ben`))
    assert.match(senders, new RegExp(`The header ${name} cannot be read`))
  }
})

test('what a real Mautic sends has senders that can be read', () => {
  for (const { name, message } of readMauticMessages())
    assert.ok('length' in readMessage([message]).senders, name)
})

test('the senders of a message that Mailyard has rendered are those in its bytes', () => {
  const head = {
    messageId: undefined,
    from: a,
    emailId: undefined,
    contactId: undefined,
    transport: undefined,
  }
  const message = readRendered([Buffer.from(`From: ${a}\r\nSender: ${b}\r\n\r\n`)], head)
  assert.deepEqual(message.senders, [a, b])
})
