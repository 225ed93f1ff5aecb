import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../kit/app-error.ts'
import { readRawPermissions } from './role-schema.ts'

function faultsOf(given: object): unknown {
  try {
    readRawPermissions(given)
    return undefined
  } catch (error) {
    assert.ok(error instanceof AppError)
    return error.details
  }
}

test('permissions are lists of levels by area', () => {
  assert.deepEqual(readRawPermissions({ email: ['view', 'send'] }), { email: ['view', 'send'] })
  assert.deepEqual(readRawPermissions([]), {})
})

test('unknown permissions are rejected, whatever their text looks like', () => {
  assert.match(String(Object.values(faultsOf({ email: ['fly'] }) ?? {})), /no level fly/)
  assert.match(String(Object.values(faultsOf({ contact: ['send'] }) ?? {})), /no level send/)
  assert.match(String(Object.values(faultsOf({ email: [['view']] }) ?? {})), /no level \(a list\)/)
  assert.match(String(Object.values(faultsOf({ email: 'view' }) ?? {})), /must be a list/)
  assert.match(String(Object.values(faultsOf({ nothing: ['view'] }) ?? {})), /is no area/)
  assert.match(String(Object.values(faultsOf({ constructor: ['view'] }) ?? {})), /is no area/)
})
