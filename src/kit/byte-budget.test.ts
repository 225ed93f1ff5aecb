import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ByteBudget, type ByteReservation } from './byte-budget.ts'

test('ten unfinished messages of one owner leave half of the memory to the others', () => {
  const budget = new ByteBudget(250)
  const acquired = Array.from({ length: 10 }, () => budget.tryAcquire(25, 'one')).filter(Boolean)
  assert.equal(acquired.length, 5)
  assert.equal(budget.tryAcquire(25, 'another'), true)
  assert.equal(budget.tryAcquire(25, 'a third'), true)
})

test('released bytes are available again, and a single owner gets half', () => {
  const budget = new ByteBudget(100)
  assert.equal(budget.tryAcquire(51, 'one'), false)
  assert.equal(budget.tryAcquire(50, 'one'), true)
  assert.equal(budget.tryAcquire(1, 'one'), false)
  budget.release(50, 'one')
  assert.equal(budget.tryAcquire(50, 'another'), true)
})

test('the owners of a part have no more than the part, and count as one owner of the whole', () => {
  const whole = new ByteBudget(100)
  const part = new ByteBudget(40, { budget: whole, owner: 'the part' })
  assert.equal(part.tryAcquire(21, 'one'), false)
  assert.equal(part.tryAcquire(20, 'one'), true)
  assert.equal(part.tryAcquire(10, 'another'), true)
  assert.equal(whole.tryAcquire(35, 'a third'), true)
  // The part has 30 of the 35 that are left to it.
  assert.equal(part.tryAcquire(5, 'a fourth'), false)
  part.release(20, 'one')
  part.release(10, 'another')
  whole.release(35, 'a third')
  assert.equal(whole.tryAcquire(50, 'the part'), true)
})

const sizeMax = 1_000
const owners = ['one', 'another', 'a third'] as const
const step = fc.oneof(
  fc.record({ kind: fc.constant('open' as const), owner: fc.constantFrom(...owners) }),
  fc.record({
    kind: fc.constant('grow' as const),
    index: fc.nat(9),
    size: fc.nat({ max: sizeMax }),
  }),
  fc.record({ kind: fc.constant('release' as const), index: fc.nat(9) }),
)

test('however reservations grow and end, no more is acquired than there is, and all of it comes back', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const budget = new ByteBudget(sizeMax)
      const reservations: ByteReservation[] = []
      for (const each of steps) {
        if (each.kind === 'open') reservations.push(budget.reserve(each.owner))
        else if (each.kind === 'grow') reservations[each.index]?.tryGrow(each.size)
        else reservations[each.index]?.release()
        const acquired = reservations.reduce((sum, { size }) => sum + size, 0)
        assert.ok(acquired <= sizeMax, `${acquired}`)
      }
      for (const reservation of reservations) reservation.release()
      for (const reservation of reservations) assert.equal(reservation.tryGrow(1), false)
      // An owner alone gets half, and no byte more.
      assert.equal(budget.tryAcquire(sizeMax / 2 + 1, 'one'), false)
      assert.equal(budget.tryAcquire(sizeMax / 2, 'one'), true)
    }),
  )
})
