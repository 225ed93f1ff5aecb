import assert from 'node:assert/strict'
import { test } from 'node:test'
import { warmUpDay } from './warm-up.ts'

const warmUp = { startDate: '2026-01-31', firstDay: 100, growthPercent: 10 }
const on = (date: string, perDay?: number) => warmUpDay(warmUp, perDay, Date.parse(date))

test('each day of a warm-up allows more than the day before, by the UTC date', () => {
  assert.deepEqual(on('2026-01-31T00:00:00Z'), { day: 1, allowance: 100 })
  assert.deepEqual(on('2026-01-31T23:59:59.999Z'), { day: 1, allowance: 100 })
  assert.deepEqual(on('2026-02-01T00:00:00Z'), { day: 2, allowance: 110 })
  assert.deepEqual(on('2026-02-02T12:00:00Z'), { day: 3, allowance: 121 })
})

test('a warm-up never allows more than the limit of a day', () => {
  assert.equal(on('2026-02-02T00:00:00Z', 115).allowance, 115)
  assert.equal(on('2126-01-31T00:00:00Z').allowance, Number.MAX_SAFE_INTEGER)
})

test('before its start a warm-up allows as many as on the first day', () => {
  assert.deepEqual(on('2026-01-01T00:00:00Z'), { day: 0, allowance: 100 })
})
