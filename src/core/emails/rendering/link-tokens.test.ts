import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTwig, TwigError } from '../../../libraries/twig/index.ts'
import type { TextKind } from '../../mime/tokens.ts'
import { linkValues, markTokens, withMarks } from './link-tokens.ts'
import { type RenderContext, renderText } from './text-renderer.ts'

const engines = { html: createTwig(), text: createTwig({ autoescape: false }) }
const links = { unsubscribe: 'https://m.test/u?a=1&b=2', webview: 'https://m.test/w' }
const templates = new Map<string, string>()

const render = (
  source: string,
  {
    kind = 'html',
    isTwig = true,
    ...more
  }: Partial<RenderContext> & { kind?: TextKind; isTwig?: boolean } = {},
) => {
  const context = {
    engines,
    contact: {},
    variables: {},
    loader: withMarks(templates),
    links: linkValues(links),
    checkTime: () => undefined,
    ...more,
  }
  return renderText(source, context, { kind, isTwig })
}

const link = 'https://m.test/u?a=1&amp;b=2'
const sentence = `<a href="${link}">Unsubscribe</a> to no longer receive emails from us.`

test('tokens in Twig, in templates that it includes and in its strings become links', () => {
  templates.set('footer', '<a href="{unsubscribe_url}">Off</a> {webview_url}')
  assert.equal(render('{{ include("footer") }}'), `<a href="${link}">Off</a> https://m.test/w`)
  for (const source of [
    '{unsubscribe_text}',
    '{UNSUBSCRIBE_TEXT}',
    '%7Bunsubscribe_text%7D',
    '{{ "{unsubscribe_text}" }}',
    "{% set it = '{unsubscribe_text}' %}{{ it }}",
    '{% set it %}{unsubscribe_text}{% endset %}{{ it }}',
    '{% for i in 1..1 %}{unsubscribe_text}{% endfor %}',
    '{% verbatim %}{unsubscribe_text}{% endverbatim %}',
    '{{ include(template_from_string("{unsubscribe_text}")) }}',
  ])
    assert.equal(render(source), sentence, source)
  assert.equal(render('{unsubscribe_url}', { kind: 'text' }), links.unsubscribe)
  templates.set('id:7', '{unsubscribe_url}')
  assert.equal(render('{twigtemplate=7}', { isTwig: false }), link)
})

test('the variables of the same names have the links, escaped once', () => {
  assert.equal(render('<a href="{{ unsubscribe_url }}">'), `<a href="${link}">`)
  assert.equal(render('{{unsubscribe_url}}'), link)
  assert.equal(render('{{ unsubscribe_text }}'), sentence)
  assert.equal(render('{{ webview_url|replace({"https:": ""}) }}'), '//m.test/w')
  assert.equal(
    render('{{ {unsubscribe_url}|keys|join }} {{ "#{webview_url}" }}'),
    'unsubscribe_url https://m.test/w',
  )
  const inText = render('{{ unsubscribe_text }}', { kind: 'text' })
  assert.equal(inText, `Unsubscribe to no longer receive emails from us. ${links.unsubscribe}`)
})

test('a token in the data of a contact is text, also where it is put together', () => {
  const contact = { firstname: '{unsubscribe_text}', a: '{unsubscribe', b: '_text}' }
  const source =
    '<img alt="{{ contact.firstname }}" title="{{ contact.a }}{{ contact.b }}">{contactfield=firstname}'
  assert.equal(
    render(source, { contact }),
    '<img alt="{unsubscribe_text}" title="{unsubscribe_text}">{unsubscribe_text}',
  )
})

test('a token that the code of a template puts together is a fault that names it, with links and without', () => {
  templates.set('parts', '{{ "{webview" ~ "_url}" }}')
  for (const [source, token] of [
    ['{{ "{unsubscribe" ~ "_url}" }}', '{unsubscribe_url}'],
    ['{% set name = "UNSUBSCRIBE_text" %}{{ "{#{name}}" }}', '{UNSUBSCRIBE_text}'],
    ['{unsubscribe{{ "_url" }}}', '{unsubscribe_url}'],
    ['{{ ["%7Bwebview", "url%7D"]|join("_") }}', '%7Bwebview_url%7D'],
    ['{{ include("parts") }}', '{webview_url}'],
    ['{{ contact.a }}{{ "{unsubscribe" ~ "_url}" }}', '{unsubscribe_url}'],
  ] as const)
    for (const kind of ['html', 'text'] as const)
      for (const values of [linkValues(links), undefined]) {
        const options = { kind, links: values, contact: { a: '{webview_url}' } }
        const isNamed = (error: Error) => error.message.includes(`prints ${token},`)
        assert.throws(() => render(source, options), isNamed, source)
      }
  const given = linkValues(undefined, { unsubscribe_url: 'x' })
  assert.equal(render('{{ "{unsubscribe" ~ "_url}" }}', { links: given }), '{unsubscribe_url}')
  assert.throws(() => render('{{ "{webview" ~ "_url}" }}', { links: given }), TwigError)
})

test('a token in JSON of a contact is text', () => {
  const contact = { city: '{"a": {}, "b": ["{unsubscribe_url}"]}' }
  const source = '{{ (contact.city|json_decode).b|join }}'
  assert.equal(render(source, { kind: 'text', contact }), '{unsubscribe_url}')
})

test('a value that the sender gives is that of the variable; its token stays for it', () => {
  const given = linkValues(links, { '{Unsubscribe_Text}': '<b>', webview_url: '&' })
  assert.equal(
    render('{unsubscribe_text} {{ unsubscribe_text }} {{ webview_url }}', { links: given }),
    '{unsubscribe_text} &lt;b&gt; &amp;',
  )
  assert.equal(linkValues(undefined, { code: '1' }), undefined)
})

test('without links, tokens stay and variables are empty', () => {
  assert.equal(
    render('{unsubscribe_url}[{{ webview_url }}]', { links: undefined }),
    '{unsubscribe_url}[]',
  )
})

test('a filter that changes a token is a fault, and names the variable', () => {
  const renderEncoded = () => render('{{ "{unsubscribe_url}"|url_encode }}')
  assert.throws(renderEncoded, /Use the variable there: unsubscribe_url/)
})

test('marks keep the columns of the code after them, and long sources are read fast', () => {
  for (const token of ['{unsubscribe_url}', '{webview_url}', '%7Bunsubscribe_text%7D'])
    assert.equal(markTokens(token).length, token.length)
  for (const piece of ['{{ "\\"', "{% '", '{#', '{', '{{', '"', '%7b', '{unsubscribe_url'])
    markTokens(`webview_url${piece.repeat(1_000_000 / piece.length)}`)
})
