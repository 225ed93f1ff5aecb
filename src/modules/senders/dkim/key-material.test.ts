import assert from 'node:assert/strict'
import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { KeyMaker, rsaBitsOf } from './key-material.ts'

const rsa = (type: 'pkcs1' | 'pkcs8', bits: number) =>
  generateKeyPairSync('rsa', {
    modulusLength: bits,
    privateKeyEncoding: { type, format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
const keys = new KeyMaker()
const owner = 'user 1'

test('RSA keys are read from PKCS#1 and PKCS#8, and Ed25519 keys from PKCS#8', async () => {
  for (const type of ['pkcs1', 'pkcs8'] as const) {
    const { privateKey } = rsa(type, 1_024)
    const read = await keys.read(`\n Bag Attributes\n${privateKey.replaceAll('\n', '\r\n')}`, owner)
    assert.equal(read.algorithm, 'rsa')
    assert.equal(rsaBitsOf(read.publicKey), 1_024)
    assert.match(read.privateKey, /^-----BEGIN PRIVATE KEY-----\n/)
  }
  const { privateKey } = generateKeyPairSync('ed25519')
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const read = await keys.read(pem, owner)
  assert.equal(read.algorithm, 'ed25519')
  const { x } = privateKey.export({ format: 'jwk' })
  assert.equal(Buffer.from(read.publicKey, 'base64').toString('base64url'), x)
})

test('a key that cannot sign is refused with what it is, and never quoted', async () => {
  const { privateKey, publicKey } = rsa('pkcs8', 1_024)
  const lines = privateKey.split('\n')
  const damaged = [...lines.slice(0, 3), lines[4], lines[3], ...lines.slice(5)].join('\n')
  const ec = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  const encrypted = createPrivateKey(privateKey).export({
    type: 'pkcs8',
    format: 'pem',
    cipher: 'aes-256-cbc',
    passphrase: 'secret',
  })
  const cases: [string, RegExp][] = [
    ['', /must be PEM/],
    [publicKey, /must be a private key; this is a public key/],
    [ec.privateKey, /must be an RSA or an Ed25519 key; this is ec/],
    [encrypted.toString(), /protected with a passphrase/],
    [rsa('pkcs1', 768).privateKey, /has 768 bits.*less than 1024/],
    [lines.slice(0, 6).join('\n'), /cannot be read/],
    ['-----BEGIN PRIVATE KEY-----\n\0\n-----END PRIVATE KEY-----', /cannot be read/],
    [damaged, /is damaged|cannot be read/],
  ]
  for (const [pem, message] of cases)
    await assert.rejects(keys.read(pem, owner), (error: Error) => {
      assert.equal(error.name, 'UnusableKeyError', `${error.stack} for ${pem.slice(0, 40)}`)
      assert.match(error.message, message)
      for (const line of lines.slice(1, -2)) assert.ok(!error.message.includes(line))
      return true
    })
})

test('a key of more than 4096 bits is refused, and one of 4096 is read', async () => {
  await assert.rejects(
    keys.read(rsa('pkcs8', 4_608).privateKey, owner),
    /has 4608 bits.*more than 4096/,
  )
  assert.equal(rsaBitsOf((await keys.read(rsa('pkcs8', 4_096).privateKey, owner)).publicKey), 4_096)
})

test('callers take turns: twenty keys of one hold up another by one key', async () => {
  const maker = new KeyMaker()
  let made = 0
  const all = Array.from({ length: 20 }, () =>
    maker.create('ed25519', 'user 1').then(() => {
      made += 1
    }),
  )
  await maker.create('ed25519', 'user 2')
  assert.ok(made <= 2, `${made} keys of the other were made first`)
  await Promise.all(all)
})

test('keys are made one at a time, also for two callers', async () => {
  const maker = new KeyMaker()
  const made: string[] = []
  const make = async (algorithm: 'rsa' | 'ed25519', user: string) =>
    made.push((await maker.create(algorithm, user)).algorithm)
  // The second takes much less time.
  await Promise.all([make('rsa', 'user 1'), make('ed25519', 'user 2')])
  assert.deepEqual(made, ['rsa', 'ed25519'])
})

test('of a hundred keys that one caller asks for at once, those above 21 are refused for now', async () => {
  const maker = new KeyMaker()
  const all = Array.from({ length: 100 }, () => maker.create('ed25519', owner))
  const results = await Promise.allSettled(all)
  assert.equal(results.filter(({ status }) => status === 'rejected').length, 79)
  assert.equal((await maker.create('ed25519', owner)).algorithm, 'ed25519')
})
