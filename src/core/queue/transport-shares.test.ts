import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clockAt } from '../../../test/movable-clock.ts'
import { createLog } from '../../kit/log.ts'
import { noTransport } from '../delivery/table.ts'
import type { OpenTransport } from '../delivery/transport-pool.ts'
import { TransportThrottles } from '../delivery/transport-throttle.ts'
import { type Place, TransportShares } from './transport-shares.ts'

const noWork: () => void = () => undefined

/** The shares of a process that has used some transports, which take whatever they get and do not answer. */
function openShares({ used = [1, 2, 3, 4, 5, 6], onFree = noWork } = {}) {
  const throttles = new TransportThrottles({
    clock: clockAt(0),
    random: () => 0.5,
    log: createLog('silent'),
  })
  const sending = new Map<number, number>()
  const open = (transportId: number) => {
    const load = () => ({ connections: 0, sending: sending.get(transportId) ?? 0, waiting: 0 })
    return { transport: { load }, transportId, name: 'T', revision: 1 } as unknown as OpenTransport
  }
  for (const transportId of used) throttles.of(open(transportId))
  const shares = new TransportShares(throttles, onFree)
  /** Takes all places that a transport can have. */
  const fill = (transportId: number): Place[] => {
    const places: Place[] = []
    for (;;) {
      const count = shares.claimable(transportId)
      if (count === 0) return places
      places.push(...Array.from({ length: count }, () => shares.take(transportId)))
      sending.set(transportId, places.length)
    }
  }
  return { shares, open, fill }
}

test('one transport alone has 50 to 60 messages in flight, however slow it is', () => {
  const { length } = openShares().fill(1)
  assert.ok(length >= 50 && length <= 60, `${length}`)
})

test('several transports that do not answer leave capacity to others', () => {
  const { fill } = openShares()
  const counts = [1, 2, 3, 4, 5].map((transportId) => fill(transportId).length)
  const others = fill(6).length
  assert.ok(others >= 4, `${others} after ${counts.join()}`)
})

test('a share whose messages end gets others once a sixth of it is free', () => {
  let freed = 0
  const onFree = () => {
    freed += 1
  }
  const { shares, fill } = openShares({ onFree })
  const places = fill(noTransport)
  for (const place of places.slice(0, 9)) place.release()
  assert.equal(shares.claimable(noTransport), 0)
  places[9]?.release()
  assert.equal(shares.claimable(noTransport), 10)
  assert.ok(freed >= 10, 'the dispatcher is notified')
})

test('a transport that was not used yet gets a few messages', () => {
  assert.equal(openShares({ used: [] }).fill(1).length, 10)
})

test('first attempts of a transport that does not answer give their places to others', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const { shares, open, fill } = openShares()
  const slow = fill(noTransport)
  assert.equal(slow.length, 60)
  assert.ok(slow.every((place) => place.enter(open(1))))
  assert.equal(shares.claimable(noTransport), 0)
  context.mock.timers.tick(2_000)
  const next = shares.take(noTransport)
  assert.equal(next.enter(open(1)), false, 'the transport has its share')
  assert.equal(next.enter(open(2)), true)
})

test('a message that is released leaves nothing behind', () => {
  const { shares, open, fill } = openShares()
  for (const place of fill(noTransport)) {
    place.enter(open(1))
    place.leave()
    place.release()
    place.release()
  }
  assert.equal(shares.claimable(noTransport), 60)
  assert.ok(fill(1).length >= 50)
})
