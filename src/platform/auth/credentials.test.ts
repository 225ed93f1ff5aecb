import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseStoredHash, verifyPassword } from './credentials.ts'

async function isVerified(password: string, stored: string): Promise<boolean> {
  const parsed = parseStoredHash(stored)
  return parsed !== undefined && verifyPassword(password, parsed)
}

test('text that is not a hash matches no password', () => {
  for (const stored of ['', 'x', '$argon2id$v=19$m=1,t=1,p=1$$', '$2y$13$abc']) {
    assert.equal(parseStoredHash(stored), undefined)
  }
})

/** From the reference implementation's own tests (github.com/P-H-C/phc-winner-argon2, src/test.c). */
test("the reference implementation's hash of a low cost is verified", async () => {
  const stored =
    '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'
  assert.equal(await isVerified('password', stored), true)
  assert.equal(await isVerified('differentpassword', stored), false)
})

const salt = 'c29tZXNhbHQ'
const tag = 'CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
const planted = [
  `$argon2id$v=19$m=65536,t=2,p=1$${salt}$${tag}`,
  `$argon2id$v=19$m=19456,t=4294967295,p=1$${salt}$${tag}`,
  `$argon2id$v=19$m=19456,t=3,p=1$${salt}$${tag}`,
  `$argon2id$v=19$m=19456,t=2,p=2$${salt}$${tag}`,
  `$argon2id$v=19$m=4,t=2,p=1$${salt}$${tag}`,
  `$argon2id$v=19$m=19456,t=0,p=1$${salt}$${tag}`,
  `$argon2id$v=19$m=19456,t=2,p=1$${salt}$${'A'.repeat(1_000)}`,
  `$argon2id$v=19$m=19456,t=2,p=1$${salt.repeat(100)}$${tag}`,
  `$argon2id$v=19$m=19456,t=2,p=1$AA$${tag}`,
]
for (const stored of planted) {
  test(`a hash of a higher cost is never computed: ${stored.slice(0, 60)}`, () => {
    assert.equal(parseStoredHash(stored), undefined)
  })
}
