import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashPassword, verifyPassword } from './passwords.ts'

test('a password is verified against its hash, and another one is not', async () => {
  const stored = await hashPassword('correct horse ✓')
  assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  assert.equal(await verifyPassword('correct horse ✓', stored), true)
  assert.equal(await verifyPassword('correct horse', stored), false)
  assert.equal(await verifyPassword('', stored), false)
})

test('the same password hashes differently each time', async () => {
  assert.notEqual(await hashPassword('x'), await hashPassword('x'))
})

test('what is no hash lets nobody in', async () => {
  for (const stored of ['', 'x', '$argon2id$v=19$m=1,t=1,p=1$$', '$2y$13$abc']) {
    assert.equal(await verifyPassword('x', stored), false)
  }
})

/** From the reference implementation's own tests (github.com/P-H-C/phc-winner-argon2, src/test.c). */
test("the reference implementation's hash is understood", async () => {
  const stored =
    '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
  assert.equal(await verifyPassword('password', stored), true)
})
