import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { volume } from '../../../test/volume.ts'
import { createTwig } from './create-twig.ts'
import { TwigError } from './errors.ts'

// Every generated template renders, or fails with an error that has a line.

const runs = volume({ short: 500, full: 100_000 })

const names = ['a', 'b', 'item', 'list', 'map', 'text', 'nothing', 'loop', 'date', 'in', '_context']
const filters = [
  ...[
    'abs',
    'batch(2)',
    "batch(2, 'x')",
    'capitalize',
    "column('k')",
    "date('Y-m-d')",
    'default(1)',
  ],
  ...["date_modify('+1 day')", 'e', "e('js')", "e('html_attr')", 'filter(v => v)', 'first', 'join'],
  ...["format('x', 1)", 'json_encode', 'keys', 'last', 'length', 'lower', 'map(v => v)', 'nl2br'],
  ...["join(', ', ' and ')", 'merge([1])', 'number_format(2)', 'raw', 'reduce((c, v) => c ~ v)'],
  ...["replace({a: 'b'})", 'reverse', 'round(1)', 'slice(1, 2)', 'sort', "split(',')", 'striptags'],
  ...[
    'title',
    'trim',
    'upper',
    'url_encode',
    'find(v => v)',
    'shuffle',
    'nope',
    "trim('x', 'left')",
  ],
  ...["inline_css('b,.a>i{c:d}')", 'markdown_to_html', 'html_to_markdown', 'json_decode', 'slug'],
  ...["format_currency('EUR')", 'format_number', 'format_date', 'country_name', 'u.truncate(3)'],
  ...['data_uri', "html_attr_merge({class: 'a'})", "html_attr_type('style')", 'plural'],
]
const tests = [
  ...['defined', 'empty', 'even', 'odd', 'iterable', 'null', 'sequence', 'mapping', 'true'],
  ...['same as(1)', 'divisible by(2)', 'divisible by 3', "constant('PHP_EOL')"],
]
const binary = [
  ...['+', '-', '*', '/', '//', '%', '**', '~', '..', '==', '!=', '<', '>', '<=', '>=', '<=>'],
  ...['and', 'or', 'xor', 'in', 'not in', 'matches', 'starts with', 'ends with', '??', '?:'],
  ...['b-and', 'b-or', 'b-xor', '===', '!==', 'has some', 'has every'],
]

const literal = fc.oneof(
  fc.integer({ min: -1000, max: 1_000_000 }).map(String),
  fc.double({ noNaN: true, min: -1e6, max: 1e20 }).map((number) => String(Math.abs(number))),
  fc.string({ maxLength: 8 }).map((text) => `'${text.replace(/['\\]/g, '\\$&')}'`),
  fc.constantFrom('true', 'false', 'null', '"a#{b}c"', "'/a+/'", "'2024-02-29'", '[]', '{}'),
)

const { expression } = fc.letrec<{ expression: string; arrow: string }>((tie) => ({
  arrow: fc
    .tuple(fc.constantFrom('v', '(v, k)'), tie('expression'))
    .map(([p, body]) => `${p} => ${body}`),
  expression: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(...names),
    literal,
    fc
      .tuple(tie('expression'), fc.constantFrom(...binary), tie('expression'))
      .map((p) => p.join(' ')),
    fc.tuple(tie('expression'), fc.constantFrom(...filters)).map(([e, f]) => `(${e})|${f}`),
    fc.tuple(tie('expression'), fc.constantFrom(...tests)).map(([e, t]) => `${e} is ${t}`),
    fc
      .tuple(tie('expression'), fc.constantFrom('a', 'length', '0', 'constructor'))
      .map((p) => p.join('.')),
    fc.tuple(tie('expression'), tie('expression')).map(([e, k]) => `(${e})[${k}]`),
    tie('expression').map((e) => `(${e})`),
    fc.tuple(fc.constantFrom('-', 'not ', '+'), tie('expression')).map((p) => p.join('')),
    fc.array(tie('expression'), { maxLength: 3 }).map((all) => `[${all.join(', ')}]`),
    fc
      .array(tie('expression'), { maxLength: 3 })
      .map((all) => `{${all.map((e, i) => `k${i}: ${e}`).join(', ')}}`),
    fc
      .tuple(tie('expression'), tie('expression'), tie('expression'))
      .map(([t, a, b]) => `${t} ? ${a} : ${b}`),
    fc
      .tuple(
        tie('expression'),
        fc.constantFrom('map', 'filter', 'sort', 'reduce', 'find'),
        tie('arrow'),
      )
      .map(([e, f, arrow]) => `(${e})|${f}(${arrow})`),
    fc
      .tuple(
        fc.constantFrom(
          'max',
          'min',
          'range',
          'cycle',
          'random',
          'date',
          'include',
          'block',
          'dump',
          'constant',
        ),
        fc.array(tie('expression'), { maxLength: 3 }),
      )
      .map(([f, args]) => `${f}(${args.join(', ')})`),
    fc
      .tuple(fc.constantFrom('m', 'n'), fc.array(tie('expression'), { maxLength: 2 }))
      .map(([m, args]) => `_self.${m}(${args.join(', ')})`),
    fc.constant('parent()'),
    fc.tuple(fc.constantFrom('a', 'b'), tie('expression')).map((p) => p.join(' = ')),
  ),
}))

const control = fc.constantFrom('', '', '', '-', '~')
const tag = (inner: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(control, inner, control).map(([left, text, right]) => `{%${left} ${text} ${right}%}`)

const { body } = fc.letrec<{ body: string; statement: string }>((tie) => ({
  body: fc.array(tie('statement'), { maxLength: 4 }).map((all) => all.join('')),
  statement: fc.oneof(
    { depthSize: 'small' },
    fc.string({ maxLength: 12 }),
    fc.tuple(control, expression, control).map(([l, e, r]) => `{{${l} ${e} ${r}}}`),
    tag(fc.tuple(fc.constantFrom('a', 'b', 'c'), expression).map(([n, e]) => `set ${n} = ${e}`)),
    tag(
      fc.constantFrom(
        'include "b"',
        'include "b" ignore missing only',
        "include ['x', 'c']",
        'flush',
      ),
    ),
    tag(
      fc.constantFrom("import 'c' as c", "from 'c' import m", 'do a = 1', "extends 'b'", "use 'd'"),
    ),
    fc
      .tuple(expression, tie('body'), tie('body'))
      .map(([e, x, y]) => `{% if ${e} %}${x}{% else %}${y}{% endif %}`),
    fc
      .tuple(fc.constantFrom('item', 'k, v'), expression, tie('body'))
      .map(([names, e, x]) => `{% for ${names} in ${e} %}${x}{% endfor %}`),
    fc
      .tuple(fc.constantFrom('a', 'b', 'title'), tie('body'))
      .map(([n, x]) => `{% block ${n} %}${x}{% endblock %}`),
    fc
      .tuple(fc.constantFrom('m', 'n'), tie('body'))
      .map(([n, x]) => `{% macro ${n}(a, b = 1) %}${x}{% endmacro %}`),
    tie('body').map((x) => `{% set c %}${x}{% endset %}`),
    tie('body').map((x) => `{% apply upper|e %}${x}{% endapply %}`),
    tie('body').map((x) => `{% autoescape 'js' %}${x}{% endautoescape %}`),
    tie('body').map((x) => `{% embed 'b' %}${x}{% endembed %}`),
    fc.tuple(expression, tie('body')).map(([e, x]) => `{% with ${e} only %}${x}{% endwith %}`),
    tie('body').map((x) => `{# ${x.replaceAll('#}', '')} #}`),
    tie('body').map((x) => `{% verbatim %}${x.replaceAll('verbatim', '')}{% endverbatim %}`),
  ),
}))

/** Templates with a part removed, inserted or replaced. */
const mutated = fc
  .tuple(
    body,
    fc.nat(400),
    fc.nat(40),
    fc.constantFrom('', '{{', '%}', '"', '(', '}}', '|', '{% if', '#{', "'"),
  )
  .map(([source, at, length, piece]) => source.slice(0, at) + piece + source.slice(at + length))

const twig = createTwig({
  loader: new Map([
    ['b', '{% block a %}A{{ item ?? 0 }}{% endblock %}{% block title %}T{% endblock %}'],
    ['c', '{% macro m(x) %}[{{ x }}]{% endmacro %}c'],
    ['d', '{% block b %}d{% endblock %}'],
  ]),
  debug: true,
  now: new Date('2024-05-15T10:00:00Z'),
})

const context = {
  a: 5,
  b: 'b<c>',
  item: { a: 1, k: [1, 2], length: 'x' },
  list: [3, 'x', null, { k: 1 }],
  map: new Map<unknown, unknown>([
    ['k', 1],
    [5, 'five'],
    ['x', { y: 2 }],
  ]),
  text: 'Größe, 😀 & Co\n',
  nothing: null,
  date: new Date(0),
}

/** Renders a template and checks that it ends with a string or a valid error. */
function check(source: string, strictVariables: boolean): void {
  try {
    const output = twig.renderSource(source, context, { strictVariables, name: 'main' })
    assert.equal(typeof output, 'string')
  } catch (error) {
    assert(error instanceof TwigError, `${String(error)}\n${source}`)
    // An exception of PHP has no cause here. An error with a cause is a bug in the engine.
    assert.equal(error.cause, undefined, `${String(error)}\n${String(error.cause)}\n${source}`)
    assert(error.line !== undefined, `no line: ${error.message}\n${source}`)
  }
  const report = twig.lint(source, 'main')
  if (report.faults.length === 0) twig.analyze(source, 'main')
}

test('generated templates render or throw a TwigError', () => {
  fc.assert(fc.property(body, fc.boolean(), check), { numRuns: Math.ceil(runs * 0.7) })
})

test('mutated templates render or throw a TwigError', () => {
  fc.assert(fc.property(mutated, fc.boolean(), check), { numRuns: Math.ceil(runs * 0.3) })
})
