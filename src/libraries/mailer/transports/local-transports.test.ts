import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Capture } from '../delivery/capture.ts'
import { DsnError } from '../grammar/dsn.ts'
import { createMailer } from '../mailer.ts'
import type { Message } from '../message/message.ts'

const message: Message = {
  envelope: { from: 'a@example.com', to: ['b@example.com', 'c@example.com'] },
  raw: Buffer.from('Subject: x\r\n\r\nx\r\n'),
}
const addresses = { from: 'a@example.com', to: 'b@example.com' }

test('inbox://local is refused without the option capture', () => {
  assert.throws(() => createMailer().open('inbox://local'), DsnError)
})

test('a captured message is accepted for each recipient, and each reply says that it was not sent', async () => {
  const captured: Parameters<Capture>[] = []
  const mailer = createMailer({
    capture: async (...args) => {
      captured.push(args)
      return { outcome: 'captured', id: 7 }
    },
  })
  const through = { id: 3, name: 'Inbox' }
  const result = await mailer.open('inbox://local').send(message, { through, submitter: 3 })
  assert.deepEqual(captured, [[message, through, 3]])
  assert.equal(result.outcome, 'accepted')
  const replies = result.recipients.map(({ reply }) => reply?.text)
  assert.deepEqual(replies, Array(2).fill('Captured, not sent: /api/inbox/7'))
})

test('a message is not captured before its ready promise resolves', async () => {
  let count = 0
  const mailer = createMailer({
    capture: async () => ({ outcome: 'captured', id: ++count }),
  })
  const ready = Promise.reject(new Error('the disk is full'))
  const result = await mailer.open('inbox://local').send(message, { ready })
  assert.deepEqual([result.outcome, result.fault?.code, count], ['refused', 'cancelled', 0])
})

test('a message that the inbox refused may be sent again; one that it may have stored is uncertain', async () => {
  const reason = 'The disk is full.'
  for (const outcome of ['refused', 'uncertain'] as const) {
    const mailer = createMailer({ capture: async () => ({ outcome, reason }) })
    const result = await mailer.open('inbox://local').send(message)
    assert.deepEqual([result.outcome, result.fault?.message], [outcome, reason])
    assert.equal(result.isRetrySafe, outcome === 'refused')
    assert.equal((await mailer.test('inbox://local', addresses)).success, false)
  }
})

const summaries = [
  [
    'failover(inbox://local)',
    'The only member captured the test message; it was captured, not sent.',
  ],
  [
    'failover(inbox://local null://null)',
    'Nothing was sent; 1 captured it (captured, not sent), and 1 dropped it.',
  ],
] as const
for (const [dsn, sentence] of summaries)
  test(`a test of ${dsn} says that nothing was sent`, async () => {
    const mailer = createMailer({ capture: async () => ({ outcome: 'captured', id: 1 }) })
    assert.equal((await mailer.test(dsn, addresses)).message, sentence)
  })
