import { hostileDocuments } from './twig-documents.ts'
import { type TwigInput, times } from './twig-input.ts'
import { hostileValues } from './twig-values.ts'

// cspell:ignore curency includ
/** The same small thing until the budget is used up; `before` prepares it. */
const again = (body: string, before = ''): string =>
  `${before}{% for i in 1..400 %}{% for j in 1..400 %}${body}{% endfor %}{% endfor %}`

/** Reads `k` characters a, one b and again `k` a: a naive search looks at each of them at every place. */
const needle = `{% set a = 'a'|u.repeat(50000) %}{% set needle = a ~ 'b' ~ a %}{% set text = 'a'|u.repeat(900000) %}`
const names = (count: number): string => times(count, (index) => `n${index}`, ',')
const million = `{% set big = 'x'|u.repeat(1000000) %}`
const numbers = '{% set m = {first: 1}|merge(1..60000) %}'
const searching: readonly TwigInput[] = [
  { name: 'split', template: `${needle}{{ text|split(needle)|length }}` },
  { name: 'split with a limit', template: `${needle}{{ text|split(needle, 3)|length }}` },
  { name: 'u.replace', template: `${needle}{{ text|u.replace(needle, 'x')|length }}` },
  { name: 'u.before', template: `${needle}{{ text|u.before(needle)|length }}` },
  { name: 'u.after', template: `${needle}{{ text|u.after(needle)|length }}` },
  { name: 'u.beforeLast', template: `${needle}{{ text|u.beforeLast(needle)|length }}` },
  { name: 'u.afterLast', template: `${needle}{{ text|u.afterLast(needle)|length }}` },
  { name: 'u.containsAny', template: `${needle}{{ text|u.containsAny(needle) }}` },
  {
    name: 'u.containsAny with many',
    template: `${million}{{ big|u.containsAny(${times(4_000, (index) => `'y${index}'`, ',')}) }}`,
  },
  { name: 'u.wordwrap', template: `${needle}{{ text|u.wordwrap(5, needle)|length }}` },
  { name: 'in', template: `${needle}{{ needle in text }}` },
  { name: 'not in', template: `${needle}{{ needle not in text }}` },
  {
    name: 'replace with a long key',
    template: `{{ ('a'|u.repeat(900000))|replace({('a'|u.repeat(500000) ~ 'b'): 'x'})|length }}`,
  },
  {
    name: 'replace with keys of many lengths',
    template: `{% set keys = 1..2000|reduce((all, i) => all|merge({('a'|u.repeat(i) ~ 'b'): 'x'}), {}) %}{{ ('a'|u.repeat(200000))|replace(keys)|length }}`,
  },
  {
    name: 'trim with ranges',
    template: `{{ ('c'|u.repeat(500000))|trim('a..b'|u.repeat(100000)) }}`,
  },
  {
    name: 'u.trim with ranges',
    template: `{{ ('c'|u.repeat(500000))|u.trim('a..b'|u.repeat(100000)) }}`,
  },
  {
    name: 'striptags with many allowed',
    template: again(`{{ 'x'|striptags(tags) }}`, `{% set tags = '<a>'|u.repeat(100000) %}`),
  },
  {
    name: 'attribute selectors',
    template: `{{ html|inline_css(css)|length }}`,
    context: {
      html: `<p title="${'a'.repeat(100_000)}">x</p>`,
      css: times(200, () => `[title*="${'a'.repeat(400)}b${'a'.repeat(400)}"] {color: red}`),
    },
  },
]

const patterns: readonly TwigInput[] = [
  {
    name: 'html_attr with a style of semicolons',
    template: `{{ html_attr({style: [(';'|u.repeat(150000)) ~ 'x']}) }}`,
  },
  {
    name: 'html_attr with a style of blanks',
    template: `{{ html_attr({style: [('  '|u.repeat(200000)) ~ 'x']}) }}`,
  },
  {
    name: 'attribute selectors of blanks',
    template: `{{ '<p>x</p>'|inline_css(css)|length }}`,
    context: { css: times(250, () => `[a=b${' '.repeat(900)}!] {color: red}`) },
  },
  {
    name: 'patterns of bars',
    template: times(480, (index) => `{{ 'x' matches '/a${index}${'|'.repeat(1_900)}/' }}`),
  },
  {
    name: 'patterns of empty repetitions',
    template: times(480, (index) => `{{ 'x' matches '/a${index}${'(b{900}){0}'.repeat(150)}/' }}`),
  },
  {
    name: 'a pattern on a long text',
    template: `${million}{{ big matches '/(x+x+)+y/' }}{{ big matches '/${'x?'.repeat(500)}${'x'.repeat(500)}y/' }}`,
  },
  { name: 'format of digits', template: `{{ ('%' ~ '0'|u.repeat(900000))|format(1)|length }}` },
  { name: 'spaceless', template: `{{ ('>  '|u.repeat(1000000))|spaceless|length }}` },
  { name: 'u.title', template: `{{ ('a '|u.repeat(1500000))|u.title(true)|length }}` },
  { name: 'u.snake', template: `{{ ('aB'|u.repeat(1500000))|u.snake|length }}` },
  { name: 'u.camel', template: `{{ ('a b '|u.repeat(700000))|u.camel|length }}` },
  { name: 'title', template: `{{ ('a '|u.repeat(1500000))|title|length }}` },
  {
    name: 'u.collapseWhitespace',
    template: `{{ ('a  '|u.repeat(1000000))|u.collapseWhitespace|length }}`,
  },
  {
    name: 'u.normalize of marks',
    template: `{{ ('a' ~ mark ~ other)|u.normalize|length }}`,
    context: { mark: '\u0301'.repeat(100_000), other: '\u0323'.repeat(100_000) },
  },
  {
    name: 'u.ascii of marks',
    template: `{{ ('a' ~ mark ~ other)|u.ascii|length }}`,
    context: { mark: '\u0301'.repeat(100_000), other: '\u0323'.repeat(100_000) },
  },
]

const counting: readonly TwigInput[] = [
  { name: 'steps', template: again('{{ i * j + 1 }}') },
  { name: 'empty loops', template: again('') },
  { name: 'url_encode of marks', template: `{{ ('!'|u.repeat(2800000))|url_encode|length }}` },
  { name: 'json_encode of letters', template: `{{ ('é'|u.repeat(2800000))|json_encode|length }}` },
  { name: 'escape of quotes', template: `{{ '"'|u.repeat(3000000) }}` },
  { name: 'striptags of tags', template: `{{ ('<a>'|u.repeat(1100000))|striptags|length }}` },
  {
    name: 'characters of emojis',
    template: `{% set e = '😀'|u.repeat(500000) %}{{ e|first }}${'{{ e|last }}'.repeat(20)}`,
  },
  {
    name: 'slices of emojis',
    template: again('{{ e|slice(1, 2) }}', `{% set e = '😀'|u.repeat(100000) %}`),
  },
  {
    name: 'format with many placeholders',
    template: `{{ ('%1$d'|u.repeat(240000))|format(7)|length }}`,
  },
  { name: 'with a large mapping', template: again('{% with m %}{% endwith %}', numbers) },
  {
    name: 'include with a large mapping',
    template: again(`{{ include(t, m) }}`, `${numbers}{% set t = template_from_string('x') %}`),
  },
  { name: 'in a large mapping', template: again('{{ 1 in m }}', numbers) },
  { name: 'random of a large mapping', template: again('{{ random(m) }}', numbers) },
  {
    name: 'include of a long list of names',
    template: again(`{{ include(m, {}, true, true) }}`, numbers),
  },
  {
    name: 'a macro of many parameters',
    template: `{% macro f(${names(8_000)}) %}{% endmacro %}${again('{{ _self.f() }}')}`,
  },
  {
    name: 'a loop that sets many names',
    template: again(
      `{% for k in [] %}{% set ${names(4_000)} = ${'1,'.repeat(3_999)}1 %}{% endfor %}`,
    ),
  },
  {
    name: 'an arrow function of many names',
    template: again(`{% set f = x => [${names(9_000)}] %}`),
  },
  { name: 'destructuring of many names', template: again(`{% do [${names(9_000)}] = list %}`) },
  {
    name: 'variables below many layers',
    template: `{% macro f() %}{% endmacro %}{% set t %}${'{% with {} %}'.repeat(90)}{% if depth > 0 %}{% include template_from_string(code) with {depth: depth - 1} %}{% else %}${again('{{ zz }}')}{% endif %}${'{% endwith %}'.repeat(90)}{% endset %}{{ t }}`,
    context: {
      depth: 60,
      code: `${'{% with {} %}'.repeat(90)}{% if depth > 0 %}{% include template_from_string(code) with {depth: depth - 1} %}{% else %}${again('{{ zz }}')}{% endif %}${'{% endwith %}'.repeat(90)}`,
    },
  },
  {
    name: '_context of many',
    template: again('{% set x = _context %}', `{% set ${names(6_000)} = ${'1,'.repeat(5_999)}1 %}`),
  },
  {
    name: 'comparing texts of u',
    template: again(
      '{% if a < b %}{% endif %}',
      `{% set a = ('x'|u.repeat(900000)|u) %}{% set b = ('x'|u.repeat(900000)|u) %}`,
    ),
  },
  {
    name: 'comparing a text of u with another',
    template: again(
      '{% if a < b %}{% endif %}',
      `{% set a = ('x'|u.repeat(900000)|u) %}{% set b = 'x'|u.repeat(900000) %}`,
    ),
  },
  {
    name: 'comparing numbers with long texts',
    template: again('{% if 1 < b %}{% endif %}', `{% set b = ' '|u.repeat(500) ~ '1' %}`),
  },
  {
    name: 'html_classes of long names',
    template: again(`{% set x = html_classes(big, big ~ 'y') %}`, million),
  },
  {
    name: 'keys of one length',
    template: `{% set m = 1..400|reduce((all, i) => all|merge({('x'|u.repeat(20000) ~ (1000 + i)): i}), {}) %}${again(`{{ m['x'|u.repeat(20000) ~ 2000] }}`)}`,
  },
  {
    name: 'json_decode of arrays',
    template: `{{ ('[' ~ '[],'|u.repeat(150000) ~ '1]')|json_decode|length }}`,
  },
  {
    name: 'json_decode nested',
    template: `{{ ('['|u.repeat(240000) ~ ']'|u.repeat(240000))|json_decode|length }}`,
  },
  {
    name: 'a context of many objects',
    template: '{{ list|length }}',
    context: { list: Array.from({ length: 110_000 }, () => ({ a: 1 })) },
  },
  {
    name: 'a context of many arrays',
    template: '{{ list|length }}',
    context: { list: Array.from({ length: 300_000 }, () => []) },
  },
]

const calendars: readonly TwigInput[] = [
  { name: 'date of many words', template: again(`{% set x = date('${'+1 day '.repeat(28)}') %}`) },
  {
    name: 'date_modify of many words',
    template: again(`{% set x = 'now'|date_modify('${'+1 day '.repeat(28)}') %}`),
  },
  {
    name: 'dates of ever other quarters',
    template: again(`{{ (i * 90000000 + j * 900)|date('Z I', 'America/Sao_Paulo') }}`),
  },
  {
    name: 'abbreviations of a zone',
    template: `{{ 'now'|date('T'|u.repeat(20000), 'America/Sao_Paulo')|length }}`,
  },
  { name: 'whole dates', template: `{{ 'now'|date('r'|u.repeat(500000))|length }}` },
  {
    name: 'zones by ever other names',
    template: again(`{% set x = date('now', zones[(i * 400 + j) % zones|length]) %}`),
    context: {
      zones: Array.from({ length: 1_024 }, (_, index) =>
        Array.from('america/sao_paulo', (letter, at) =>
          at < 10 && (index >> at) % 2 === 1 ? letter.toUpperCase() : letter,
        ).join(''),
      ),
    },
  },
  {
    name: 'names of time zones in many locales',
    template: times(
      40,
      (index) => `{{ timezone_names('de-u-ca-gregory-nu-latn-x-${index}')|length }}`,
    ),
  },
  {
    name: 'names of locales in many locales',
    template: times(200, (index) => `{{ locale_names('de-x-${index}')|length }}`),
  },
  { name: 'ordinals', template: again('{{ j|format_ordinal_number }}') },
  { name: 'time zones of countries', template: again(`{{ country_timezones('US')|length }}`) },
  {
    name: 'date patterns',
    template: again(`{{ 'now'|format_date(pattern='${'EEEE MMMM zzzz '.repeat(13)}') }}`),
  },
  { name: 'plurals', template: again(`{{ ('${'x'.repeat(95)}' ~ j)|plural }}`) },
  { name: 'slugs', template: again(`{{ text|slug }}`, `{% set text = 'é'|u.repeat(4000) %}`) },
]

const memory: readonly TwigInput[] = [
  {
    name: 'format that repeats a text',
    template: `{{ ('%1$s'|u.repeat(5000))|format('x'|u.repeat(90000))|length }}`,
  },
  {
    name: 'u.append of many',
    template: `{% set x = 'x'|u.repeat(400000) %}{{ x|u.append(${'x,'.repeat(1_000)}x)|length }}`,
  },
  {
    name: 'u.prepend of many',
    template: `{% set x = 'x'|u.repeat(400000) %}{{ x|u.prepend(${'x,'.repeat(1_000)}x)|length }}`,
  },
  {
    name: 'u.ensureEnd again and again',
    template: `{% set x = 'x' %}{% for i in 1..40 %}{% set x = x|u.ensureEnd(x ~ 'y') %}{% endfor %}{{ x|length }}`,
  },
  {
    name: 'url_encode of a nested mapping',
    template: `{% set m = 1..50|reduce((all, i) => {('k'|u.repeat(10000)): all}, 1..20000) %}{{ m|url_encode|length }}`,
  },
  {
    name: 'url_encode of a deep list',
    template: `{% set m = 1..2000|reduce((all, i) => [all], 1..20000) %}{{ m|url_encode|length }}`,
  },
  {
    name: 'json_encode that indents a deep list',
    template: `{% set m = 1..500|reduce((all, i) => [all], 1..100000) %}{{ m|json_encode(128)|length }}`,
  },
  {
    name: 'json_encode of a deep text',
    template: `{% set m = 1..500|reduce((all, i) => [all], 'x'|u.repeat(1000000)) %}{{ m|json_encode|length }}`,
  },
  {
    name: 'doubling',
    template: `{% set x = 'é€' %}{% for i in 1..40 %}{% set x = x ~ x %}{% endfor %}`,
  },
  {
    name: 'texts of two bytes',
    template: `{% set x = '€'|u.repeat(15000000) %}{{ x|upper|length }}`,
  },
  { name: 'reversed emojis', template: `{{ ('😀'|u.repeat(330000))|reverse|length }}` },
  { name: 'a long range', template: `{% set x = 1..300000 %}{{ x|reverse|length }}` },
  {
    name: 'a shared tree',
    template: `{% set x = [1] %}{% for i in 1..60 %}{% set x = [x, x] %}{% endfor %}{{ x == x }}{{ x|json_encode }}`,
  },
  {
    name: 'paths that grow',
    template: times(3_000, (index) => `{% set a = a.${'b'.repeat(280)}${index} %}{{ a.c }}`),
  },
  {
    name: 'names of templates that grow',
    template: `{% for i in 1..30 %}{{ include('x'|u.repeat(900000) ~ i ~ random(), {}, true, true) }}{% endfor %}`,
  },
  {
    name: 'ever other names of templates',
    template: `{% for i in 1..2000 %}{{ include('x' ~ i ~ random(), {}, true, true) }}{% endfor %}`,
  },
]

const sources: readonly TwigInput[] = [
  { name: 'texts between comments', template: `${' '.repeat(40)}{##}`.repeat(19_000) },
  { name: 'letters between comments', template: `${'a'.repeat(40)}{##}`.repeat(19_000) },
  {
    name: 'unknown filters',
    template: times(2_000, (index) => `{{ a|${'format_curency_nam'.repeat(3)}${index} }}`),
  },
  {
    name: 'unknown tags',
    template: times(3_000, (index) => `{% ${'includ'.repeat(8)}${index} %}`),
  },
  { name: 'blanks in tags', template: `{{ a${' '.repeat(999)}}}`.repeat(900) },
  { name: 'operators of words', template: `{{ a starts${' '.repeat(2_000)}x }}`.repeat(400) },
  { name: 'a string that does not end', template: `{{ "${'\\a'.repeat(330_000)}` },
  { name: 'interpolations', template: `{{ "${'#{"a'.repeat(5_000)}` },
  { name: 'brackets', template: `{{ ${'('.repeat(9_000)} }}` },
  { name: 'open tags', template: '{% if a %}'.repeat(5_000) },
  {
    name: 'guards',
    template: `${times(90, (index) => `{% if ${times(20, (at) => `g${index}_${at} is defined`, ' and ')} %}`)}${'{{ a and b }}'.repeat(2_000)}${'{% endif %}'.repeat(90)}`,
  },
  {
    name: 'arrow functions in each other',
    template:
      `{{ ${times(120, (index) => `(a${index}, b${index}) => [${names(15)},`)} 1 ${']'.repeat(120)} }}`.repeat(
        4,
      ),
  },
  { name: 'tokens', template: '{{ a.b|upper }}'.repeat(2_800) },
  { name: 'long names', template: `{{ ${'a'.repeat(400_000)}.${'b'.repeat(400_000)} }}` },
  { name: 'deprecated filters', template: '{{ a|spaceless }}'.repeat(3_900) },
  { name: 'references', template: times(6_000, (index) => `{% include "t${index}" %}`) },
  { name: 'uses', template: times(4_900, (index) => `{% use "t${index % 7}" %}`) },
]

/** Templates that a caller with `twigtemplates: view` may send: each must end soon, in an output or an error. */
export const twigInputs: readonly TwigInput[] = [
  ...searching,
  ...patterns,
  ...counting,
  ...calendars,
  ...memory,
  ...sources,
  ...hostileDocuments,
  ...hostileValues,
]
