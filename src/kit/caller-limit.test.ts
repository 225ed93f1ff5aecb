import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Caller } from './caller.ts'
import { CallerLimit } from './caller-limit.ts'

const callerOf = (userId: number): Caller => ({
  userId,
  name: `user ${userId}`,
  email: undefined,
  isAdmin: false,
  can: () => true,
})

test('a caller may have some open at a time, whatever others have open', () => {
  const limit = new CallerLimit({ countMax: 2, code: 'too_many', message: 'Wait.' })
  const [release] = [limit.acquire(callerOf(1)), limit.acquire(callerOf(1))]
  assert.throws(() => limit.acquire(callerOf(1)), { kind: 'rate_limited', code: 'too_many' })
  limit.acquire(callerOf(2))
  release?.()
  limit.acquire(callerOf(1))
  assert.throws(() => limit.acquire(callerOf(1)), /Wait\./)
})
