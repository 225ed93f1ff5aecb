import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NotificationLimit } from './notification-limit.ts'

function createLimit() {
  const time = { now: 0 }
  return { time, limit: new NotificationLimit({ now: () => time.now }) }
}

test('a mailbox gets 500 notifications an hour, whatever its details and case', () => {
  const { time, limit } = createLimit()
  for (let index = 0; index < 500; index += 1) limit.count(`Ann+${index}@Mail.test`, 1)
  for (const address of [
    'ann@mail.test',
    'ANN+x@mail.test',
    'ann+a+b@MAIL.TEST',
    '"ann"@mail.test',
    '"a\\nn+x"@mail.test',
    'a\\nn@mail.test.',
    'ann@ｍａｉｌ。test',
  ])
    assert.equal(limit.admit(address), 'none', address)
  assert.equal(limit.admit('anne@mail.test'), 'complete')
  time.now = 3_600_000
  assert.equal(limit.admit('ann@mail.test'), 'complete')
})

test('a domain gets 2,000 notifications an hour, whatever its mailboxes', () => {
  const { time, limit } = createLimit()
  for (let index = 0; index < 2_000; index += 1) {
    assert.equal(limit.admit(`bounce-${index}=a.test@Brand.test`), 'complete')
    limit.count(`bounce-${index}=a.test@Brand.test`, 1)
  }
  assert.equal(limit.admit('other@brand.test'), 'none')
  assert.equal(limit.admit('other@else.test'), 'complete')
  time.now = 3_600_000
  assert.equal(limit.admit('other@brand.test'), 'complete')
})

test('a domain gets four megabytes an hour with messages, and sixteen without', () => {
  const { limit } = createLimit()
  const send = (mailboxes: number, bytes: number) => {
    for (let index = 0; index < mailboxes; index += 1) limit.count(`${index}@mail.test`, bytes)
    return limit.admit('other@mail.test')
  }
  assert.equal(send(3, 1_048_576), 'complete')
  assert.equal(send(1, 1_048_576), 'short')
  assert.equal(send(12, 1_048_576), 'none')
})

test('above a megabyte an hour nothing of the messages is returned, and above four nothing is sent', () => {
  const { limit } = createLimit()
  limit.count('ann@mail.test', 1_048_575)
  assert.equal(limit.admit('ann@mail.test'), 'complete')
  limit.count('ann@mail.test', 1)
  assert.equal(limit.admit('ann@mail.test'), 'short')
  limit.count('ann@mail.test', 3_145_728)
  assert.equal(limit.admit('ann@mail.test'), 'none')
})

test('ten thousand mailboxes are counted: a further one replaces the first', () => {
  const { limit } = createLimit()
  for (let index = 0; index <= 10_000; index += 1) limit.count(`a@${index}.test`, 4_194_304)
  assert.equal(limit.admit('a@0.test'), 'complete')
  assert.equal(limit.admit('a@1.test'), 'none')
  assert.equal(limit.admit('a@10000.test'), 'none')
})
