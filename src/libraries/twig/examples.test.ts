import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkExamples } from '../../../test/examples.ts'

test('every export of mailyard/twig has an @example that compiles', () => {
  const index = new URL('index.ts', import.meta.url)
  assert.deepEqual(checkExamples({ name: 'mailyard/twig', index }), [])
})
