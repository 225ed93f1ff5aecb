import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from './app-error.ts'

test('an error has its message, and its cause is not serialized', () => {
  const cause = new Error('connect ECONNREFUSED 10.0.0.7:5432')
  const error = new AppError('upstream', 'database_unavailable', 'The database is unavailable.', {
    cause,
  })
  assert.equal(error.message, 'The database is unavailable.')
  assert.equal(error.cause, cause)
  assert.equal(JSON.stringify(error).includes('10.0.0.7'), false)
})
