import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clockAt } from '../../test/movable-clock.ts'
import { BoundedMemory } from './bounded-memory.ts'

const presentOf = <Key>(memory: BoundedMemory<Key, unknown>, keys: readonly Key[]) =>
  keys.filter((key) => memory.get(key) !== undefined)

test('a new entry takes the place of the oldest one, and all others stay', () => {
  const memory = new BoundedMemory<number, string>({ sizeMax: 3 })
  for (const key of [1, 2, 3, 4]) memory.set(key, `value ${key}`)
  assert.deepEqual(presentOf(memory, [1, 2, 3, 4]), [2, 3, 4])
  assert.equal(memory.get(4), 'value 4')
})

test('an entry that is set again is the newest one', () => {
  const memory = new BoundedMemory<number, string>({ sizeMax: 2 })
  for (const key of [1, 2, 1, 3]) memory.set(key, 'value')
  assert.deepEqual(presentOf(memory, [1, 2, 3]), [1, 3])
})

test('entries have no more than the largest size together, but the newest stays', () => {
  const memory = new BoundedMemory<string, number>({ sizeMax: 10, sizeOf: (key) => key.length })
  for (const key of ['12345', '1234', '123']) memory.set(key, 1)
  assert.deepEqual(presentOf(memory, ['12345', '1234', '123']), ['1234', '123'])
  memory.set('12345678901', 1)
  assert.deepEqual(presentOf(memory, ['1234', '123', '12345678901']), ['12345678901'])
})

test('an entry expires after its time, which begins again when it is set again', () => {
  let now = 0
  const expiry = { keepMs: 1_000, clock: clockAt(() => now) }
  const memory = new BoundedMemory<number, string>({ sizeMax: 10, expiry })
  memory.set(1, 'value')
  memory.set(2, 'value')
  now = 500
  memory.set(2, 'value')
  now = 999
  assert.deepEqual(presentOf(memory, [1, 2]), [1, 2])
  now = 1_000
  assert.deepEqual(presentOf(memory, [1, 2]), [2])
})
