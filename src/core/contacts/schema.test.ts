import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { emailAddressPattern } from '../../kit/email-address.ts'
import { isMailAddress } from '../../libraries/mailer/index.ts'

const pattern = new RegExp(`^${emailAddressPattern}$`)

test('an address of a form is one address', () => {
  const plain = ['ann@example.com', 'o.neil+tag@sub.example.com', 'jörg@bücher.example']
  for (const address of [...plain, '"odd user"@example.com', '"a@b>\\""@c.example', '""@c.example'])
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
  const quoted = ['"a"@b"@c', '"a\\"@c', '"a\nb"@c', '"Ann" <a@b>']
  for (const text of [...others, ...quoted, '-f@x.test', 'ann@x.test/x', 'ann@x.test:25'])
    assert.doesNotMatch(text, pattern)
})

test('mail is sent to every address that a form accepts', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 3 }),
    fc.constantFrom('@', '"', '\\', '-', '.', '[', ']', '%', '\ufffd', '\u00a0', 'ä', 'x.example'),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), fc.array(piece, { maxLength: 8 }), (a, b) => {
      const address = `${a.join('')}@${b.join('')}`
      if (pattern.test(address)) assert.equal(isMailAddress(address), true, address)
    }),
    { numRuns: 2_000 },
  )
})
