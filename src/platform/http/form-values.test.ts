import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTexts } from './form-values.ts'

const item = {
  type: 'object',
  properties: {
    count: { type: 'integer' },
    owner: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    isOpen: { type: 'boolean' },
    name: { type: ['string', 'null'] },
    tags: { anyOf: [{ type: 'array', items: { type: 'integer' } }, { type: 'string' }] },
    within: { type: 'object', properties: { isOpen: { type: 'boolean' } } },
    context: {},
  },
}

test('numbers, booleans and nulls are read from text where the schema asks for them, and nothing else is', () => {
  const cases: [body: object, read?: object][] = [
    [
      { count: '-5', owner: '8', isOpen: 'on' },
      { count: -5, owner: 8, isOpen: true },
    ],
    [
      { owner: '', name: '' },
      { owner: null, name: '' },
    ],
    [
      { within: { isOpen: 'No' }, tags: ['1', 2] },
      { within: { isOpen: false }, tags: [1, 2] },
    ],
    [{ count: '', owner: 'seven', isOpen: 'maybe', name: '9', tags: '1', context: { a: '1' } }],
    [{ count: '1e3', owner: [], isOpen: 1, name: 5, constructor: '1', other: '1' }],
  ]
  for (const [body, read = structuredClone(body)] of cases)
    assert.deepEqual(readTexts(body, item), read)
  assert.deepEqual(readTexts({ name: '' }, item, true), { name: null }, 'in a form')
})

test('the items of a batch are read, whatever their keys', () => {
  const batch = { type: 'array', items: item }
  assert.deepEqual(readTexts([{ isOpen: '1' }, '5', null], batch), [{ isOpen: true }, '5', null])
  assert.deepEqual(readTexts({ first: { isOpen: '0' } }, batch), { first: { isOpen: false } })
  assert.deepEqual(readTexts({ 0: { isOpen: '0' } }, batch), [{ isOpen: false }])
})
