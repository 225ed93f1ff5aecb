import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noTransport } from '../table.ts'
import { type Place, TransportShares } from './transport-shares.ts'

const noWork = () => undefined

/** Takes all places that a transport can have. */
function fill(shares: TransportShares, transportId: number): Place[] {
  const places: Place[] = []
  while (shares.claimable(transportId) > 0) {
    const count = shares.claimable(transportId)
    for (let index = 0; index < count; index += 1) places.push(shares.take(transportId))
  }
  return places
}

test('one transport alone has 60 messages in flight', () => {
  assert.equal(fill(new TransportShares(noWork), 1).length, 60)
})

test('several transports that do not answer leave capacity to others', () => {
  const shares = new TransportShares(noWork)
  const counts = [1, 2, 3, 4, 5].map((transportId) => fill(shares, transportId).length)
  assert.ok(shares.claimable(6) >= 4, `${shares.claimable(6)} after ${counts.join()}`)
})

test('a transport that ends messages gets others once a sixth of its share is free', () => {
  let freed = 0
  const shares = new TransportShares(() => {
    freed += 1
  })
  const places = fill(shares, 1)
  for (const place of places.slice(0, 9)) place.release()
  assert.equal(shares.claimable(1), 0)
  places[9]?.release()
  assert.equal(shares.claimable(1), 10)
  assert.ok(freed >= 10, 'the worker is notified')
})

test('first attempts of a transport that does not answer give their places to others', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const shares = new TransportShares(noWork)
  const slow = fill(shares, noTransport)
  assert.equal(slow.length, 60)
  assert.ok(slow.every((place) => place.enter(1)))
  assert.equal(shares.claimable(noTransport), 0)
  context.mock.timers.tick(2_000)
  const next = shares.take(noTransport)
  assert.equal(next.enter(1), false, 'the transport has its share')
  assert.equal(next.enter(2), true)
})

test('a message that is released leaves nothing behind', () => {
  const shares = new TransportShares(noWork)
  for (const place of fill(shares, noTransport)) {
    place.enter(1)
    place.leave()
    place.release()
    place.release()
  }
  assert.equal(shares.claimable(noTransport), 60)
  assert.equal(shares.claimable(1), 60)
})
