import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decodeWords } from 'postal-mime'
import { sampleDocument, sampleImage, sampleMessage } from '../testing/sample-message.case.test.ts'
import { composeMessage } from './compose-message.ts'
import { encodeWords, formatMailbox } from './headers.ts'
import { assignRecipients, parseMessage } from './parse-message.ts'

test('a message is parsed into the fields of an API', async () => {
  const parsed = await parseMessage(sampleMessage)
  assert.deepEqual(
    { ...parsed, attachments: parsed.attachments.map(({ content: _, ...rest }) => rest) },
    {
      from: { name: 'Jürgen', address: 'sender@example.com' },
      replyTo: [{ name: 'Support', address: 'support@example.com' }],
      to: [{ name: 'Doe, Jane', address: 'jane@example.net' }],
      cc: [{ name: 'Carl', address: 'carl@example.net' }],
      bcc: [{ name: '', address: 'hidden@example.net' }],
      subject: 'Grüße from the test',
      text: 'Schöne Grüße\n',
      html: '<p>Schön <img src="cid:logo"></p>\n',
      attachments: [
        {
          filename: 'logo.gif',
          contentType: 'image/gif',
          contentId: 'logo',
          isInline: true,
          embeddedId: 'logo',
        },
        {
          filename: 'report.pdf',
          contentType: 'application/pdf',
          contentId: null,
          isInline: false,
          embeddedId: undefined,
        },
      ],
      tags: ['welcome'],
      metadata: { order: '42' },
      headers: [
        { name: 'List-Unsubscribe', value: '<https://example.com/u?id=1>' },
        { name: 'X-Custom', value: 'kept' },
      ],
      messageId: '<sample@example.com>',
    },
  )
  const contents = parsed.attachments.map(({ content }) => Buffer.from(content))
  assert.deepEqual(contents, [sampleImage, sampleDocument])
})

test('the recipients of an API call are those of the envelope, each once', () => {
  const address = fc.constantFrom('a@x', 'b@x', 'c@x', 'd@x', 'e@x')
  const list = fc.array(address, { maxLength: 6 })
  const envelope = fc.uniqueArray(address, { minLength: 1 })
  fc.assert(
    fc.property(envelope, list, list, (own, to, cc) => {
      const mailboxes = (all: string[]) => all.map((one) => ({ name: 'N', address: one }))
      const assigned = assignRecipients(own, { to: mailboxes(to), cc: mailboxes(cc) })
      const all = [...assigned.to, ...assigned.cc, ...assigned.bcc].map((one) => one.address)
      assert.deepEqual(all.sort(), [...own].sort())
      assert.ok(assigned.to.length > 0)
    }),
  )
})

test('a composed message is parsed to the same fields', async () => {
  const message = await composeMessage({
    from: { name: 'Jürgen', address: 'me@example.com' },
    to: [{ name: '', address: 'jane@example.net' }],
    cc: [{ name: 'Carl', address: 'carl@example.net' }],
    bcc: [{ name: '', address: 'hidden@example.net' }],
    subject: 'Grüße',
    text: 'Täxt',
    html: '<b>Täxt</b>',
    headers: { 'X-Custom': 'kept' },
    attachments: [{ filename: 'a.txt', content: Buffer.from('content') }],
    messageId: '<id@example.com>',
    envelopeFrom: 'bounce@example.com',
  })
  assert.deepEqual(message.envelope, {
    from: 'bounce@example.com',
    to: ['jane@example.net', 'carl@example.net', 'hidden@example.net'],
  })
  assert.doesNotMatch(Buffer.from(message.raw).toString(), /hidden@|[^\r]\n/)
  const parsed = await parseMessage(message)
  assert.equal(parsed.subject, 'Grüße')
  assert.equal(parsed.text?.trim(), 'Täxt')
  assert.equal(parsed.html?.trim(), '<b>Täxt</b>')
  assert.deepEqual(parsed.bcc, [{ name: '', address: 'hidden@example.net' }])
  assert.deepEqual(parsed.headers, [{ name: 'X-Custom', value: 'kept' }])
  assert.equal(parsed.attachments[0]?.filename, 'a.txt')
})

test('a field of a composed message cannot read a file or fetch a URL', async () => {
  const attachment = { filename: 'x', path: '/etc/passwd' }
  await assert.rejects(
    composeMessage({
      from: { name: '', address: 'me@example.com' },
      to: [{ name: '', address: 'jane@example.net' }],
      subject: 'x',
      // What an unchecked caller could pass on from outside.
      text: attachment as unknown as string,
    }),
  )
})

test('a mailbox is quoted when its name needs it', () => {
  assert.equal(formatMailbox({ name: '', address: 'a@x' }), 'a@x')
  assert.equal(formatMailbox({ name: 'Jürgen M', address: 'a@x' }), 'Jürgen M <a@x>')
  assert.equal(formatMailbox({ name: 'Doe, "J"', address: 'a@x' }), '"Doe, \\"J\\"" <a@x>')
})

test('a line end inside an encoded word cannot end a header', async () => {
  const evil = '=?utf-8?Q?A=0D=0ABcc=3A_evil=40example.org?='
  const header = [
    `From: ${evil} <a@example.com>`,
    `To: ${evil} <jane@example.net>`,
    `Reply-To: ${evil} <r@example.com>`,
    `Subject: ${evil}`,
    `X-Own: ${evil}`,
    `X-Tag: ${evil}`,
    `X-Metadata-own: ${evil}`,
    'Content-Type: application/pdf',
    `Content-Disposition: attachment; filename="${evil}"`,
  ]
  const parsed = await parseMessage({
    envelope: { from: 'a@example.com', to: ['jane@example.net'] },
    raw: Buffer.from([...header, '', 'x'].join('\r\n')),
  })
  const plain = 'A Bcc: evil@example.org'
  const { from, to, replyTo, subject, headers, tags, metadata, attachments } = parsed
  assert.deepEqual(
    [from.name, to[0]?.name, replyTo[0]?.name, subject, headers[0]?.value, tags[0], metadata],
    [plain, plain, plain, plain, plain, plain, { own: plain }],
  )
  assert.doesNotMatch(attachments[0]?.filename ?? '', /[\r\n]/)
})

test('any text comes back from its encoded words, and stays in one line of short words', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
      const encoded = encodeWords(text)
      assert.match(encoded, /^[\u0020-\u007e]*$/)
      assert.ok(encoded === text || encoded.split(' ').every((word) => word.length <= 75))
      assert.equal(decodeWords(encoded), text)
    }),
  )
})

test('plain ASCII stays as it is, a line end does not', () => {
  assert.equal(encodeWords('Doe, Jane'), 'Doe, Jane')
  assert.equal(encodeWords('a\r\nBcc: b'), '=?UTF-8?B?YQ0KQmNjOiBi?=')
})
