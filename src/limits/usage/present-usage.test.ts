import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LimitRow } from '../table.ts'
import { presentUsage } from './present-usage.ts'
import { emptyUsage } from './usage.ts'

const now = Date.parse('2026-03-10T14:00:00Z')
const hourMs = 3_600_000

const row = {
  id: 1,
  name: 'Account',
  transports: '[]',
  per_second: null,
  per_minute: null,
  per_hour: 1_000,
  per_day: 6_000,
  per_month: 100_000,
  connections_max: null,
  warm_up: null,
  overflow: 'queue',
} as LimitRow

function forecast(ofHour: number, ofDay: number, more: Partial<LimitRow> = {}) {
  const usage = emptyUsage()
  const start = Date.parse('2026-03-10T00:00:00Z')
  usage.windows.day = { start, used: 1_000 }
  const stored = { usage, connections: emptyUsage() }
  const rates = { ofHour: ofHour / hourMs, ofDay: ofDay / hourMs }
  const { windows } = presentUsage({ ...row, ...more }, stored, { now, rates })
  return windows.map(({ window, reachedAt }) => [window, reachedAt])
}

test('a window is forecast at the rate of the last hour, a month at that of the last day', () => {
  assert.deepEqual(forecast(2_000, 500), [
    ['hour', '2026-03-10T14:30:00+00:00'],
    ['day', '2026-03-10T16:30:00+00:00'],
    ['month', '2026-03-18T22:00:00+00:00'],
  ])
})

test('a window that ends before it is full has no forecast', () => {
  assert.deepEqual(forecast(300, 10), [
    ['hour', null],
    ['day', null],
    ['month', null],
  ])
  assert.deepEqual(forecast(0, 0), [
    ['hour', null],
    ['day', null],
    ['month', null],
  ])
})

test('on a warm-up day its allowance is what is reached', () => {
  const warmUp = JSON.stringify({ startDate: '2026-03-09', firstDay: 2_000, growthPercent: 50 })
  assert.deepEqual(forecast(1_000, 0, { warm_up: warmUp })[1], ['day', '2026-03-10T16:00:00+00:00'])
})

test('a window that is full already has no forecast', () => {
  assert.deepEqual(forecast(1_000, 0, { per_day: 1_000 })[1], ['day', null])
})
