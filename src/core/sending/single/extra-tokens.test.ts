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

test('an additional token is found with encoded braces, as editors write it in links', () => {
  const html = '<a href="%7Bcode%7D">x</a>'
  assert.equal(
    replaceExtraTokens({ ...email, html }, { code: 'https://a.test/' }).html,
    '<a href="https://a.test/">x</a>',
  )
})

test('an additional token may have a name of any length and any characters but braces', () => {
  const long = 'n'.repeat(200_000)
  const text = `{${long}} {${long}n} {A.*(b} {{a}} %7Ba%7d {__proto__} {ab}`
  const tokens = { [long]: 'long', 'a.*(B': 'odd', a: 'one' }
  const replaced = replaceExtraTokens({ ...email, text }, tokens)
  assert.equal(replaced.text, `long {${long}n} odd {one} one {__proto__} {ab}`)
})

test('many names of different lengths and many braces delay nothing', () => {
  const lengths = Array.from({ length: 1_400 }, (_, index) => index + 1)
  const tokens = Object.fromEntries(lengths.map((length) => ['n'.repeat(length), 'value']))
  const many = 1_000_000
  const hostile = [
    '{ '.repeat(many / 2),
    '{'.repeat(many),
    '}'.repeat(many),
    `${'{'.repeat(many)}}`,
    `${'{'.repeat(1_400)}}`.repeat(700),
    `${'n'.repeat(many)}}`,
  ]
  for (const html of hostile) {
    const replaced = replaceExtraTokens({ ...email, html: `${html}{nn}` }, tokens)
    assert.ok(replaced.html === `${html}value`)
  }
})
