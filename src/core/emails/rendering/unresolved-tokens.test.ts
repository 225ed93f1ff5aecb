import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findTokensOfTemplate, findUnresolvedTokens } from './unresolved-tokens.ts'

// cspell:ignore unsubcribe
const inText = (text: string) =>
  findUnresolvedTokens({ text, isHtml: false, isTwig: false, hasLinks: false })
const inHtml = (text: string) =>
  findUnresolvedTokens({ text, isHtml: true, isTwig: false, hasLinks: false })
const inTwig = (text: string) =>
  findUnresolvedTokens({ text, isHtml: true, isTwig: true, hasLinks: false })

test("tokens that stand for nothing are found: Mautic's, misspelt ones, and fields that no contact has", () => {
  for (const token of [
    '{unsubscribe_url}',
    '{UNSUBSCRIBE_TEXT}',
    '{webview_url}',
    '{unsubcribe_url}',
    '{contact_field=firstname}',
    '{contactfield=frstname}',
    '{contactfield=}',
    '{ownerfield=email}',
    '{dynamiccontent="Offer"}',
    '{TwigTemplate=3}',
    '{pagelink=5}',
    '{ signature }',
  ])
    assert.deepEqual(inText(`Hello ${token}, bye {contactfield=city} ${token}`), [token], token)
  assert.deepEqual(inHtml('<a href="%7Bunsubscribe_url%7D">x</a>'), ['%7Bunsubscribe_url%7D'])
  assert.deepEqual(inHtml('<!--[if mso]>{webview_text}<![endif]-->'), ['{webview_text}'])
})

test('known tokens are not reported, with or without a value', () => {
  const known =
    '{contactfield=firstname} {contactfield=id} {ContactField=owner_id} {contactfield=frstname|friend} {twigtemplate=3} %7Bcontactfield=email%7D'
  assert.deepEqual(inHtml(known), [])
})

test('braces of CSS, JSON and code are no tokens', () => {
  for (const text of [
    '<style>a{color:red}@media screen{b{margin:0}}c{d}</style><p style="x">{}</p>',
    '<STYLE type="text/css">{unknown}</STYLE >ok',
    '<script type="application/ld+json">{"a": {"b": 1}} {name}</script>',
    '<p>{"key": "value"} { } {1} {a b} {a: 1} {a, b} {é}</p>',
    'function () { return x }',
  ])
    assert.deepEqual(inHtml(text), [], text)
  assert.deepEqual(inHtml('<styled>{name}</styled>'), ['{name}'])
})

test('the text around Twig code is searched, the code is not', () => {
  assert.deepEqual(inTwig('{{ {name}|json_encode }}{# {a} #}{% set x = {b} %}'), [])
  assert.deepEqual(inTwig('{{ x }}{unsubscribe_url}{{ y }}'), ['{unsubscribe_url}'])
  const template = '{{ x }}{contactfield=city} {anything} {webview_url}'
  assert.deepEqual(findTokensOfTemplate(template, false), ['{contactfield=city}', '{webview_url}'])
  assert.deepEqual(findTokensOfTemplate(template, true), ['{contactfield=city}'])
})

test('long texts of unfinished tokens are read fast', () => {
  for (const piece of [
    '{',
    '{a',
    '{contactfield=',
    '%7b',
    '<style',
    '<style>',
    '{{',
    '{form =',
    '{ ',
  ])
    inTwig(piece.repeat(1_000_000 / piece.length))
  for (const piece of ['{a=', '%7b   ', '<script', '{form='])
    inHtml(piece.repeat(1_000_000 / piece.length))
})
