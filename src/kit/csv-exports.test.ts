import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import type { Caller } from './caller.ts'
import { CsvExports, exportsMax } from './csv-exports.ts'

const anyone = {
  name: 'Ann',
  email: undefined,
  isAdmin: false,
  brands: 'all' as const,
  can: () => true,
}
const callerOf = (userId: number): Caller => ({ ...anyone, userId })

async function* pagesOf(...pages: number[][]) {
  yield* pages
}

const valuesOf = (id: number) => [id]

test('a caller may have some exports open at a time, whatever others have open', async () => {
  const exports = new CsvExports(['id'])
  const open = (userId: number, isHead = false) =>
    exports.open({ caller: callerOf(userId), pages: pagesOf([1]), valuesOf, isHead })
  const opened = await Promise.all(Array.from({ length: exportsMax }, () => open(1)))
  await assert.rejects(open(1), { kind: 'rate_limited', code: 'too_many_exports' })
  await open(1, true)
  await open(2)
  const [first] = opened
  first?.destroy()
  if (first !== undefined) await once(first, 'close')
  await open(1)
  await assert.rejects(open(1), /Wait for one of them\./)
})

test('an export whose first page fails is closed, and all pages of others are written', async () => {
  const exports = new CsvExports(['id'])
  const caller = callerOf(1)
  const fail = () =>
    exports.open({
      caller,
      pages: { next: async () => Promise.reject(new Error('lost')) },
      valuesOf,
      isHead: false,
    })
  for (let count = 0; count <= exportsMax; count += 1) await assert.rejects(fail(), /lost/)
  const body = await exports.open({
    caller,
    pages: pagesOf([1, 2], [], [3]),
    valuesOf,
    isHead: false,
  })
  assert.equal((await body.toArray()).join(''), 'id\r\n1\r\n2\r\n3\r\n')
})
