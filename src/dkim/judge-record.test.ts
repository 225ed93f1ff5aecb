import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeRecord } from './judge-record.ts'

const name = 'm._domainkey.example.com'
const publicKey = 'QUJD'

const judge = (record: string, { key = publicKey, isTesting = false } = {}) =>
  judgeRecord(
    { state: 'found', record, key, algorithm: 'rsa', bits: 2_048, isTesting },
    { name, publicKey },
  )

test('a record with the same key is usable; with t=y its problem says what that does', () => {
  assert.deepEqual(judge('v=DKIM1; p=QUJD'), { state: 'usable', problem: null })
  const { state, problem } = judge('v=DKIM1; t=y; p=QUJD', { isTesting: true })
  assert.equal(state, 'usable')
  assert.match(problem ?? '', /\(t=y\).*Remove t=y from it\.$/)
})

test('a record with another key is unusable, and quoted', () => {
  const { state, problem } = judge('v=DKIM1; p=QUJE', { key: 'QUJE' })
  assert.equal(state, 'unusable')
  assert.match(problem ?? '', /has another key\. Found: "v=DKIM1; p=QUJE"\. Replace it/)
})

test('what is absent or invalid is unusable, and a failure of DNS says nothing', () => {
  const absent = judgeRecord({ state: 'absent' }, { name, publicKey })
  assert.deepEqual(absent, {
    state: 'unusable',
    problem: `No TXT record was found at ${name}. Publish the one in "record".`,
  })
  const invalid = judgeRecord(
    { state: 'invalid', record: 'v=DKIM1; p=', problem: 'Its key was revoked.' },
    { name, publicKey },
  )
  assert.equal(invalid.state, 'unusable')
  assert.match(
    invalid.problem ?? '',
    /cannot be used: Its key was revoked\. Found: "v=DKIM1; p="\. Replace it/,
  )
  const failed = judgeRecord(
    { state: 'failed', problem: 'No DNS server answered within 3 s.' },
    { name, publicKey },
  )
  assert.equal(failed.state, 'failed')
})

test('a problem quotes at most 200 characters of a record, on one line', () => {
  const { problem } = judge(`v=DKIM1;\n${'x'.repeat(60_000)}`, { key: 'QUJE' })
  assert.ok((problem ?? '').length < 600)
  assert.ok(!problem?.includes('\n'))
})
