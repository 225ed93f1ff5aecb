import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ConnectionLimiter,
  type ConnectionLimits,
  type ConnectionSlot,
} from './connection-limiter.ts'

/** A limiter, and the names of the connections that it has evicted. */
function openList(limits: Partial<ConnectionLimits>) {
  const list = new ConnectionLimiter({
    connectionsMax: 100,
    connectionsPerAddressMax: 100,
    ...limits,
  })
  const evicted: string[] = []
  const enter = (name: string, network = 'one', isAuthenticated = false) => {
    const slot: ConnectionSlot = { network, evict: () => void evicted.push(name) }
    return list.accept(slot, { isAuthenticated }) ? slot : undefined
  }
  return { list, enter, evicted }
}

test('the unauthenticated share is a quarter of all connections, and at least 10', () => {
  for (const [connectionsMax, share] of [
    [2_000, 500],
    [20, 10],
  ] as const) {
    const { list, enter, evicted } = openList({ connectionsMax, connectionsPerAddressMax: 2_000 })
    for (let count = 0; count < connectionsMax; count += 1) assert.ok(enter(`${count}`))
    assert.equal(list.size, share)
    assert.deepEqual(evicted.slice(0, 2), ['0', '1'])
  }
})

test('a network with many connections loses its own, and none of another', () => {
  const { enter, evicted } = openList({ unauthenticatedMax: 3 })
  enter('client', 'home')
  for (const name of ['a', 'b', 'c', 'd']) assert.ok(enter(name, 'flood'))
  assert.deepEqual(evicted, ['a', 'b'])
})

test('an authenticated connection is never closed for another', () => {
  const { list, enter, evicted } = openList({ unauthenticatedMax: 2, connectionsMax: 4 })
  for (const name of ['a', 'b', 'c', 'd']) {
    const slot = enter(name)
    assert.ok(slot)
    list.authenticate(slot)
  }
  assert.equal(enter('e'), undefined)
  assert.equal(enter('trusted', 'two', true), undefined)
  assert.deepEqual(evicted, [])
})

test('at the limit of all connections, an unauthenticated one is evicted', () => {
  const { enter, evicted } = openList({ unauthenticatedMax: 3, connectionsMax: 3 })
  enter('idle')
  enter('trusted', 'two', true)
  enter('trusted too', 'two', true)
  assert.ok(enter('new'))
  assert.ok(enter('trusted as well', 'two', true))
  assert.deepEqual(evicted, ['idle', 'new'])
})

test('a closed connection is not counted, even if it leaves twice', () => {
  const { list, enter } = openList({ connectionsPerAddressMax: 2 })
  const [one, other] = [enter('a'), enter('b')]
  assert.ok(one && other)
  assert.equal(enter('c'), undefined)
  list.release(one)
  list.release(one)
  list.authenticate(one)
  assert.equal(list.size, 1)
  assert.ok(enter('c'))
  assert.equal(enter('d'), undefined)
})
