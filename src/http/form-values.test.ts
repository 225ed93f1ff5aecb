import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readFormValues } from './form-values.ts'

test('numbers, booleans and nulls are read from text where the schema asks for them', () => {
  const schema = {
    type: 'object',
    properties: {
      count: { type: 'integer' },
      owner: { type: ['integer', 'null'] },
      either: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
      isOpen: { type: 'boolean' },
      name: { type: 'string' },
    },
  }
  assert.deepEqual(
    readFormValues({ count: '5', owner: '7', either: '8', isOpen: 'on', name: '9' }, schema),
    { count: 5, owner: 7, either: 8, isOpen: true, name: '9' },
  )
  assert.deepEqual(readFormValues({ owner: '', either: '' }, schema), { owner: null, either: null })
})

test('text that is no number stays text, and validation rejects it', () => {
  const schema = { type: 'object', properties: { owner: { type: ['integer', 'null'] } } }
  assert.deepEqual(readFormValues({ owner: 'seven' }, schema), { owner: 'seven' })
})

test('the items of a list are read, also with explicit indexes', () => {
  const schema = {
    type: 'array',
    items: { type: 'object', properties: { isOpen: { type: 'boolean' } } },
  }
  assert.deepEqual(readFormValues([{ isOpen: '1' }], schema), [{ isOpen: true }])
  assert.deepEqual(readFormValues({ first: { isOpen: '0' } }, schema), { first: { isOpen: false } })
  assert.deepEqual(readFormValues({ 0: { isOpen: '0' } }, schema), [{ isOpen: false }])
})
