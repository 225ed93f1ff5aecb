import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { joinSentences } from './fault-error.ts'
import { createRedactor } from './redactor.ts'

test('each sentence ends with one full stop, and missing ones leave no gap', () => {
  assert.equal(
    joinSentences(['a refused it: 550 no', null, 'Check it.']),
    'a refused it: 550 no. Check it.',
  )
  assert.equal(joinSentences(['Why?', undefined, '', 'So!']), 'Why? So!')
  assert.equal(
    joinSentences(['They said "no."', '(Or not.)', 'And on…']),
    'They said "no." (Or not.) And on…',
  )
  assert.equal(joinSentences(['a refused it (try later)']), 'a refused it (try later).')
  assert.equal(joinSentences([]), '')
})

test('a secret is masked when plain, in base64 and percent-encoded, in any case', () => {
  const redact = createRedactor(['Pa$$/w+rd', 'tok'])
  assert.equal(redact('bad Pa$$/w+rd!'), 'bad ********!')
  assert.equal(redact('BAD PA$$/W+RD'), 'BAD ********')
  assert.equal(redact('UGEkJC93K3Jk'), '********')
  assert.equal(redact('x=Pa%24%24%2Fw%2Brd&y'), 'x=********&y')
  assert.equal(redact('tok stock'), '******** stock', 'a short one only as a word')
  assert.equal(createRedactor([])('nothing'), 'nothing')
})

test('a secret is masked in hex, escaped as in JSON, and in the base64 of addresses', () => {
  const secret = 'tok"en/ÿ🔑>>?'
  const redact = createRedactor([secret])
  const bytes = Buffer.from(secret)
  for (const form of [
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    bytes.toString('base64url'),
    'tok\\"en/ÿ🔑>>?',
    'tok\\"en\\/ÿ🔑>>?',
    'tok\\"en/\\u00ff\\ud83d\\udd11>>?',
    'tok\\"en\\/\\u00FF\\uD83D\\uDD11>>?',
  ])
    assert.equal(redact(`an ${form} is`), 'an ******** is')
  for (const before of ['a', 'ab', 'joe'])
    assert.match(redact(Buffer.from(before + secret).toString('base64url')), /^.{1,4}\*{8}$/)
})

test('of a secret whose occurrences overlap nothing remains, in a text of any length', () => {
  const redact = createRedactor(['abab1abab', `${'é'.repeat(100_000)}b`, 'é'.repeat(100_000)])
  assert.equal(redact('abab1abab1abab, ababab1abab'), '********, ab********')
  assert.equal(redact('É'.repeat(1_000_000)), '********')
})

test('a secret is masked in the base64 of a log-in that contains it', () => {
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

test('a secret of any length is masked, also beside characters whose case has another length', () => {
  const secret = `${'0123456789+/=$^([{|\\'.repeat(5_000)}ß`
  const redact = createRedactor([secret, 'ok'])
  for (const form of [
    secret,
    secret.toUpperCase().replace('SS', 'ß'),
    Buffer.from(secret).toString('base64'),
  ])
    assert.equal(redact(`straße ${form} İ`), 'straße ******** İ')
  const login = Buffer.from(`\0joe\0${secret}`).toString('base64')
  assert.match(redact(`AUTH PLAIN ${login}`), /^AUTH PLAIN .{6,8}\*{8}=*$/)
})

test('of secrets that contain one another, and overlap, nothing remains', () => {
  const redact = createRedactor(['secret', 'my-secret-word', 'word-of-mine'])
  assert.equal(redact('a my-secret-word-of-mine, secretsecret'), 'a ********, ****************')
})

test('what a cut text has of a secret is masked, from 8 characters on', () => {
  const secret = 'abababababababc-0123456789'
  const redact = createRedactor([secret])
  for (const form of [secret, btoa(secret)])
    for (let length = 8; length <= form.length; length += 1)
      assert.equal(redact(`it is ab ${form.slice(0, length)}`), 'it is ab ********')
  assert.equal(redact('a-abababa'), 'a-abababa')
})

test('a secret is masked at every position', () => {
  const text = fc.string({ maxLength: 20 })
  fc.assert(
    fc.property(fc.string({ minLength: 4, maxLength: 20 }), text, text, (secret, before, after) => {
      const shown = createRedactor([secret])(before + secret + after)
      assert.ok(!shown.replaceAll('********', '').includes(secret) || '********'.includes(secret))
    }),
  )
})
