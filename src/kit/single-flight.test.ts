import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { SingleFlight } from './single-flight.ts'

test('concurrent callers with the same key share the work, those with another key do not', async () => {
  const flight = new SingleFlight<string, number>()
  let number = 0
  const work = mock.fn(async () => (number += 1))
  const results = ['a', 'a', 'b'].map((key) => flight.run(key, work))
  assert.deepEqual(await Promise.all(results), [1, 1, 2])
  assert.equal(await flight.run('a', work), 3)
})

test('all callers get the error of work that fails, and the next one starts it again', async () => {
  const flight = new SingleFlight<string, number>()
  const failing = () => Promise.reject(new Error('lost'))
  const results = await Promise.allSettled([flight.run('a', failing), flight.run('a', failing)])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  assert.equal(await flight.run('a', async () => 7), 7)
})
