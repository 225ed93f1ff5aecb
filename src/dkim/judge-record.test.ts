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

test('a problem quotes at most 200 characters of a record, on one line', () => {
  const { problem } = judge(`v=DKIM1;\n${'x'.repeat(60_000)}`, { key: 'QUJE' })
  assert.ok((problem ?? '').length < 600)
  assert.ok(!problem?.includes('\n'))
})
