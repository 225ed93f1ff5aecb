import { hostileDocuments } from './twig-documents.ts'
import { inputs, type TwigInput, times } from './twig-input.ts'
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
  ...inputs({
    split: `${needle}{{ text|split(needle)|length }}`,
    'split with a limit': `${needle}{{ text|split(needle, 3)|length }}`,
    'u.replace': `${needle}{{ text|u.replace(needle, 'x')|length }}`,
    'u.before': `${needle}{{ text|u.before(needle)|length }}`,
    'u.after': `${needle}{{ text|u.after(needle)|length }}`,
    'u.beforeLast': `${needle}{{ text|u.beforeLast(needle)|length }}`,
    'u.afterLast': `${needle}{{ text|u.afterLast(needle)|length }}`,
    'u.containsAny': `${needle}{{ text|u.containsAny(needle) }}`,
    'u.containsAny with many': `${million}{{ big|u.containsAny(${times(4_000, (index) => `'y${index}'`, ',')}) }}`,
    'u.wordwrap': `${needle}{{ text|u.wordwrap(5, needle)|length }}`,
    in: `${needle}{{ needle in text }}`,
    'not in': `${needle}{{ needle not in text }}`,
    'replace with a long key': `{{ ('a'|u.repeat(900000))|replace({('a'|u.repeat(500000) ~ 'b'): 'x'})|length }}`,
    'replace with keys of many lengths': `{% set keys = 1..2000|reduce((all, i) => all|merge({('a'|u.repeat(i) ~ 'b'): 'x'}), {}) %}{{ ('a'|u.repeat(200000))|replace(keys)|length }}`,
    'trim with ranges': `{{ ('c'|u.repeat(500000))|trim('a..b'|u.repeat(100000)) }}`,
    'u.trim with ranges': `{{ ('c'|u.repeat(500000))|u.trim('a..b'|u.repeat(100000)) }}`,
    'striptags with many allowed': again(
      `{{ 'x'|striptags(tags) }}`,
      `{% set tags = '<a>'|u.repeat(100000) %}`,
    ),
  }),
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
  ...inputs({
    'html_attr with a style of semicolons': `{{ html_attr({style: [(';'|u.repeat(150000)) ~ 'x']}) }}`,
    'html_attr with a style of blanks': `{{ html_attr({style: [('  '|u.repeat(200000)) ~ 'x']}) }}`,
    'patterns of bars': times(
      480,
      (index) => `{{ 'x' matches '/a${index}${'|'.repeat(1_900)}/' }}`,
    ),
    'patterns of empty repetitions': times(
      480,
      (index) => `{{ 'x' matches '/a${index}${'(b{900}){0}'.repeat(150)}/' }}`,
    ),
    spaceless: `{{ ('>  '|u.repeat(1000000))|spaceless|length }}`,
    'u.title': `{{ ('a '|u.repeat(1500000))|u.title(true)|length }}`,
    'u.snake': `{{ ('aB'|u.repeat(1500000))|u.snake|length }}`,
    'u.camel': `{{ ('a b '|u.repeat(700000))|u.camel|length }}`,
    title: `{{ ('a '|u.repeat(1500000))|title|length }}`,
    'u.collapseWhitespace': `{{ ('a  '|u.repeat(1000000))|u.collapseWhitespace|length }}`,
  }),
  {
    name: 'attribute selectors of blanks',
    template: `{{ '<p>x</p>'|inline_css(css)|length }}`,
    context: { css: times(250, () => `[a=b${' '.repeat(900)}!] {color: red}`) },
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
  ...inputs({
    'url_encode of marks': `{{ ('!'|u.repeat(2800000))|url_encode|length }}`,
    'json_encode of letters': `{{ ('é'|u.repeat(2800000))|json_encode|length }}`,
    'escape of quotes': `{{ '"'|u.repeat(3000000) }}`,
    'striptags of tags': `{{ ('<a>'|u.repeat(1100000))|striptags|length }}`,
    'characters of emojis': `{% set e = '😀'|u.repeat(500000) %}{{ e|first }}${'{{ e|last }}'.repeat(20)}`,
    'slices of emojis': again('{{ e|slice(1, 2) }}', `{% set e = '😀'|u.repeat(100000) %}`),
    'format with many placeholders': `{{ ('%1$d'|u.repeat(240000))|format(7)|length }}`,
    'with a large mapping': again('{% with m %}{% endwith %}', numbers),
    'include with a large mapping': again(
      `{{ include(t, m) }}`,
      `${numbers}{% set t = template_from_string('x') %}`,
    ),
    'in a large mapping': again('{{ 1 in m }}', numbers),
    'random of a large mapping': again('{{ random(m) }}', numbers),
    'include of a long list of names': again(`{{ include(m, {}, true, true) }}`, numbers),
    'a macro of many parameters': `{% macro f(${names(8_000)}) %}{% endmacro %}${again('{{ _self.f() }}')}`,
    'a loop that sets many names': again(
      `{% for k in [] %}{% set ${names(4_000)} = ${'1,'.repeat(3_999)}1 %}{% endfor %}`,
    ),
    'an arrow function of many names': again(`{% set f = x => [${names(9_000)}] %}`),
    'destructuring of many names': again(`{% do [${names(9_000)}] = list %}`),
    '_context of many': again(
      '{% set x = _context %}',
      `{% set ${names(6_000)} = ${'1,'.repeat(5_999)}1 %}`,
    ),
    'comparing texts of u': again(
      '{% if a < b %}{% endif %}',
      `{% set a = ('x'|u.repeat(900000)|u) %}{% set b = ('x'|u.repeat(900000)|u) %}`,
    ),
    'comparing a text of u with another': again(
      '{% if a < b %}{% endif %}',
      `{% set a = ('x'|u.repeat(900000)|u) %}{% set b = 'x'|u.repeat(900000) %}`,
    ),
    'comparing numbers with long texts': again(
      '{% if 1 < b %}{% endif %}',
      `{% set b = ' '|u.repeat(500) ~ '1' %}`,
    ),
    'html_classes of long names': again(`{% set x = html_classes(big, big ~ 'y') %}`, million),
    'keys of one length': `{% set m = 1..400|reduce((all, i) => all|merge({('x'|u.repeat(20000) ~ (1000 + i)): i}), {}) %}${again(`{{ m['x'|u.repeat(20000) ~ 2000] }}`)}`,
    'json_decode of arrays': `{{ ('[' ~ '[],'|u.repeat(150000) ~ '1]')|json_decode|length }}`,
  }),
  {
    name: 'variables below many layers',
    template: `{% macro f() %}{% endmacro %}{% set t %}${'{% with {} %}'.repeat(90)}{% if depth > 0 %}{% include template_from_string(code) with {depth: depth - 1} %}{% else %}${again('{{ zz }}')}{% endif %}${'{% endwith %}'.repeat(90)}{% endset %}{{ t }}`,
    context: {
      depth: 60,
      code: `${'{% with {} %}'.repeat(90)}{% if depth > 0 %}{% include template_from_string(code) with {depth: depth - 1} %}{% else %}${again('{{ zz }}')}{% endif %}${'{% endwith %}'.repeat(90)}`,
    },
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
  ...inputs({
    'date of many words': again(`{% set x = date('${'+1 day '.repeat(28)}') %}`),
    'date_modify of many words': again(
      `{% set x = 'now'|date_modify('${'+1 day '.repeat(28)}') %}`,
    ),
    'dates of ever other quarters': again(
      `{{ (i * 90000000 + j * 900)|date('Z I', 'America/Sao_Paulo') }}`,
    ),
    'abbreviations of a zone': `{{ 'now'|date('T'|u.repeat(20000), 'America/Sao_Paulo')|length }}`,
    'whole dates': `{{ 'now'|date('r'|u.repeat(500000))|length }}`,
    'names of time zones in many locales': times(
      40,
      (index) => `{{ timezone_names('de-u-ca-gregory-nu-latn-x-${index}')|length }}`,
    ),
    'names of locales in many locales': times(
      200,
      (index) => `{{ locale_names('de-x-${index}')|length }}`,
    ),
    ordinals: again('{{ j|format_ordinal_number }}'),
    'time zones of countries': again(`{{ country_timezones('US')|length }}`),
    'date patterns': again(`{{ 'now'|format_date(pattern='${'EEEE MMMM zzzz '.repeat(13)}') }}`),
    plurals: again(`{{ ('${'x'.repeat(95)}' ~ j)|plural }}`),
    slugs: again(`{{ text|slug }}`, `{% set text = 'é'|u.repeat(4000) %}`),
  }),
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
]

const memory: readonly TwigInput[] = [
  ...inputs({
    'u.append of many': `{% set x = 'x'|u.repeat(400000) %}{{ x|u.append(${'x,'.repeat(1_000)}x)|length }}`,
    'u.prepend of many': `{% set x = 'x'|u.repeat(400000) %}{{ x|u.prepend(${'x,'.repeat(1_000)}x)|length }}`,
    'u.ensureEnd again and again': `{% set x = 'x' %}{% for i in 1..40 %}{% set x = x|u.ensureEnd(x ~ 'y') %}{% endfor %}{{ x|length }}`,
    'url_encode of a nested mapping': `{% set m = 1..50|reduce((all, i) => {('k'|u.repeat(10000)): all}, 1..20000) %}{{ m|url_encode|length }}`,
    'json_encode that indents a deep list': `{% set m = 1..500|reduce((all, i) => [all], 1..100000) %}{{ m|json_encode(128)|length }}`,
    'texts of two bytes': `{% set x = '€'|u.repeat(15000000) %}{{ x|upper|length }}`,
    'paths that grow': times(
      3_000,
      (index) => `{% set a = a.${'b'.repeat(280)}${index} %}{{ a.c }}`,
    ),
    'names of templates that grow': `{% for i in 1..30 %}{{ include('x'|u.repeat(900000) ~ i ~ random(), {}, true, true) }}{% endfor %}`,
    'ever other names of templates': `{% for i in 1..2000 %}{{ include('x' ~ i ~ random(), {}, true, true) }}{% endfor %}`,
  }),
]

const sources: readonly TwigInput[] = [
  ...inputs({
    'texts between comments': `${' '.repeat(40)}{##}`.repeat(19_000),
    'letters between comments': `${'a'.repeat(40)}{##}`.repeat(19_000),
    'unknown filters': times(2_000, (index) => `{{ a|${'format_curency_nam'.repeat(3)}${index} }}`),
    'unknown tags': times(3_000, (index) => `{% ${'includ'.repeat(8)}${index} %}`),
    'operators of words': `{{ a starts${' '.repeat(2_000)}x }}`.repeat(400),
    interpolations: `{{ "${'#{"a'.repeat(5_000)}`,
    guards: `${times(90, (index) => `{% if ${times(20, (at) => `g${index}_${at} is defined`, ' and ')} %}`)}${'{{ a and b }}'.repeat(2_000)}${'{% endif %}'.repeat(90)}`,
    'arrow functions in each other':
      `{{ ${times(120, (index) => `(a${index}, b${index}) => [${names(15)},`)} 1 ${']'.repeat(120)} }}`.repeat(
        4,
      ),
    'deprecated filters': '{{ a|spaceless }}'.repeat(3_900),
    references: times(6_000, (index) => `{% include "t${index}" %}`),
    uses: times(4_900, (index) => `{% use "t${index % 7}" %}`),
  }),
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
