import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  findPlace,
  pathsOfJson,
  propertiesOf,
  resolveLoop,
} from '../../web/records/code/context.ts'
import { makePreviewPage } from '../../web/records/preview-html.ts'

test('what can be completed depends on the place in the code', () => {
  const kinds: [string, string | undefined][] = [
    ['Hello', undefined],
    ['{{ na', 'expression'],
    ['{{ name }} and', undefined],
    ['{% fo', 'tag'],
    ['{%- fo', 'tag'],
    ['{% for a in it', 'expression'],
    ['{{ name|up', 'filter'],
    ['{% apply up', 'filter'],
    ['{% if a is not em', 'test'],
    ['{{ contact.fi', 'property'],
    ['{{ order.items[0].na', 'property'],
    ['{{ 12', undefined],
    ['{{ "contact.fi', undefined],
    ["{% include 'foo", 'template'],
    ["{% include ['a', 'b", 'template'],
    ["{{ include('foo", 'template'],
    ["{% from 'foo' import b", 'expression'],
    ['{# {{ na', undefined],
  ]
  for (const [before, kind] of kinds) assert.equal(findPlace(before)?.kind, kind, before)
  assert.deepEqual(findPlace('{{ contact.fi'), { kind: 'property', from: 11, path: 'contact' })
})

test('properties come from the variables that are known, also in loops', () => {
  const paths = ['contact.firstname', 'order.items[].price', 'order.items[].name']
  assert.deepEqual(propertiesOf('contact', paths), ['firstname'])
  assert.deepEqual(propertiesOf('order.items[0]', paths), ['name', 'price'])
  assert.equal(resolveLoop('item', '{% for item in order.items %}'), 'order.items[]')
  const known = pathsOfJson({ order: { items: [{ price: 1 }] } })
  assert.deepEqual(known, ['order', 'order.items[]', 'order.items[].price'])
})

test('the preview loads nothing from other servers and counts what it leaves out', () => {
  const html =
    '<link rel="stylesheet" href="https://a.example/x.css"><img src="https://a.example/x.png"><td background=//b.example/y.png style="background: url(\'https://c.example/z.png\')"><img src="data:image/png;base64,AA=="><script>alert(1)</script>'
  const page = makePreviewPage(html, false)
  assert.equal(page.blocked, 3)
  assert.doesNotMatch(
    page.html,
    /\s(?:src|background)=["']?(?:https?:)?\/\/|<link|url\('https|<script>/,
  )
  assert.match(page.html, / src="data:image/)
})

test('the preview shows the rules of dark mails when it is dark', () => {
  const html = '<style>@media (prefers-color-scheme: dark) { p { color: red } }</style>'
  assert.match(makePreviewPage(html, true).html, /@media \(min-width:0px\)/)
  assert.match(makePreviewPage(html, false).html, /@media \(max-width:0px\)/)
})
