import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { cutPage, scanPage } from './pages.ts'

interface Position {
  id: number
}

/** Scans the numbers from 1 to 10 in batches of 3; those that pass the filter match. */
const scan = (matches: (id: number) => boolean) => {
  const ids = Array.from({ length: 10 }, (_, index) => index + 1)
  const after = (position: Position | undefined) => ids.filter((id) => id > (position?.id ?? 0))
  return {
    findEnd: async (from: Position | undefined) => {
      const id = after(from)[2]
      return id === undefined ? undefined : { id }
    },
    read: async (from: Position | undefined, until: Position | undefined, limit: number) => {
      const batch = after(from).filter((id) => until === undefined || id <= until.id)
      return batch
        .filter(matches)
        .slice(0, limit)
        .map((id) => ({ id }))
    },
  }
}

describe('a scanned page', () => {
  test('continues until it is full, and the next one has the rows after it', async () => {
    const even = scan((id) => id % 2 === 0)
    const first = await scanPage(even, { after: undefined, limit: 3 })
    assert.deepEqual(first, { rows: [{ id: 2 }, { id: 4 }, { id: 6 }], last: { id: 6 } })
    const second = await scanPage(even, { after: first.last, limit: 3 })
    assert.deepEqual(second, { rows: [{ id: 8 }, { id: 10 }], last: undefined })
  })

  test('is empty at the end where nothing matches', async () => {
    const page = await scanPage(
      scan(() => false),
      { after: undefined, limit: 3 },
    )
    assert.deepEqual(page, { rows: [], last: undefined })
  })
})

test('a page is cut out of its rows and the one after it', () => {
  assert.deepEqual(cutPage([1, 2, 3], 2), { rows: [1, 2], last: 2 })
  assert.deepEqual(cutPage([1, 2], 2), { rows: [1, 2], last: undefined })
})
