import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createRedactor } from './redactor.ts'

test('a secret is blanked as it is, in base64 and percent-encoded, in any case', () => {
  const redact = createRedactor(['Pa$$/w+rd', 'tok'])
  assert.equal(redact('bad Pa$$/w+rd!'), 'bad ********!')
  assert.equal(redact('BAD PA$$/W+RD'), 'BAD ********')
  assert.equal(redact('UGEkJC93K3Jk'), '********')
  assert.equal(redact('x=Pa%24%24%2Fw%2Brd&y'), 'x=********&y')
  assert.equal(redact('tok stock'), '******** stock', 'a short one only as a word')
  assert.equal(createRedactor([])('nothing'), 'nothing')
})

test('a secret is blanked in the base64 of a log-in that holds it, whatever stands around it', () => {
  const secret = 'S3cret/pass'
  const redact = createRedactor([secret])
  for (const before of ['', 'a', 'ab', '\0joe\0', '\0user@example.com\0', 'api:'])
    for (const after of ['', '\x01', '\x01\x01', ':xyz']) {
      const encoded = Buffer.from(before + secret + after).toString('base64')
      const shown = redact(encoded)
      const [head = '', tail] = shown.split('********')
      assert.ok(tail !== undefined, `${JSON.stringify([before, after])}: ${shown}`)
      // Six bits a character: none with a bit of the secret is left.
      assert.ok(head.length <= Math.floor((before.length * 8) / 6), shown)
      const behind = encoded.length - Math.ceil(((before + secret).length * 8) / 6)
      assert.ok(tail.length <= behind, shown)
    }
})

test('no secret survives, wherever it stands', () => {
  const text = fc.string({ maxLength: 20 })
  fc.assert(
    fc.property(fc.string({ minLength: 4, maxLength: 20 }), text, text, (secret, before, after) => {
      const shown = createRedactor([secret])(before + secret + after)
      assert.ok(!shown.replaceAll('********', '').includes(secret) || '********'.includes(secret))
    }),
  )
})
