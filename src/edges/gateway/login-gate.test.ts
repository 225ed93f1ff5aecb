import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LoginGate } from './login-gate.ts'

const done = async () => undefined
const noLimits = { check: done, accept: done, fail: done, succeed: done }

test('log-ins without an answer hold up others of their network for a limited time', async (t) => {
  // The timer of a permit alone does not keep the process running.
  const running = setInterval(() => undefined, 1_000)
  t.after(() => clearInterval(running))
  const gate = new LoginGate(noLimits, { permitMs: 20 })
  const attempt = { address: '192.0.2.1', account: 'ada' }
  for (let count = 0; count < 8; count += 1) await gate.enter(attempt)
  assert.ok(await gate.enter(attempt))
})
