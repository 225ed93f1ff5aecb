import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { emailAddressPattern } from '../kit/email-address.ts'
import { isMailAddress } from '../mailer/index.ts'

const pattern = new RegExp(`^${emailAddressPattern}$`)

test('an address of a form is one address', () => {
  for (const address of ['ann@example.com', 'o.neil+tag@sub.example.com', 'jörg@bücher.example'])
    assert.match(address, pattern)
  const others = [
    'ann',
    '@example.com',
    'ann@',
    'a@b, c@d',
    'Ann <ann@example.com>',
    'a b@c',
    'a@b@c',
  ]
  for (const text of [...others, '-f@example.com', 'ann@example.com/x', 'ann@example.com:25'])
    assert.doesNotMatch(text, pattern)
})

test('mail is sent to every address that a form accepts', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 3 }),
    fc.constantFrom('@', '-', '.', '[', ']', '%', '\ufffd', '\u00a0', 'ä', 'x.example'),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), fc.array(piece, { maxLength: 8 }), (a, b) => {
      const address = `${a.join('')}@${b.join('')}`
      if (pattern.test(address)) assert.equal(isMailAddress(address), true, address)
    }),
    { numRuns: 2_000 },
  )
})
