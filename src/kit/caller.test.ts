import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callerKey } from './caller.ts'

test('two OAuth clients of one Mautic, which have no ids, are two callers', () => {
  const common = {
    userId: undefined,
    email: undefined,
    isAdmin: false,
    brands: 'all' as const,
    can: () => true,
  }
  const mautic = { id: 1, name: 'acme' }
  const keyOf = (clientName: string) => callerKey({ ...common, mautic, clientName })
  assert.notEqual(keyOf('Lab App [1]'), keyOf('Lab App [2]'))
  assert.equal(keyOf('Lab App [1]'), keyOf('Lab App [1]'))
})
