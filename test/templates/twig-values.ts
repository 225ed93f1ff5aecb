import type { TwigInput } from './twig-input.ts'

const k = 1_000
/** Each is a body of 1 MiB at most: that of the request which renders it. */
const render = (expression: string, text: string): TwigInput => ({
  name: expression.slice(0, 60),
  template: `{{ ${expression} }}`,
  context: {
    t: text,
    ...(/\bn\b/.test(expression) ? { n: needle(150 * k) } : {}),
  },
})
const u = (text: string, call: string): TwigInput => render(`t|u.${call}`, text)
const filter = (name: string, text: string): TwigInput => render(`t|${name}`, text)

/** `a…aba…a`: every place of a text of `a` begins like it and then differs. */
function needle(length: number): string {
  return `${'a'.repeat(length)}b${'a'.repeat(length)}`
}
function many(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `item ${index}`)
}

const a = 'a'.repeat(600 * k)
const blanks = ' '.repeat(90 * k)

/** Searches whose needle is as long as the text. */
const searches: TwigInput[] = [
  u(a, 'replace(n, "x")'),
  u(a, 'beforeLast(n)'),
  u(a, 'afterLast(n)'),
  u(a, 'before(n)'),
  u(a, 'after(n)'),
  u(a, 'containsAny(n)'),
  u(a, 'containsAny(n, n, n, n, n, n, n, n)'),
  u(a, 'startsWith(n)'),
  u(a, 'ensureEnd(n)'),
  u(a, 'wordwrap(3, n)'),
  u(a, 'wordwrap(1, "\\n", true)'),
  u(a, 'trim(n)'),
  u(a, 'trimEnd("ab..c" ~ n)'),
  u(`${a} `, 'truncate(999999, "…", false)'),
  u(a, 'padBoth(1000001, n)'),
  u('\u0344'.repeat(400 * k), 'ascii'),
  u('\u1f82'.repeat(300 * k), 'normalize'),
  u('aB'.repeat(400 * k), 'snake'),
  u('  '.repeat(500 * k), 'collapseWhitespace'),
  u(`${' '.repeat(900 * k)}x`, 'collapseWhitespace'),
  filter('split(n)', a),
  filter('split(n, 5)', a),
  filter('split("a", -1)', a),
  filter('replace({(n): "x"})', a),
  filter('replace({(n): "x", (n ~ "c"): "y", aa: "z"})', a),
  filter(
    `replace({${Array.from({ length: 300 }, (_, i) => `"${'a'.repeat(i + 1)}b":1`).join()}})`,
    a,
  ),
  filter(`trim("${'a..b'.repeat(100 * k)}")`, 'c'.repeat(500 * k)),
  filter(`trim("${'ab'.repeat(100 * k)}")`, a),
  { name: 'in a text', template: '{{ n in t ? 1 : 0 }}', context: { n: needle(190 * k), t: a } },
  {
    name: 'in a text, in a loop',
    template: '{% for i in 1..1000 %}{{ n in t ? 1 : 0 }}{% endfor %}',
    context: { n: needle(40 * k), t: a },
  },
  {
    name: 'starts with and ends with, in a loop',
    template:
      '{% for i in 1..5000 %}{{ t starts with t }}{{ t ends with t }}{{ t == s }}{% endfor %}',
    context: { t: a, s: `${a.slice(1)}a` },
  },
  {
    name: 'a comparison of long numbers as text',
    template: '{% for i in 1..2000 %}{{ t == s }}{{ t < s }}{{ t <=> s }}{% endfor %}',
    context: { t: '1'.repeat(500 * k), s: `${'1'.repeat(500 * k - 1)}2` },
  },
]

/** Expressions of the engine or of a library that could backtrack. */
const expressions: TwigInput[] = [
  {
    name: 'html_attr of semicolons',
    template: `{{ html_attr({style:[(';'|u.repeat(150000))~'x']}) }}`,
  },
  {
    name: 'html_attr of blanks',
    template: '{{ html_attr({style: [t]}) }}',
    context: { t: `${' ;'.repeat(200 * k)}x` },
  },
  {
    name: 'html_attr of many',
    template: '{{ html_attr({class: many, style: many}, {class: many}) }}',
    context: { many: many(40 * k) },
  },
  filter('striptags', '<'.repeat(1_000 * k)),
  filter('striptags', '<a "'.repeat(250 * k)),
  filter('striptags', '<!--'.repeat(250 * k)),
  filter('striptags("<b>" ~ t)', `<${' '.repeat(500 * k)}`),
  filter('striptags', `<a${' '.repeat(500 * k)}`),
  filter('striptags', '<?'.repeat(400 * k)),
  filter('spaceless', `>${' '.repeat(900 * k)}x`),
  filter('spaceless', '> '.repeat(450 * k)),
  filter('nl2br', '\n\r'.repeat(400 * k)),
  filter('title', 'a '.repeat(400 * k)),
  filter('capitalize', a),
  filter('slug', '\u5317'.repeat(5 * k)),
  filter('plural', 's'.repeat(100)),
  filter('format(1)', '%'.repeat(900 * k)),
  filter('format(1)', '%1$05.5d'.repeat(100 * k)),
  filter('number_format', '9'.repeat(900 * k)),
  filter('number_format(100000)', '1'),
  filter('date', '1 day '.repeat(100 * k)),
  filter('date', `${'1'.repeat(900 * k)}`),
  filter('date', `2020-01-01 ${' '.repeat(900 * k)}x`),
  filter('date(n)', '2020-01-01'),
  filter('date("Y", t)', 'Europe/'.repeat(100 * k)),
  filter('date_modify(t)', '+1 day '.repeat(100 * k)),
  filter('date_modify(t)', '+'.repeat(500 * k)),
  filter('url_encode', '%'.repeat(900 * k)),
  filter('json_decode', '['.repeat(900 * k)),
  filter('json_decode', `[${'['.repeat(400)}${']'.repeat(400)}${',1'.repeat(200 * k)}]`),
  filter('json_decode', `{${Array.from({ length: 50 * k }, (_, i) => `"k${i}":1`).join()}}`),
  filter('json_encode', "\u2028<>&'".repeat(150 * k)),
  filter('e("js")', '\u{1f600}'.repeat(300 * k)),
  filter('e("css")', '\u{1f600}'.repeat(300 * k)),
  filter('e("html_attr")', '\u{1f600}'.repeat(300 * k)),
  filter('e("url")', '\u{1f600}'.repeat(300 * k)),
  filter('data_uri', ` ${' '.repeat(900 * k)}`),
  filter('sort|join', a),
  { name: 'matches', template: "{{ t matches '/(a+)+$/' }}", context: { t: `${a}b` } },
  {
    name: 'matches a large pattern',
    template: "{{ t matches '/(((a{1,50}){1,50}){1,50})b/' }}",
    context: { t: a },
  },
  {
    name: 'matches with a long pattern',
    template: "{{ 'x' matches '/' ~ t ~ '/' }}",
    context: { t: '(a|b)*'.repeat(50 * k) },
  },
  {
    name: 'sort of texts',
    template: '{{ many|sort|length }}',
    context: { many: many(100 * k).reverse() },
  },
  {
    name: 'sort of long texts',
    template: '{{ many|sort|length }}',
    context: { many: Array.from({ length: 40 }, (_, i) => `${'a'.repeat(100 * k)}${i}`) },
  },
  {
    name: 'sort by an arrow',
    template: '{{ many|sort((a, b) => a <=> b)|length }}',
    context: { many: many(100 * k).reverse() },
  },
  {
    name: 'format_currency many',
    template:
      '{% for i in 1..5000 %}{{ i|format_currency("EUR", locale=("en-US-u-x" ~ i)) }}{% endfor %}',
  },
  {
    name: 'format_datetime many',
    template: '{% for i in 1..5000 %}{{ i|format_datetime(locale="de-u-ca-" ~ i) }}{% endfor %}',
  },
  {
    name: 'format_number spellout',
    template:
      '{% for i in 1..5000 %}{{ (i*123456789)|format_number(style="spellout") }}{% endfor %}',
  },
  {
    name: 'country names',
    template:
      '{% for i in 1..1000 %}{{ country_names()|length }}{{ timezone_names()|length }}{% endfor %}',
  },
]

const p = (text: string) => `<p>${text}</p>`
/** HTML, CSS and Markdown, in libraries and in the engine. */
const documents: TwigInput[] = [
  filter('html_to_markdown', `<pre>${blanks}</pre>`),
  filter('html_to_markdown', `<pre>x${blanks}</pre>y`),
  filter('html_to_markdown', `<b>x${blanks}\u00a0</b>`),
  filter('html_to_markdown', `<pre><b>x${'&#32;'.repeat(18 * k)}&nbsp;</b></pre>y`),
  filter('html_to_markdown', `<p>x${'&nbsp;'.repeat(16 * k)}y</p>`),
  filter('html_to_markdown', `<b>x${'\u00a0'.repeat(90 * k)}y</b>`),
  filter('html_to_markdown', `<code>${' x'.repeat(45 * k)}</code>`),
  filter('html_to_markdown', `<code>${' '.repeat(45 * k)}x${' '.repeat(45 * k)}x</code>`),
  filter('html_to_markdown', `<code>${'` '.repeat(45 * k)}</code>`),
  filter('html_to_markdown', `<a title="${'\n '.repeat(45 * k)}x" href="x">x</a>`),
  filter('html_to_markdown', '<br>'.repeat(24 * k)),
  filter('html_to_markdown', `${'<br>'.repeat(3 * k)}x`),
  filter('html_to_markdown', '<blockquote>'.repeat(55) + 'x\n'.repeat(45 * k)),
  filter('html_to_markdown', `${'<blockquote>'.repeat(55)}<pre>${'x\n'.repeat(45 * k)}`),
  filter('html_to_markdown', `${'<ul><li>'.repeat(28)}<pre>${'x\n'.repeat(45 * k)}`),
  filter('html_to_markdown', '<b>x</b>'.repeat(12 * k)),
  filter('html_to_markdown', '<li>x'.repeat(20 * k)),
  filter('html_to_markdown', p('*_`[]-+=#>1. '.repeat(7 * k))),
  filter('html_to_markdown', `<pre class="${'language-'.repeat(10 * k)}"><code>x</code></pre>`),
  filter('html_to_markdown', `<table>${'<tr><td>x'.repeat(10 * k)}`),
  filter('html_to_markdown', `<pre><code>${'```\n'.repeat(20 * k)}</code></pre>`),
  filter('markdown_to_html', '['.repeat(49 * k)),
  filter('markdown_to_html', '[a]('.repeat(12 * k)),
  filter('markdown_to_html', '![[]()'.repeat(8 * k)),
  filter('markdown_to_html', '*a **a '.repeat(7 * k)),
  filter('markdown_to_html', '`'.repeat(20) + ' `a'.repeat(12 * k)),
  filter('markdown_to_html', Array.from({ length: 250 }, (_, i) => `${'`'.repeat(i)} `).join('')),
  filter('markdown_to_html', '> '.repeat(24 * k)),
  filter('markdown_to_html', '- '.repeat(24 * k)),
  filter('markdown_to_html', `${'> '.repeat(90)}\n`.repeat(250)),
  filter('markdown_to_html', `${'|a'.repeat(20 * k)}\n${'|-'.repeat(4 * k)}`),
  filter('markdown_to_html', `${'|a'.repeat(500)}\n${'|-'.repeat(500)}\n${'|x\n'.repeat(15 * k)}`),
  filter('markdown_to_html', '<!--'.repeat(12 * k)),
  filter('markdown_to_html', '<a '.repeat(16 * k)),
  filter('markdown_to_html', '&#1234567'.repeat(5 * k)),
  filter('markdown_to_html', '\\'.repeat(49 * k)),
  filter('markdown_to_html', `${' '.repeat(40 * k)}a\n`.repeat(1)),
  filter('markdown_to_html', '[a]: b\n'.repeat(7 * k)),
  filter('markdown_to_html', '<http://a.b '.repeat(4 * k)),
  filter('markdown_to_html', 'a  \n'.repeat(12 * k)),
  filter('markdown_to_html', '~~a'.repeat(16 * k)),
  filter('inline_css("p{color:red}")', '<p>'.repeat(200 * k)),
  filter('inline_css("p{color:red}")', '<b><i>'.repeat(49) + p('x').repeat(20 * k)),
  filter(`inline_css("${'p,'.repeat(50 * k)}p{color:red}")`, p('x').repeat(5 * k)),
  filter(`inline_css("${'p '.repeat(2 * k)}{color:red}")`, '<p>'.repeat(290)),
  filter(`inline_css("${':not('.repeat(20 * k)}")`, p('x')),
  filter(`inline_css("${'{'.repeat(200 * k)}")`, p('x')),
  filter(`inline_css("${'p{a:b;'.repeat(100 * k)}")`, p('x')),
  filter(`inline_css("${'/*'.repeat(200 * k)}")`, p('x')),
  filter(`inline_css("${'@media x{'.repeat(50 * k)}")`, p('x')),
  filter('inline_css("p:nth-child(2n+1) ~ p ~ p{color:red}")', p('x').repeat(20 * k)),
  filter('inline_css("[class~=a]{color:red}")', `<p class="${'b '.repeat(100 * k)}">`.repeat(2)),
  filter('inline_css("")', `<p ${Array.from({ length: 50 * k }, (_, i) => `a${i}`).join(' ')}>`),
  filter('inline_css("")', '<a><table>'.repeat(20 * k)),
  filter('inline_css("")', '<b><p>'.repeat(20 * k)),
  filter('inline_css("")', `<p style="${';'.repeat(400 * k)}x">`),
  filter('inline_css("p{color:red}")', `<p style="${'a:b;'.repeat(100 * k)}">`),
  filter('inline_css("")', '&'.repeat(500 * k)),
  filter('inline_css("")', '&ampamp'.repeat(80 * k)),
]

const s = (text: string, count: number) => text.repeat(count)
/** Templates whose own text is hostile: lexer, parser, analysis. */
const sources: TwigInput[] = [
  { name: 'many open brackets', template: `{{ ${s('(', 19 * k)}` },
  { name: 'deep brackets', template: `{{ ${s('(', 2 * k)}1${s(')', 2 * k)} }}` },
  { name: 'deep sequences', template: `{{ ${s('[', 2 * k)}${s(']', 2 * k)} }}` },
  { name: 'deep negations', template: `{{ ${s('not ', 9 * k)}1 }}` },
  { name: 'long sum', template: `{{ ${s('1+', 9 * k)}1 }}` },
  { name: 'long filters', template: `{{ 1${s('|e', 6 * k)} }}` },
  { name: 'long conditional', template: `{{ ${s('1?1:', 4 * k)}1 }}` },
  { name: 'deep blocks', template: s('{% if 1 %}', 4 * k) + s('{% endif %}', 4 * k) },
  { name: 'deep loops', template: s('{% for i in 1..9 %}', 1 * k) + s('{% endfor %}', 1 * k) },
  { name: 'many tags', template: s('{{1}}', 6 * k) },
  { name: 'unclosed comments', template: s('{#', 450 * k) },
  { name: 'unclosed prints', template: s('{{', 450 * k) },
  { name: 'unclosed texts', template: `{{ ${s('"a#{', 5 * k)}` },
  { name: 'a long text literal', template: `{{ "${s('\\\\', 400 * k)}" }}` },
  { name: 'blanks before a tag', template: `${s(' ', 900 * k)}{%- if 1 %}{% endif %}` },
  { name: 'blanks and line feeds', template: `${s(' \n', 450 * k)}{{- 1 -}}${s(' \n', 10)}` },
  { name: 'blanks in a tag', template: `{{ ${s(' ', 900 * k)}` },
  { name: 'verbatim', template: s('{% verbatim %}', 60 * k) },
  { name: 'endverbatim', template: `{% verbatim %}${s('{% end', 100 * k)}` },
  { name: 'unknown names', template: s('{{ abcdefghijklmnopq() }}', 5 * k) },
  { name: 'an unknown long name', template: `{{ ${s('a', 900 * k)}() }}` },
  { name: 'an unknown long filter', template: `{{ 1|${s('a', 900 * k)} }}` },
  { name: 'a long number', template: `{{ ${s('9', 900 * k)} }}` },
  {
    name: 'many macros',
    template: Array.from(
      { length: 1500 },
      (_, i) => `{% macro m${i}(a) %}{{ _self.m${i}(a) }}{% endmacro %}`,
    ).join(''),
  },
  {
    name: 'many blocks',
    template: Array.from(
      { length: 1500 },
      (_, i) => `{% block b${i} %}{{ block('b${i}') }}{% endblock %}`,
    ).join(''),
  },
  {
    name: 'many keys',
    template: `{{ {${Array.from({ length: 4 * k }, (_, i) => `k${i}: 1`).join()}}|length }}`,
  },
  {
    name: 'template_from_string',
    template: '{% for i in 1..1000 %}{{ include(template_from_string(t)) }}{% endfor %}',
    context: { t: s('{{ 1 }}', 500) },
  },
]

/** Loops that use up their limits. */
const loops: TwigInput[] = [
  { name: 'nested loops', template: s('{% for i in 1..1000 %}', 5) + s('{% endfor %}', 5) },
  { name: 'printing', template: '{% for i in 1..100000 %}{{ i }}{{ i }}{% endfor %}' },
  {
    name: 'joining',
    template: '{% set t = "" %}{% for i in 1..100000 %}{% set t = t ~ i %}{% endfor %}{{ t }}',
  },
  {
    name: 'reading a joined text',
    template:
      '{% set t = "" %}{% for i in 1..100000 %}{% set t = t ~ "ab" %}{{ t|first }}{% endfor %}',
  },
  {
    name: 'looking into a joined text',
    template:
      '{% set t = "" %}{% for i in 1..100000 %}{% set t = t ~ "ab" %}{% if "x" in t %}{% endif %}{% endfor %}',
  },
  {
    name: 'merging',
    template: '{% set l = [] %}{% for i in 1..100000 %}{% set l = l|merge([i]) %}{% endfor %}',
  },
  { name: 'ranges', template: '{% for i in 1..1000 %}{{ (1..9000)|length }}{% endfor %}' },
  {
    name: 'maps of arrows',
    template: '{{ (1..9000)|map(a => (1..9000)|reduce((b, c) => b + c))|join }}',
  },
  { name: 'batch', template: '{% for i in 1..1000 %}{{ (1..9000)|batch(2)|length }}{% endfor %}' },
  {
    name: 'casing',
    template: '{% for i in 1..1000 %}{{ t|upper|lower|title|length }}{% endfor %}',
    context: { t: a },
  },
  {
    name: 'dates',
    template:
      '{% for i in 1..100000 %}{{ "last friday of next month noon"|date("r") }}{% endfor %}',
  },
  {
    name: 'numbers',
    template: '{% for i in 1..100000 %}{{ (i ** 300)|number_format(50) }}{{ i / 7 }}{% endfor %}',
  },
  {
    name: 'captures',
    template: `${s('{% set a %}', 500)}x${s('{% endset %}{{ a }}{{ a }}', 500)}`,
  },
  {
    name: 'macro calling itself',
    template:
      '{% macro m(a) %}{{ _self.m(a ~ a) }}{{ _self.m(a) }}{% endmacro %}{{ _self.m("ab") }}',
  },
  {
    name: 'dump',
    template: '{% for i in 1..1000 %}{{ dump(_context) }}{% endfor %}',
    context: { many: many(5 * k) },
  },
  {
    name: 'json of a context',
    template: '{% for i in 1..1000 %}{{ many|json_encode|length }}{% endfor %}',
    context: { many: many(20 * k) },
  },
  {
    name: 'url of a query',
    template: '{% for i in 1..1000 %}{{ many|url_encode|length }}{% endfor %}',
    context: { many: many(20 * k) },
  },
  {
    name: 'column',
    template:
      '{% for i in 1..10000 %}{{ many|column("x")|length }}{{ many|keys|length }}{{ many|reverse|first }}{% endfor %}',
    context: { many: many(20 * k) },
  },
]

/** Expressions over large values of a context, and templates whose own text is hostile. */
export const hostileValues: readonly TwigInput[] = [
  ...searches,
  ...expressions,
  ...documents,
  ...sources,
  ...loops,
]
