import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeAlert } from './alert-text.ts'

test('an alert leads to the page of what it is about', () => {
  const cases: [type: string, data: Record<string, unknown>, path: string][] = [
    ['dkim.missing', { dkimKeyId: 7, domain: 'brand.example' }, '/senders/keys/7'],
    ['transport.down', { transportId: 3 }, '/transports/3'],
    ['limit.reached', { limitId: 2 }, '/limits/2'],
    ['queue.delayed', {}, '/queue'],
  ]
  for (const [type, data, path] of cases) {
    const text = writeAlert({
      type,
      data: { ...data, message: 'It happened.' },
      more: 0,
      publicUrl: 'https://mail.example.com/console',
    })
    assert.equal(text, `It happened. https://mail.example.com/console${path}`)
  }
})
