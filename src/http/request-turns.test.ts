import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { RequestTurns } from './request-turns.ts'

/** Works for 15 milliseconds without a turn. */
function work(): void {
  for (const end = performance.now() + 15; performance.now() < end; );
}

test('handlers that take long are spread over turns of the event loop, in order', async () => {
  const turns = new RequestTurns()
  let turn = 0
  const ran: { handler: number; turn: number }[] = []
  for (let handler = 0; handler < 8; handler += 1)
    turns.take(() => {
      work()
      ran.push({ handler, turn })
    })
  assert.ok(ran.length >= 1 && ran.length <= 2, `${ran.length} handlers in the first turn`)
  for (; ran.length < 8; turn += 1) await setImmediate()
  assert.deepEqual(
    ran.map(({ handler }) => handler),
    [0, 1, 2, 3, 4, 5, 6, 7],
  )
  const inOneTurn = Map.groupBy(ran, (each) => each.turn)
  // Two in the turn in which they arrived, and two before the next.
  for (const [each, handlers] of inOneTurn)
    assert.ok(handlers.length <= 4, `${handlers.length} handlers in turn ${each}`)
})

test('handlers that take no time run at once', () => {
  const turns = new RequestTurns()
  let count = 0
  for (let each = 0; each < 100; each += 1)
    turns.take(() => {
      count += 1
    })
  assert.equal(count, 100)
})
