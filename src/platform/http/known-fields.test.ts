import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import { pickKnownFields } from './known-fields.ts'

// cspell:ignore pasword
const schema = Type.Object({
  name: Type.String(),
  customHtml: Type.Optional(Type.String()),
  plainPassword: Type.Optional(Type.Object({ password: Type.String(), confirm: Type.String() })),
  context: Type.Optional(Type.Unsafe<object>({ type: ['object', 'array'] })),
  list: Type.Optional(Type.Array(Type.Object({ label: Type.String() }))),
  headers: Type.Optional(
    Type.Unsafe<object>({
      anyOf: [
        Type.Object({ list: Type.Array(Type.Object({ label: Type.String() })) }),
        {
          type: 'object',
          patternProperties: { '^X-': { type: 'string' } },
          additionalProperties: false,
        },
      ],
    }),
  ),
})

const pick = (value: unknown) => {
  const { value: picked, ignored } = pickKnownFields(value, schema)
  return { picked, warnings: ignored.warnings() }
}

test('only the fields of the schema pass, at every depth', () => {
  const { picked, warnings } = pick({
    name: 'a',
    newPasswordHash: 'x',
    plainPassword: { password: 'p', confirm: 'p', hash: 'x' },
    list: [{ label: 'l', html: 1 }, 'text', null],
    headers: { list: [{ label: 'l', more: 1 }], other: 1 },
  })
  assert.deepEqual(picked, {
    name: 'a',
    plainPassword: { password: 'p', confirm: 'p' },
    list: [{ label: 'l' }, 'text', null],
    headers: { list: [{ label: 'l' }] },
  })
  assert.deepEqual(warnings, [
    'Unknown field "newPasswordHash" was ignored.',
    'Unknown field "plainPassword.hash" was ignored.',
    'Unknown field "list.0.html" was ignored.',
    'Unknown field "headers.list.0.more" was ignored.',
    'Unknown field "headers.other" was ignored.',
  ])
})

test('objects that may have any fields are copied whole', () => {
  const value = {
    name: 'a',
    context: { constructor: { prototype: 1 }, any: { thing: [1] } },
    headers: { 'X-Any': 'v' },
  }
  assert.deepEqual(pick(value), { picked: value, warnings: [] })
})

test('names of object members, such as constructor, are fields like any other', () => {
  const value = JSON.parse(
    '{"__proto__":{"isAdmin":true},"constructor":1,"toString":2,"hasOwnProperty":3,"name":"a"}',
  )
  const { picked, warnings } = pick(value)
  assert.deepEqual(Object.keys(picked as object), ['name'])
  assert.equal(Object.getPrototypeOf(picked), Object.prototype)
  assert.equal(warnings.length, 4)
})

test('values that are no objects are left to validation', () => {
  for (const value of ['text', 5, null, true, [1], { name: { a: 1 }, headers: { bad: 1 } }])
    assert.deepEqual(pick(value).picked, value)
})

test('warnings are few and short, however many fields are unknown', () => {
  const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`f${index}`, 1]))
  const { warnings } = pick({ ...many })
  assert.equal(warnings.length, 11)
  assert.equal(warnings.at(-1), '99990 more unknown fields were ignored.')
  const [long = ''] = pick({ [`<b>"\n${'x'.repeat(1_000_000)}`]: 1 }).warnings
  assert.ok(long.length < 200 && !long.includes('\n'), long)
})
