import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AllowedMethods } from './allowed-methods.ts'

function createThings() {
  const allowed = new AllowedMethods()
  allowed.add('POST', '/things/new')
  allowed.add('GET', '/things/:id')
  allowed.add('HEAD', '/things/:id')
  allowed.add('PATCH', '/things/:id/edit')
  allowed.add('PUT', '/things/:id/edit')
  return allowed
}

test('of() returns the methods of a path, and an empty list for an unknown path', () => {
  const allowed = createThings()
  assert.deepEqual(allowed.of('/things/5'), ['GET', 'HEAD'])
  assert.deepEqual(allowed.of('/things/5/edit'), ['PATCH', 'PUT'])
  assert.deepEqual(allowed.of('/nothing'), [])
})

test('a path without parameters has its own methods, with or without a trailing slash', () => {
  const allowed = createThings()
  for (const path of ['/things/new', '/things/new/']) {
    assert.deepEqual(allowed.of(path), ['POST'])
    assert.equal(allowed.isOtherPath('GET', path), true)
    assert.equal(allowed.isOtherPath('POST', path), false)
  }
  assert.equal(allowed.isOtherPath('GET', '/things/5'), false)
})
