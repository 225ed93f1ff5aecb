import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMovableClock } from '../../../../test/movable-clock.ts'
import { createReading } from './reading.ts'

const clock = createMovableClock()

/** A group whose reads wait until they are answered. */
function createGroup() {
  const group = { reads: 0, value: 'unread', answer: Promise.withResolvers<string>() }
  const gauges = {
    async read() {
      group.reads += 1
      const value = await group.answer.promise
      return () => {
        group.value = value
      }
    },
    clear() {
      group.value = 'unknown'
    },
  }
  return { group, gauges }
}

test('concurrent and repeated scrapes read the database once', async () => {
  const { group, gauges } = createGroup()
  const refresh = createReading([gauges], { clock })
  group.answer.resolve('read')
  await Promise.all([refresh(), refresh(), refresh()])
  await refresh()
  assert.deepEqual([group.reads, group.value], [1, 'read'])
})

test('a value that cannot be read is unknown, and the others are read', async () => {
  const [lost, fine] = [createGroup(), createGroup()]
  const refresh = createReading([lost.gauges, fine.gauges], { clock })
  lost.group.answer.reject(new Error('The connection was lost.'))
  fine.group.answer.resolve('read')
  await refresh()
  assert.deepEqual([lost.group.value, fine.group.value], ['unknown', 'read'])
})

test('a scrape does not wait for a database that does not answer, and asks it no second time', async () => {
  const { group, gauges } = createGroup()
  let late = 0
  const onLate = () => {
    late += 1
  }
  const refresh = createReading([gauges], { clock, waitMs: 10, onLate })
  await refresh()
  await refresh()
  assert.deepEqual([group.reads, group.value, late], [1, 'unread', 2])
  group.answer.resolve('read')
  await refresh()
  assert.deepEqual([group.value, late], ['read', 2])
})
