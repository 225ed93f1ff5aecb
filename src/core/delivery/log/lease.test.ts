import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createMovableClock } from '../../../../test/movable-clock.ts'
import { defaultIntervals } from '../intervals.ts'
import { openLease } from './lease.ts'

const half = defaultIntervals.expireAfterMs / 2

describe('the lease of a process', () => {
  const open = () => {
    const time = { monotonic: 0, wall: 1_000_000 }
    const clock = { now: () => time.wall, monotonic: () => time.monotonic }
    const lease = openLease({ storage: { isShared: true }, intervals: defaultIntervals, clock })
    /** Lets time pass: by default both clocks show it. */
    const pass = (monotonic: number, wall = monotonic) => {
      time.monotonic += monotonic
      time.wall += wall
    }
    return { lease, pass, renew: () => lease.startRenewal()() }
  }

  test('is valid until half of the time has passed after which the process expires', () => {
    const { lease, pass, renew } = open()
    renew()
    const isValid = lease.hold()
    pass(half - 1)
    assert.equal(isValid(), true)
    pass(1)
    assert.equal(isValid(), false)
  })

  test('stays valid for a message while heartbeats renew it in time', () => {
    const { lease, pass, renew } = open()
    renew()
    const isValid = lease.hold()
    for (let beats = 0; beats < 20; beats += 1) {
      pass(defaultIntervals.heartbeatMs)
      renew()
    }
    assert.equal(isValid(), true)
  })

  test('stays over for a message that was held while it ended, and is valid for the next one', () => {
    const { lease, pass, renew } = open()
    renew()
    const isValid = lease.hold()
    pass(half)
    renew()
    assert.equal(isValid(), false)
    assert.equal(lease.hold()(), true)
  })

  test('ends by the wall clock where the other one stood still, as in a machine that slept', () => {
    const { lease, pass, renew } = open()
    renew()
    const isValid = lease.hold()
    pass(0, half)
    assert.equal(isValid(), false)
  })

  test('is not extended by a wall clock that is set back', () => {
    const { lease, pass, renew } = open()
    renew()
    const isValid = lease.hold()
    pass(half, -half)
    assert.equal(isValid(), false)
  })

  test('counts from the time before the heartbeat was sent', () => {
    const { lease, pass } = open()
    const renew = lease.startRenewal()
    pass(half - 1)
    renew()
    const isValid = lease.hold()
    pass(1)
    assert.equal(isValid(), false)
  })

  test('never ends on SQLite, which one process serves', () => {
    const clock = createMovableClock()
    const lease = openLease({ storage: { isShared: false }, intervals: defaultIntervals, clock })
    lease.startRenewal()()
    const isValid = lease.hold()
    clock.advance(half * 100)
    assert.equal(isValid(), true)
  })
})
