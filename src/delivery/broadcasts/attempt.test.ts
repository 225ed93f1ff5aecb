import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeliveryResult, Fault } from '../../mailer/index.ts'
import { settlementOf } from './attempt.ts'
import type { Claim } from './claims.ts'

const hourMs = 3_600_000
const claim = { broadcastId: 1, emailId: 2, contactId: 3, attempts: 80, triedAt: 0 } as Claim
const later = { outcome: 'refused', isPermanent: false, fault: null } as DeliveryResult

/** What becomes of a recipient who is refused for now, some hours after the first attempt. */
function afterHours(hours: number, retryAfterMs: number | null = null) {
  const now = hours * hourMs
  const options = { clock: { now: () => now }, random: () => 0.5, lifetimeMs: 72 * hourMs }
  const { state, dueAt } = settlementOf(
    claim,
    { result: { ...later, retryAfterMs }, startedAt: now },
    options,
  )
  return { state, dueAt }
}

test('a message that its busy mailbox did not take counts as not tried', () => {
  const fault = { code: 'throttled', scope: 'message', reply: null, retryAfterMs: 20_000 } as Fault
  const settlement = settlementOf(
    claim,
    { result: { ...later, fault, retryAfterMs: 20_000 }, startedAt: 1_000 },
    { clock: { now: () => 1_000 }, random: () => 0, lifetimeMs: 72 * hourMs },
  )
  const { state, dueAt, triedAt } = settlement
  assert.deepEqual({ state, dueAt, triedAt }, { state: 'queued', dueAt: 21_000, triedAt: null })
})

test('a message that is refused for now is tried until its lifetime is over', () => {
  assert.deepEqual(afterHours(71), { state: 'queued', dueAt: 72 * hourMs })
  assert.equal(afterHours(71 + 1 / hourMs).state, 'refused')
  assert.equal(afterHours(1, Number.MAX_SAFE_INTEGER).state, 'refused')
})
