import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDate } from './query.ts'

const midnight = Date.UTC(2028, 1, 29)

for (const [text, time] of [
  ['2028-02-29', midnight],
  ['2028-02-29 01:00:00', midnight + 3_600_000],
  ['2028-02-29T01:00:00+01:00', midnight],
  ['2028-03-01T00:30+0100', midnight + 84_600_000],
  ['2028-02-29T24:00:00Z', midnight + 86_400_000],
  ['2026-02-29', undefined],
  ['2026-02-31 12:00:00', undefined],
  ['2026-01-31 12:00:00+25:00', undefined],
  ['2026-04-31T12:00:00Z', undefined],
  ['2026-06-31T00:00:00-05:00', undefined],
] as const) {
  test(`${text} is ${time === undefined ? 'no time' : 'a time'}`, () => {
    assert.equal(readDate(text), time)
  })
}
