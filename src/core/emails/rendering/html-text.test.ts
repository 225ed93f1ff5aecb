import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { textOfHtml } from './html-text.ts'

const cases: Record<string, [html: string, text: string]> = {
  'paragraphs stand apart, lines do not': [
    '<h1>Hello</h1><p>One\n  two.</p><div>Three</div><div>four<br>five</div>',
    'Hello\n\nOne two.\n\nThree\nfour\nfive',
  ],
  'links tell where they lead, unless they say so themselves': [
    '<a href="https://a.example/?x=1&amp;y=2">Look</a>, <a href="https://b.example">https://b.example</a>, <a href="mailto:c@d.example">c@d.example</a>, <a href="#top">up</a>',
    'Look [https://a.example/?x=1&y=2], https://b.example, c@d.example, up',
  ],
  'images are what they show': [
    '<a href="https://a.example"><img src="x.png" alt="A cat"></a> <img src="pixel.gif">end',
    'A cat [https://a.example] end',
  ],
  'lists have their marks, and lists in lists a margin': [
    '<p>To do:</p><ul><li>Eat<ol><li>Fish</li><li>Rice</li></ol></li><li><b>Sleep</b></li></ul><p>Done</p>',
    'To do:\n\n- Eat\n  1. Fish\n  2. Rice\n- Sleep\n\nDone',
  ],
  'the tables of emails are lines': [
    '<table><tr><td>Name</td><td> Ann </td></tr><tr><td><p>Sum</p></td></tr></table>',
    'Name Ann\n\nSum',
  ],
  'hidden elements are left out': [
    '<!doctype html><html><head><title>t</title><style>p{}</style></head><body><div style="display: none">preview</div><p hidden>h</p><!-- c --><!--[if mso]><p>Outlook</p><![endif]--><script>a<b</script>Seen&nbsp;&zwnj;&nbsp;</body></html>',
    'Seen',
  ],
  'entities are letters': [
    '&lt;b&gt; &amp; &eacute;&#8364; &nbsp;&unknown; & \u0645\u06cc\u200c\u062e',
    '<b> & é€ &unknown; & \u0645\u06cc\u200c\u062e',
  ],
  'quotations and text as it stands keep their form': [
    '<blockquote><p>One</p><p>two</p></blockquote><pre>a\n  b</pre>',
    '> One\n>\n> two\n\na\n  b',
  ],
  'a sign in a quoted value ends no tag': ['<p title="a > b" class=\'x>y\'>text</p>', 'text'],
  'what is no tag stays text': ['a < b and 1<2 <> c', 'a < b and 1<2 <> c'],
}

for (const [name, [html, text]] of Object.entries(cases)) {
  test(name, () => assert.equal(textOfHtml(html), text))
}

test('any HTML becomes text, and no longer text than the HTML', () => {
  const signs = ['<', '</', '>', '"', "'", '=', ' ', '\n', '&', '&amp;', 'x', '<!--', '-->']
  const tags = ['<a href=', '<style>', '<li>', '<ul>', '<blockquote>', '<pre>', '<div hidden>']
  const piece = fc.constantFrom(...signs, ...tags, '<p', '</p>', '</div>')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 200 }), (pieces) => {
      const html = pieces.join('')
      assert.ok(textOfHtml(html).length <= html.length * 3 + 100)
    }),
    { numRuns: 2_000 },
  )
})

test('a hostile document is converted fast', () => {
  const tags = ['<a href="', '<p ="', "<p ='", '<blockquote>', '<ul><li>', '<a href=x>', '<pre>\n']
  const hostile = [...tags, '<!--', '<style', '<', '&']
  // The square of its length would take minutes.
  for (const piece of hostile) textOfHtml(piece.repeat(1_000_000 / piece.length))
})

test('deep nesting does not lengthen lines, and a text has a longest length', () => {
  const nested = textOfHtml('<blockquote>'.repeat(60_000) + '<p>x'.repeat(60_000))
  assert.ok(nested.startsWith('> > > > > x\n> > > > >\n> > > > > x\n'))
  assert.ok(nested.length <= 1_000_100, `${nested.length} characters`)
  const lists = textOfHtml('<ul>'.repeat(60_000) + '<li>x'.repeat(10))
  assert.equal(lists.split('\n')[0], `${' '.repeat(20)}- x`)
  assert.ok(textOfHtml('<hr>'.repeat(250_000)).length <= 1_000_100)
  assert.equal(textOfHtml(`<p>a < b <3 </ >${'<'.repeat(5)}`), 'a < b <3 </ ><<<<<')
})
