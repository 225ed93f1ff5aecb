import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { seal, unseal } from './sealing.ts'

const key = randomBytes(32)

test('sealed text opens with the same key and purpose', () => {
  const sealed = seal(key, 'transports.mailer_dsn', 'smtp://u:pässwörd@h')
  assert.equal(unseal(key, 'transports.mailer_dsn', sealed).toString(), 'smtp://u:pässwörd@h')
  assert.equal(sealed.includes('pässwörd'), false)
})

test('the same text never seals to the same bytes', () => {
  assert.notDeepEqual(seal(key, 'p', 'x'), seal(key, 'p', 'x'))
})

test('another key, another purpose, a changed byte and a cut text do not open', () => {
  const sealed = seal(key, 'p', 'secret')
  assert.throws(() => unseal(randomBytes(32), 'p', sealed))
  assert.throws(() => unseal(key, 'q', sealed))
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed)
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
    assert.throws(() => unseal(key, 'p', changed))
    assert.throws(() => unseal(key, 'p', sealed.subarray(0, at)))
  }
})
