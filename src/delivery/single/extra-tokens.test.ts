import assert from 'node:assert/strict'
import { test } from 'node:test'
import { replaceExtraTokens } from './extra-tokens.ts'

const email = {
  from: { address: 'news@brand.test', name: '' },
  to: { address: 'ann@example.com', name: '' },
  replyTo: null,
  subject: 'Order {code}',
  html: '<p title="{Code}">{code}</p>{other}',
  text: '{code} {other}',
  headers: {},
}

test('additional tokens are text: escaped in HTML, unchanged elsewhere', () => {
  const replaced = replaceExtraTokens(email, { '{code}': '<b>"1" & $&</b>' })
  const escaped = '&lt;b&gt;&quot;1&quot; &amp; $&amp;&lt;/b&gt;'
  assert.equal(replaced.html, `<p title="${escaped}">${escaped}</p>{other}`)
  assert.equal(replaced.text, '<b>"1" & $&</b> {other}')
  assert.equal(replaced.subject, 'Order <b>"1" & $&</b>')
})
