import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type AcceptedEvents, chanceOf, type EventExcess, findExcess } from './event-rate.ts'

const clean: AcceptedEvents = { isBounced: false, isComplained: false }
const bounced: AcceptedEvents = { ...clean, isBounced: true }
const complained: AcceptedEvents = { ...clean, isComplained: true }
const list = (length: number, of: AcceptedEvents = clean) => Array.from({ length }, () => of)

test('fewer than 200 accepted messages are not enough, however many bounced', () => {
  assert.equal(findExcess(list(199, bounced)), undefined)
  const excess = findExcess(list(200, bounced))
  assert.deepEqual(excess, { kind: 'bounces', accepted: 200, events: 200 })
})

test('the least counts are those whose lower bound, with 99.9 %, is above 5 % and 0.3 %', () => {
  const least = (accepted: number, of: AcceptedEvents) => {
    for (let events = 0; ; events += 1)
      // The oldest, so that only the largest window has them all.
      if (findExcess([...list(accepted - events), ...list(events, of)])?.accepted === accepted)
        return events
  }
  const windows = [200, 400, 600, 800, 1_000]
  assert.deepEqual(
    windows.map((accepted) => least(accepted, bounced)),
    [22, 36, 49, 61, 74],
  )
  assert.deepEqual(
    windows.map((accepted) => least(accepted, complained)),
    [5, 7, 8, 9, 11],
  )
})

test('the tail is that of the binomial distribution', () => {
  assert.equal(chanceOf(0, 10, 0.5), 1)
  assert.ok(Math.abs(chanceOf(10, 10, 0.5) - 2 ** -10) < 1e-12)
  assert.ok(Math.abs(chanceOf(1, 200, 0.003) - (1 - 0.997 ** 200)) < 1e-12)
  const cases = fc.tuple(fc.integer({ min: 0, max: 999 }), fc.integer({ min: 1, max: 1_000 }))
  fc.assert(
    fc.property(cases, fc.double({ min: 0.001, max: 0.5, noNaN: true }), ([events, all], rate) => {
      const chance = chanceOf(events, all, rate)
      assert.ok(chance >= chanceOf(events + 1, all, rate) && chance <= 1 + 1e-9 && chance >= 0)
    }),
  )
})

const some = fc.array(
  fc.record({
    isBounced: fc.integer({ min: 0, max: 12 }).map((value) => value === 0),
    isComplained: fc.integer({ min: 0, max: 60 }).map((value) => value === 0),
  }),
  { minLength: 150, maxLength: 1_400 },
)

test('one more event never makes an excess disappear', () => {
  fc.assert(
    fc.property(some, fc.nat(), (messages, at) => {
      if (findExcess(messages) === undefined) return
      const more = messages.with(at % messages.length, { isBounced: true, isComplained: true })
      assert.notEqual(findExcess(more), undefined)
    }),
  )
})

test('what is found is counted among the newest, and is above the allowed rate', () => {
  fc.assert(
    fc.property(some, (messages) => {
      const excess = findExcess(messages)
      if (excess === undefined) return
      const column = excess.kind === 'bounces' ? 'isBounced' : 'isComplained'
      const counted = messages.slice(0, excess.accepted).filter((each) => each[column])
      assert.equal(excess.events, counted.length)
      assert.ok(excess.events / excess.accepted > (excess.kind === 'bounces' ? 0.05 : 0.003))
    }),
  )
})

test('events of messages that are not among the last 1,000 do not count', () => {
  fc.assert(
    fc.property(some, (messages) => {
      const last = [...messages, ...list(1_000)].slice(0, 1_000)
      assert.deepEqual(findExcess([...last, ...list(500, bounced)]), findExcess(last))
    }),
  )
})

/** Returns numbers from 0 to 1 that are the same in each run. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), state | 1)
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61)
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296
  }
}

interface Span {
  messages: number
  bounces: number
  complaints: number
}

const good = { bounces: 0.02, complaints: 0.001 }
/** Events come after some messages more, and in bursts: those of so many messages together. */
const burst = 10

interface Run {
  random: () => number
  /** After how many messages more an event comes. */
  delayOf: (random: () => number) => number
}

/** Sends messages, and looks at the last thousand when events come; returns how many were sent when the brake stops, and why. */
function simulate(
  spans: readonly Span[],
  { random, delayOf }: Run,
): { sent: number; excess: EventExcess } | undefined {
  const messages: AcceptedEvents[] = []
  const due = new Map<number, [at: number, events: AcceptedEvents][]>()
  for (const { messages: count, bounces, complaints } of spans)
    for (let index = 0; index < count; index += 1) {
      const isComplained = random() < complaints
      const isBounced = random() < bounces
      const at = messages.push(clean) - 1
      if (isBounced || isComplained) {
        const comesAt = Math.ceil((at + delayOf(random)) / burst)
        due.set(comesAt, [...(due.get(comesAt) ?? []), [at, { isBounced, isComplained }]])
      }
      if (at % burst !== 0) continue
      const events = due.get(at / burst)
      if (events === undefined) continue
      for (const [place, event] of events) messages[place] = event
      const excess = findExcess(messages.slice(-1_000).reverse())
      if (excess !== undefined) return { sent: at + 1, excess }
    }
  return undefined
}

const soon = (random: () => number) => random() * 20
const soonOrLate = (random: () => number) => random() * (random() < 0.2 ? 3_000 : 20)

test('of 1,000 clean runs of 10,000 messages, at most one is stopped, however late events come', () => {
  const random = randomOf(2_026)
  let stops = 0
  for (let run = 0; run < 1_000; run += 1) {
    const delayOf = run % 2 === 0 ? soon : soonOrLate
    if (simulate([{ messages: 10_000, ...good }], { random, delayOf }) !== undefined) stops += 1
  }
  assert.ok(stops <= 1, `${stops} false stops`)
})

test('a fault after 5,000 clean messages is found within 200: bounces of 20 % always, complaints of 5 % nearly so', () => {
  /** Returns how many of 100 runs are stopped within 200 messages, and within 1,000. */
  const found = (fault: Omit<Span, 'messages'>, kind: string) => {
    const random = randomOf(28)
    const after: number[] = []
    for (let run = 0; run < 100; run += 1) {
      const before = 5_000 + Math.floor(random() * 200)
      const spans = [
        { messages: before, ...good },
        { messages: 1_000, ...fault },
      ]
      const stop = simulate(spans, { random, delayOf: soon })
      if (stop?.excess.kind === kind) after.push(stop.sent - before)
    }
    return [200, 1_000].map((count) => after.filter((each) => each > 0 && each <= count).length)
  }
  const cases = [
    { fault: { ...good, bounces: 0.3 }, kind: 'bounces', within200: 100 },
    { fault: { ...good, bounces: 0.2 }, kind: 'bounces', within200: 99 },
    { fault: { ...good, bounces: 0.15 }, kind: 'bounces', within200: 88 },
    { fault: { ...good, complaints: 0.05 }, kind: 'complaints', within200: 92 },
    { fault: { ...good, complaints: 0.03 }, kind: 'complaints', within200: 60 },
    { fault: { ...good, complaints: 0.02 }, kind: 'complaints', within200: 25 },
  ]
  for (const { fault, kind, within200 } of cases) {
    const [soonest = 0, all = 0] = found(fault, kind)
    assert.ok(soonest >= within200, `${soonest} of ${JSON.stringify(fault)}`)
    assert.ok(all >= 97, `${all} of ${JSON.stringify(fault)}`)
  }
})
