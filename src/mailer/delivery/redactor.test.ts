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

test('no secret survives, wherever it stands', () => {
  const text = fc.string({ maxLength: 20 })
  fc.assert(
    fc.property(fc.string({ minLength: 4, maxLength: 20 }), text, text, (secret, before, after) => {
      const shown = createRedactor([secret])(before + secret + after)
      assert.ok(!shown.replaceAll('********', '').includes(secret) || '********'.includes(secret))
    }),
  )
})
