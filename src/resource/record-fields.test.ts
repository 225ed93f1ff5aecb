import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import {
  addressField,
  flagField,
  isPublishedField,
  jsonField,
  nameField,
  recordFields,
  textField,
} from './record-fields.ts'

const record = recordFields({
  name: nameField('The name.'),
  replyTo: addressField('The address for replies.'),
  secret: { input: Type.Optional(Type.String()) },
  note: textField('A note.'),
  isTwig: flagField(Type.Optional(Type.Boolean()), false),
  hostNames: jsonField(Type.Optional(Type.Array(Type.String())), Type.Array(Type.String()), []),
  isPublished: isPublishedField,
})

test('plain fields become columns, with defaults for those that are left out', () => {
  assert.deepEqual(record.toColumns({ name: 'A', replyTo: '', hostNames: ['a.test'] }), {
    name: 'A',
    reply_to: null,
    note: null,
    is_twig: false,
    host_names: '["a.test"]',
    is_published: true,
  })
})

test('columns become values again, with Booleans where the database has numbers', () => {
  const row = { ...record.toColumns({ name: 'A' }), is_twig: 1 as never, id: 7 }
  assert.deepEqual(record.toValues(row), {
    name: 'A',
    replyTo: null,
    note: null,
    isTwig: true,
    hostNames: [],
    isPublished: true,
  })
})

test('schemas have every field that has one, in order', () => {
  assert.deepEqual(Object.keys(record.item), [
    'name',
    'replyTo',
    'note',
    'isTwig',
    'hostNames',
    'isPublished',
  ])
  assert.equal(Object.keys(record.input)[2], 'secret')
})

test('a list is filtered by the plain fields that are named', () => {
  assert.deepEqual(record.listFields('replyTo', 'isTwig'), {
    replyTo: { column: 'reply_to', type: 'text' },
    isTwig: { column: 'is_twig', type: 'boolean' },
  })
})
