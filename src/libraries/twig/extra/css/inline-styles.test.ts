import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { createTwig } from '../../create-twig.ts'
import { TwigError } from '../../errors.ts'

const twig = createTwig({ autoescape: false })
const inline = (html: string, css: string) =>
  twig.renderSource('{{ html|inline_css(css) }}', { html, css })

const htmlPiece = fc.constantFrom(
  ...'<p>|</p>|<b class="a">|</b>|<i id=i |>|<table>|<td>|</table>|<tr>|<style>|</style>'.split(
    '|',
  ),
  ...'<!--|-->|<svg>|</svg>|<br/>|<a href="#">|</a>|"|&amp;|&|<|</|text |<template>'.split('|'),
  ...["<p style='x:y'>", '<p style>', '\n', '\r\n', '<html>', '<head>', '</head>'],
  ...['<body class=a>', '<select>', '<![CDATA[', '<?', 'ü😀', '\0'],
)
const cssPiece = fc.constantFrom(
  ...'p|.a|#i|b|*| |>|+|~|,|{|}|:|;|x|y|!important|:not(|)|:nth-child(2n)|[a|="|"]'.split('|'),
  ...["'", '"', '\\', '/*', '*/', '@media', '<!--', 'color: red', 'url(', '\n', ':hover'],
  ...['::before', '\\66 ', '(', '[', '--v:1', '&', '😀'],
)
const soup = (piece: fc.Arbitrary<string>) =>
  fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''))

test('whatever HTML and CSS are, the text comes back or an error of its own', () => {
  fc.assert(
    fc.property(soup(htmlPiece), soup(cssPiece), (html, css) => {
      try {
        assert.equal(typeof inline(html, css), 'string')
      } catch (error) {
        assert(error instanceof TwigError && error.cause === undefined, String(error))
      }
    }),
    { numRuns: 5_000 },
  )
})

test('what was parsed before changes nothing: a crafted style sheet does not run for ever', () => {
  const css = '{.a#i}):'
  inline('', `${';'.repeat(css.length)}(`)
  const text = runInNewContext('run()', { run: () => inline('', css) }, { timeout: 20_000 })
  assert.equal(text, '')
})

test('a rule for nothing changes nothing, a rule for all but attributes changes nothing else', () => {
  const styles = / style="x: y;"/g
  const withoutStyle = soup(htmlPiece.filter((piece) => !piece.includes('style')))
  fc.assert(
    fc.property(withoutStyle, (html) => {
      assert.equal(inline(html, 'nothing{x:y}'), html)
      assert.equal(inline(html, '*{x:y}').replaceAll(styles, ''), html)
    }),
    { numRuns: 3_000 },
  )
})
