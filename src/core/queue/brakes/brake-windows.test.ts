import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type BrakeReason, BrakeWindows, chanceOf, type FinishedMessage } from './brake-windows.ts'

type Kind = 'accepted' | 'refused' | 'bounced' | 'complained'

const dayMs = 86_400_000

const message = (kind: Kind, startedAt = 0): FinishedMessage => ({
  startedAt,
  isRefused: kind === 'refused',
  isBounced: kind === 'bounced',
  isComplained: kind === 'complained',
})
const list = (length: number, kind: Kind = 'accepted', startedAt = 0) =>
  Array.from({ length }, () => message(kind, startedAt))

function judge(newestFirst: readonly FinishedMessage[]): BrakeReason | undefined {
  const windows = new BrakeWindows()
  for (const each of newestFirst) {
    if (!windows.counts(each.startedAt)) break
    const reason = windows.add(each)
    if (reason !== undefined) return reason
  }
  return windows.end()
}

/** Groups of messages, the newest first, and what is too much of them. */
const cases: [name: string, newestFirst: FinishedMessage[], reason: BrakeReason | undefined][] = [
  ['199 accepted messages prove nothing', list(199, 'bounced'), undefined],
  ['200 do', list(200, 'bounced'), { kind: 'bounces', messages: 200, affected: 200 }],
  [
    'twelve complaints about the first twelve of 450',
    [...list(438), ...list(12, 'complained')],
    { kind: 'complaints', messages: 450, affected: 12 },
  ],
  [
    '60 bounces of the first 60 of 260',
    [...list(200), ...list(60, 'bounced')],
    { kind: 'bounces', messages: 260, affected: 60 },
  ],
  ['9 refusals of 50 attempts', [...list(41), ...list(9, 'refused')], undefined],
  ['10 refusals of 49 attempts', [...list(39), ...list(10, 'refused')], undefined],
  [
    '10 refusals of 50 attempts',
    [...list(40), ...list(10, 'refused')],
    { kind: 'refusals', messages: 50, affected: 10 },
  ],
  [
    'the last 40 refused after thousands accepted',
    [...list(40, 'refused'), ...list(5_000)],
    { kind: 'refusals', messages: 200, affected: 40 },
  ],
  [
    'bounces and refusals more than a day before the newest of 200 and more',
    [...list(200, 'accepted', dayMs), ...list(300, 'bounced'), ...list(300, 'refused')],
    undefined,
  ],
  [
    'bounces of long ago where fewer than 200 were accepted since',
    [...list(150, 'accepted', 20 * dayMs), ...list(50, 'bounced')],
    { kind: 'bounces', messages: 200, affected: 50 },
  ],
  [
    'refusals of long ago',
    [...list(10, 'accepted', 20 * dayMs), ...list(100, 'refused')],
    undefined,
  ],
]

for (const [name, newestFirst, reason] of cases)
  test(`${reason === undefined ? 'not too much' : 'too much'}: ${name}`, () => {
    assert.deepEqual(judge(newestFirst), reason)
  })

test('the least counts are those whose lower bound, with 99.9 %, is above 5 % and 0.3 %', () => {
  const least = (accepted: number, kind: Kind) => {
    for (let events = 0; ; events += 1)
      // The oldest, so that only the largest window has them all.
      if (judge([...list(accepted - events), ...list(events, kind)])?.messages === accepted)
        return events
  }
  const windows = [200, 400, 800, 1_000]
  const bounceLimits = windows.map((accepted) => least(accepted, 'bounced'))
  assert.deepEqual(bounceLimits, [22, 36, 61, 74])
  const complaintLimits = windows.map((accepted) => least(accepted, 'complained'))
  assert.deepEqual(complaintLimits, [5, 7, 9, 11])
})

test('the tail is that of the binomial distribution, also of many messages', () => {
  assert.equal(chanceOf(0, 10, 0.5), 1)
  assert.ok(Math.abs(chanceOf(10, 10, 0.5) - 2 ** -10) < 1e-12)
  assert.ok(Math.abs(chanceOf(1, 200, 0.003) - (1 - 0.997 ** 200)) < 1e-12)
  assert.ok(Math.abs(chanceOf(5_000, 100_000, 0.05) - 0.5) < 0.01)
  assert.ok(chanceOf(5_300, 100_000, 0.05) < 0.001)
})

const some = fc.array(
  fc
    .integer({ min: 0, max: 60 })
    .map((value) => message(value === 0 ? 'complained' : value < 5 ? 'bounced' : 'accepted')),
  { minLength: 150, maxLength: 1_400 },
)

test('one more event never makes it less', () => {
  fc.assert(
    fc.property(some, fc.nat(), (messages, at) => {
      if (judge(messages) === undefined) return
      const worse = { ...message('bounced'), isComplained: true }
      assert.notEqual(judge(messages.with(at % messages.length, worse)), undefined)
    }),
  )
})
