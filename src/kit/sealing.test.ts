import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { seal, sealLarge, unseal, unsealLarge } from './sealing.ts'

const key = randomBytes(32)

test('sealed text opens with the same key and purpose', () => {
  const sealed = seal(key, 'transports.mailer_dsn', 'smtp://u:pässwörd@h')
  assert.equal(unseal(key, 'transports.mailer_dsn', sealed).toString(), 'smtp://u:pässwörd@h')
  assert.equal(sealed.includes('pässwörd'), false)
})

test('large bytes are sealed and opened in pieces, in the same form', async () => {
  const bytes = randomBytes(5 * 1_048_576 + 7)
  let turns = 0
  const count = () => {
    turns += 1
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)
  const chunks = [bytes.subarray(0, 100), bytes.subarray(100, 2_500_000), bytes.subarray(2_500_000)]
  const sealed = await sealLarge(key, 'p', chunks)
  const sealTurns = turns
  const opened = await unsealLarge(key, 'p', sealed)
  clearImmediate(timer)
  assert.ok(sealTurns >= 5, `${sealTurns} turns`)
  assert.ok(turns - sealTurns >= 5, `${turns - sealTurns} turns`)
  assert.ok(opened.equals(bytes))
  assert.ok(unseal(key, 'p', sealed).equals(bytes))
  assert.ok((await unsealLarge(key, 'p', seal(key, 'p', bytes))).equals(bytes))
  sealed.writeUInt8(sealed.readUInt8(3_000_000) ^ 1, 3_000_000)
  await assert.rejects(unsealLarge(key, 'p', sealed))
  await assert.rejects(unsealLarge(key, 'p', sealed.subarray(0, 20)))
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
