import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Guest, type GuestLimits, GuestList } from './guest-list.ts'

/** A list, and the names of those that it has closed. */
function openList(limits: Partial<GuestLimits>) {
  const list = new GuestList({ connectionsMax: 100, connectionsPerAddressMax: 100, ...limits })
  const evicted: string[] = []
  const enter = (name: string, network = 'one', isAuthenticated = false) => {
    const guest: Guest = { network, evict: () => void evicted.push(name) }
    return list.enter(guest, { isAuthenticated }) ? guest : undefined
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

test('a network that opens many connections closes its own, and none of another', () => {
  const { enter, evicted } = openList({ unauthenticatedMax: 3 })
  enter('client', 'home')
  for (const name of ['a', 'b', 'c', 'd']) assert.ok(enter(name, 'flood'))
  assert.deepEqual(evicted, ['a', 'b'])
})

test('an authenticated connection is never closed for another', () => {
  const { list, enter, evicted } = openList({ unauthenticatedMax: 2, connectionsMax: 4 })
  for (const name of ['a', 'b', 'c', 'd']) {
    const guest = enter(name)
    assert.ok(guest)
    list.authenticate(guest)
  }
  assert.equal(enter('e'), undefined)
  assert.equal(enter('trusted', 'two', true), undefined)
  assert.deepEqual(evicted, [])
})

test('where all connections are in use, an unauthenticated one makes room', () => {
  const { enter, evicted } = openList({ unauthenticatedMax: 3, connectionsMax: 3 })
  enter('idle')
  enter('trusted', 'two', true)
  enter('trusted too', 'two', true)
  assert.ok(enter('new'))
  assert.ok(enter('trusted as well', 'two', true))
  assert.deepEqual(evicted, ['idle', 'new'])
})

test('a connection that has gone is counted no more, also when it is said twice', () => {
  const { list, enter } = openList({ connectionsPerAddressMax: 2 })
  const [one, other] = [enter('a'), enter('b')]
  assert.ok(one && other)
  assert.equal(enter('c'), undefined)
  list.leave(one)
  list.leave(one)
  list.authenticate(one)
  assert.equal(list.size, 1)
  assert.ok(enter('c'))
  assert.equal(enter('d'), undefined)
})
