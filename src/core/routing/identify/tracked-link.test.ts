import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTrackedLink } from './tracked-link.ts'

const encode = (serialized: string) => Buffer.from(serialized).toString('base64')

/** As in a recorded message of the contact API. */
const recorded =
  'a:5:{s:6:"source";a:2:{i:0;s:3:"api";i:1;i:0;}s:5:"email";i:10;s:4:"stat";s:22:"6b00ef30c2e0a792849038";' +
  's:4:"lead";s:1:"1";s:7:"channel";a:1:{s:5:"email";i:10;}}'

test('email, contact and hash are read from the ct of a tracked link', () => {
  assert.deepEqual(readTrackedLink(encode(recorded)), {
    emailId: 10,
    contactId: 1,
    hash: '6b00ef30c2e0a792849038',
  })
})

test('a ct that is not such an array says nothing', () => {
  const texts = [
    '',
    'a:1:{',
    'O:8:"stdClass":1:{s:5:"email";i:10;}',
    'a:1:{s:5:"email";O:8:"stdClass":0:{}}',
    'a:1:{s:99999:"email";i:10;}',
    'a:999999999:{s:5:"email";i:10;}',
    `${'a:1:{i:0;'.repeat(500)}`,
    `a:90:{${'i:0;i:0;'.repeat(90)}}`,
    'i:10;',
  ]
  assert.deepEqual(
    texts.map((text) => readTrackedLink(encode(text))),
    texts.map(() => undefined),
  )
  assert.equal(readTrackedLink('A'.repeat(3_000)), undefined)
})

test('values that are no ids and no hash are left out', () => {
  const none = { emailId: undefined, contactId: undefined, hash: undefined }
  const serialized = 'a:3:{s:5:"email";i:-3;s:4:"lead";a:0:{}s:4:"stat";s:6:"../../";}'
  assert.deepEqual(readTrackedLink(encode(serialized)), none)
  assert.deepEqual(readTrackedLink(encode('a:1:{s:5:"email";N;}')), none)
})
