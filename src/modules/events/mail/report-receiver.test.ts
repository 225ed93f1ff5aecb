import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { callerOf } from '../../../../test/mautics.ts'
import { createMovableClock } from '../../../../test/movable-clock.ts'
import { AppError } from '../../../kit/app-error.ts'
import type { ProviderEvent } from '../../../libraries/mailer/index.ts'
import { ReportReceiver } from './report-receiver.ts'
import { composeStatus, readSample, reportNames } from './report-samples.case.test.ts'

const clock = createMovableClock()
const stored: ProviderEvent[] = []
let notified = 0
const receiver = new ReportReceiver({
  receivedEvents: {
    async add(_db, { events }) {
      stored.push(...events)
    },
    notify() {
      notified += 1
    },
  },
  clock,
})
after(() => receiver.stop())

const receive = (source: string | Uint8Array, clientId = 1) =>
  receiver.receive(Buffer.from(source), { ...callerOf(undefined), clientId })
const isCode = (code: string) => (error: unknown) =>
  error instanceof AppError && error.code === code
const failed = 'Final-Recipient: rfc822; jane@example.net\nAction: failed\nStatus: 5.1.1'

test('the events of each report are stored, and those who apply them are notified', async () => {
  for (const name of reportNames) await receive(readSample(name))
  assert.deepEqual(
    stored.map(({ type }) => type),
    ['bounced', 'bounced', 'deferred', 'bounced', 'complained', 'complained'],
  )
  assert.equal(notified, reportNames.length)
})

test('an event without a Message-ID, without a recipient or without a meaning is not stored', async () => {
  const before = stored.length
  const relayed = composeStatus([failed.replace('failed', 'relayed')])
  const anonymous = readSample('yahoo').replaceAll('jane@example.net', 'redacted')
  const unnamed = composeStatus([failed]).replace('Message-ID: <order-1@shop.example>', 'X: y')
  for (const report of [relayed, anonymous, unnamed])
    assert.equal((await receive(report)).length, 1)
  assert.equal(stored.length, before)
})

test('a time in the future is taken for now', async () => {
  await receive(composeStatus([`${failed}\nLast-Attempt-Date: Thu, 1 Jan 2099 00:00:00 +0000`]))
  assert.ok((stored.at(-1)?.at ?? Number.POSITIVE_INFINITY) <= clock.now())
})

test('a message that takes too long is no report, and the next one is read', async () => {
  const head = 'Content-Type: multipart/report; boundary=a\r\n\r\n'
  const hostile = head + '--a\r\n\r\n'.repeat(140_000)
  await assert.rejects(receive(hostile), isCode('not_a_report'))
  assert.equal((await receive(readSample('gmail'))).length, 1)
})

const delivery = { id: 7, started_at: 5, recipient: 'jane@münchen.test', message_id: null }

test('a bounce with a long line of dashes is read, and one that takes too long may come again', async () => {
  const returned = async (source: string) =>
    (await receiver.receiveReturned(Buffer.from(source), 'a', delivery)).type
  const dashes = '-'.repeat(7_000)
  assert.equal(await returned(`Subject: x\r\n\r\n550 5.1.1 User unknown\r\n${dashes}`), 'bounced')
  assert.equal(await returned(`Subject: x\r\n\r\n${dashes}\r\n550 5.1.1 User unknown`), 'bounced')
  const head = 'Content-Type: multipart/report; boundary=a\r\n\r\n'
  await assert.rejects(returned(head + '--a\r\n\r\n'.repeat(140_000)), isCode('not_a_report'))
})

test('of a report about an alias, the part about the recipient counts, else the mildest', async () => {
  const block = (to: string, action: string, status: string) =>
    `Final-Recipient: rfc822; ${to}\nAction: ${action}\nStatus: ${status}`
  const read = async (...blocks: string[]) => {
    await receiver.receiveReturned(Buffer.from(composeStatus(blocks)), 'a', delivery)
    const { type, class: kind } = stored.at(-1) ?? assert.fail()
    return kind ?? type
  }
  const gone = block('a@x.test', 'failed', '5.1.1')
  const full = block('b@x.test', 'failed', '5.2.2')
  const late = block('c@x.test', 'delayed', '4.2.2')
  const there = block('d@x.test', 'delivered', '2.0.0')
  assert.equal(await read(gone), 'hard')
  assert.equal(await read(gone, full), 'soft')
  assert.equal(await read(full, gone, late), 'deferred')
  assert.equal(await read(gone, late, there), 'delivered')
  for (const own of ['jane@münchen.test', 'Jane@xn--mnchen-3ya.test'])
    assert.equal(await read(there, full, block(own, 'failed', '5.1.1')), 'hard')
})

test('a flood of one sender is cut, and those of others are read meanwhile', async () => {
  const flood = Array.from({ length: 300 }, () => receive('Hello', 2).catch(({ code }) => code))
  const other = await receive(readSample('postfix'), 3)
  assert.equal(other.length, 1)
  const codes = await Promise.all(flood)
  const refused = codes.filter((code) => code !== 'not_a_report')
  assert.ok(refused.length > 90 && refused.every((code) => code === 'too_much_work'))
})
