import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clockAt } from '../../../../test/movable-clock.ts'
import { NotificationLimit } from './notification-limit.ts'

function createLimit() {
  const time = { now: 0 }
  return { time, limit: new NotificationLimit(clockAt(() => time.now)) }
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
    assert.equal(limit.admits(address), false, address)
  assert.equal(limit.admits('anne@mail.test'), true)
  time.now = 3_600_000
  assert.equal(limit.admits('ann@mail.test'), true)
})

test('a domain gets 2,000 notifications an hour, whatever its mailboxes', () => {
  const { time, limit } = createLimit()
  for (let index = 0; index < 2_000; index += 1) {
    assert.equal(limit.admits(`bounce-${index}=a.test@Brand.test`), true)
    limit.count(`bounce-${index}=a.test@Brand.test`, 1)
  }
  assert.equal(limit.admits('other@brand.test'), false)
  assert.equal(limit.admits('other@else.test'), true)
  time.now = 3_600_000
  assert.equal(limit.admits('other@brand.test'), true)
})

test('a mailbox gets four megabytes an hour, and a domain sixteen', () => {
  const { limit } = createLimit()
  limit.count('0@mail.test', 4_194_303)
  assert.equal(limit.admits('0@mail.test'), true)
  limit.count('0@mail.test', 1)
  assert.equal(limit.admits('0@mail.test'), false)
  for (let mailbox = 1; mailbox < 4; mailbox += 1) {
    assert.equal(limit.admits('other@mail.test'), true)
    limit.count(`${mailbox}@mail.test`, 4_194_304)
  }
  assert.equal(limit.admits('other@mail.test'), false)
})

test('ten thousand mailboxes are counted: a further one replaces the first', () => {
  const { limit } = createLimit()
  for (let index = 0; index <= 10_000; index += 1) limit.count(`a@${index}.test`, 4_194_304)
  assert.equal(limit.admits('a@0.test'), true)
  assert.equal(limit.admits('a@1.test'), false)
  assert.equal(limit.admits('a@10000.test'), false)
})
