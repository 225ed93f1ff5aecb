import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callerOf } from '../../../test/mautics.ts'
import { chooseMautic } from './choose-mautic.ts'

const brand = { id: 3, name: 'brand' }
const other = { id: 4, name: 'other' }
const mautics = { findById: (id: number) => [brand, other].find((each) => each.id === id) }

test('callers of a Mautic ask about this Mautic, and about no other', async () => {
  const caller = { ...callerOf(brand), brands: [7] }
  for (const id of [undefined, 3])
    assert.deepEqual(await chooseMautic(id, { caller, mautics }), { ...brand, brand: 7 })
  await assert.rejects(chooseMautic(4, { caller, mautics }), { kind: 'not_found' })
  const own = callerOf(undefined)
  assert.equal(await chooseMautic(undefined, { caller: own, mautics }), undefined)
  assert.deepEqual(await chooseMautic(4, { caller: own, mautics }), other)
})
