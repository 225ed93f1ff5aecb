import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { composeNotification } from './compose-notification.ts'
import { readNotification } from './read-notification.case.test.ts'

/** Texts that servers and clients could use to forge fields, parts or lines. */
const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.constantFrom(
    '\r\nAction: delivered',
    '\nFinal-Recipient: rfc822; forged@x.test\n',
    '\r\n\r\nFinal-Recipient: rfc822; forged@x.test\r\nAction: delivered\r\nStatus: 2.0.0\r\n',
    '\u2028Status: 2.0.0\u0085X: y',
    '\0\0',
    '\ud800',
    '=?utf-8?Q?=0D=0AX-Forged:_y?=',
    `${'long '.repeat(2_000)}`,
    'ü'.repeat(3_000),
    '--_NmP\r\n--',
    '',
  ),
)
const time = fc.integer({ min: 0, max: 4_000_000_000_000 })
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
const reply = fc.record({
  protocol: fc.constantFrom('smtp', 'http', 'command', 'inbox'),
  code: fc.integer({ min: 200, max: 599 }),
  enhancedCode: fc.oneof(fc.constantFrom(null, '5.1.1', '4.4.7', '2.0.0'), hostile),
  text: hostile,
})
const recipient = fc.record({
  address: hostile.map((text) => `a${text}@b.test`),
  reply: fc.option(reply),
  hasExpired: optional(fc.boolean()),
  reason: optional(hostile),
  hint: optional(hostile),
  remoteMta: optional(hostile),
  lastAttemptAt: optional(time),
})
const head = fc
  .array(fc.tuple(fc.constantFrom('Subject', 'Message-ID', 'X', ''), hostile), { maxLength: 5 })
  .map((fields) => fields.map(([name, value]) => `${name}: ${value}\r\n`).join(''))
const message = fc.record({
  sender: fc.constantFrom('a@b.test', 'jörg@münchen.test'),
  receivedAt: time,
  raw: optional(
    fc.oneof(
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
      fc.tuple(head, hostile).map(([fields, body]) => Buffer.from(`${fields}\r\n${body}`)),
    ),
  ),
})

test('whatever servers and clients write, the notification is valid and reports its recipients only', async () => {
  const property = fc.asyncProperty(
    message,
    fc.array(recipient, { minLength: 1, maxLength: 4 }),
    async (about, recipients) => {
      const { raw } = await composeNotification({
        message: about,
        recipients,
        reportingMta: 'mail.example.com',
        from: { name: 'Mail Delivery System', address: 'MAILER-DAEMON@mail.example.com' },
        id: 'notification.1',
        now: about.receivedAt,
      })
      const { ofRecipients, email } = await readNotification(raw)
      assert.deepEqual(
        ofRecipients.map((fields) => fields['Action']),
        recipients.map(() => 'failed'),
      )
      assert.ok(email.headers.every(({ key }) => key !== 'x-forged' && key !== 'action'))
    },
  )
  await fc.assert(property, { numRuns: 300 })
})
