import { inputs, type TwigInput } from './twig-input.ts'

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

/** Searches whose needle is as long as the text. */
const searches: TwigInput[] = [
  u(a, 'startsWith(n)'),
  u(a, 'ensureEnd(n)'),
  u(a, 'trim(n)'),
  u(a, 'trimEnd("ab..c" ~ n)'),
  u(`${a} `, 'truncate(999999, "…", false)'),
  u(a, 'padBoth(1000001, n)'),
  filter('replace({(n): "x", (n ~ "c"): "y", aa: "z"})', a),
  filter(
    `replace({${Array.from({ length: 300 }, (_, i) => `"${'a'.repeat(i + 1)}b":1`).join()}})`,
    a,
  ),
  filter(`trim("${'ab'.repeat(100 * k)}")`, a),
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
  ...inputs({
    'format_currency many':
      '{% for i in 1..5000 %}{{ i|format_currency("EUR", locale=("en-US-u-x" ~ i)) }}{% endfor %}',
    'format_datetime many':
      '{% for i in 1..5000 %}{{ i|format_datetime(locale="de-u-ca-" ~ i) }}{% endfor %}',
    'format_number spellout':
      '{% for i in 1..5000 %}{{ (i*123456789)|format_number(style="spellout") }}{% endfor %}',
    'country names':
      '{% for i in 1..1000 %}{{ country_names()|length }}{{ timezone_names()|length }}{% endfor %}',
  }),
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
  filter('nl2br', '\n\r'.repeat(400 * k)),
  filter('capitalize', a),
  filter('slug', '\u5317'.repeat(5 * k)),
  filter('plural', 's'.repeat(100)),
  filter('format(1)', '%1$05.5d'.repeat(100 * k)),
  filter('number_format', '9'.repeat(900 * k)),
  filter('number_format(100000)', '1'),
  filter('date', `${'1'.repeat(900 * k)}`),
  filter('date', `2020-01-01 ${' '.repeat(900 * k)}x`),
  filter('date(n)', '2020-01-01'),
  filter('date("Y", t)', 'Europe/'.repeat(100 * k)),
  filter('date_modify(t)', '+'.repeat(500 * k)),
  filter('url_encode', '%'.repeat(900 * k)),
  filter('json_decode', `[${'['.repeat(400)}${']'.repeat(400)}${',1'.repeat(200 * k)}]`),
  filter('json_decode', `{${Array.from({ length: 50 * k }, (_, i) => `"k${i}":1`).join()}}`),
  filter('json_encode', "\u2028<>&'".repeat(150 * k)),
  filter('e("js")', '\u{1f600}'.repeat(300 * k)),
  filter('e("css")', '\u{1f600}'.repeat(300 * k)),
  filter('e("html_attr")', '\u{1f600}'.repeat(300 * k)),
  filter('e("url")', '\u{1f600}'.repeat(300 * k)),
  filter('data_uri', ` ${' '.repeat(900 * k)}`),
  filter('sort|join', a),
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
]

const p = (text: string) => `<p>${text}</p>`
/** HTML and CSS, in the engine. */
const documents: TwigInput[] = [
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
  filter('inline_css("")', '<a><table>'.repeat(20 * k)),
  filter('inline_css("")', '<b><p>'.repeat(20 * k)),
  filter('inline_css("")', `<p style="${';'.repeat(400 * k)}x">`),
  filter('inline_css("p{color:red}")', `<p style="${'a:b;'.repeat(100 * k)}">`),
  filter('inline_css("")', '&'.repeat(500 * k)),
  filter('inline_css("")', '&ampamp'.repeat(80 * k)),
]

/** Expressions over large values of a context. */
export const hostileValues: readonly TwigInput[] = [...searches, ...expressions, ...documents]
