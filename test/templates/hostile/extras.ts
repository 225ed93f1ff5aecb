import { ending, failing, finishing, type HostileTemplate, limited } from './hostile-template.ts'

/** Sets `t` to a piece of text, doubled `doublings` times. */
const long = (piece: string, doublings: number): string =>
  `{% set t = '${piece}' %}{% for i in 1..${doublings} %}{% set t = t ~ t %}{% endfor %}`

const forever = (body: string): string => `{% for i in 1..100000 %}${body}{% endfor %}`

/** Attacks on the libraries behind the email filters. */
export const extras: readonly HostileTemplate[] = [
  ...ending(failing, {
    'Markdown of a megabyte': `${long('a b ', 18)}{{ t|markdown_to_html }}`,
    'HTML that is never closed': `${long('<b><i>', 11)}{{ t|html_to_markdown }}`,
    'HTML of nested blocks': `${long('<div>', 12)}{{ t|html_to_markdown }}`,
    'CSS for elements in elements': `${long('<div>', 14)}{{ t|inline_css('div div div{color:red}') }}`,
    'CSS for elements whose end tags close nothing': `${long('<div></x>', 13)}{{ t|inline_css('div{color:red}') }}`,
    'CSS for elements whose end tags stand in attributes': `${long('<div x="></div>">', 13)}{{ t|inline_css('div{color:red}') }}`,
    'CSS for table cells that are never closed': `${long('<table><td>', 13)}{{ t|inline_css('td{color:red}') }}`,
    'a slug of a book': `${long('ü ', 16)}{{ t|slug }}`,
    'a plural of a book': `${long('mouse ', 16)}{{ t|plural }}`,
    'JSON that is deep and right': `{{ '${'['.repeat(5000)}${']'.repeat(5000)}'|json_decode }}`,
    'a locale of a megabyte': `${long('en-', 18)}{{ 1|format_number(locale: t) }}`,
    'locales that are not':
      "{{ 'FR'|country_name('constructor') }}{{ 'FR'|country_name('__proto__') }}",
    'a style that is none': "{{ 1|format_number(style: 'constructor') }}",
    'attributes that are none': '{{ 1|format_number({constructor: 1}) }}',
    'a rounding mode that is none': "{{ 1|format_number({rounding_mode: 'constructor'}) }}",
    'a date pattern of a megabyte': `${long('EEEE', 18)}{{ 0|format_date(pattern: t) }}`,
    'a pattern letter that is none': "{{ 0|format_date(pattern: 'constructor') }}",
  }),
  ...ending(limited, {
    'Markdown again and again': `${long('*a* ', 8)}${forever('{% set x = t|markdown_to_html %}')}`,
    'many rules on many elements': `${long('<p class="a"><b>x</b></p>', 11)}{% set s = '.a > b:not(.x) ~ *{color:red}' %}{% for i in 1..11 %}{% set s = s ~ s %}{% endfor %}{{ t|inline_css(s)|length }}`,
    'many selectors on many elements': `${long('<p>x</p>', 12)}{% set s = 'a *,' %}{% for i in 1..12 %}{% set s = s ~ s %}{% endfor %}{{ t|inline_css(s ~ 'b{color:red}')|length }}`,
    'a property set again and again': `${long('a:b;', 14)}{% set h = '<a></a>' %}{% for i in 1..12 %}{% set h = h ~ h %}{% endfor %}{{ h|inline_css('*{' ~ t ~ '}')|length }}`,
    'many properties on many elements':
      "{% set t %}{% for i in 1..5000 %}a{{ i }}:b;{% endfor %}{% endset %}{% set h = '<a></a>' %}{% for i in 1..12 %}{% set h = h ~ h %}{% endfor %}{{ h|inline_css('*{' ~ t ~ '}')|length }}",
    'a selector that tries all ancestors of all ancestors': `${long('<div>', 8)}{% set h = '<x></x>' %}{% for i in 1..10 %}{% set h = h ~ h %}{% endfor %}{{ (t ~ h)|inline_css('y div div div div div div x{color:red}')|length }}`,
    'a place counted among many, many times': `${long('<i></i>', 14)}{{ t|inline_css('i:nth-last-of-type(2n+1){color:red}')|length }}`,
    'CSS again and again': forever("{% set x = '<p>x</p>'|inline_css('p{color:red}') %}"),
    'repeating a billion times': "{{ 'x'|u.repeat(1000000000)|length }}",
    'padding to a billion': "{{ 'x'|u.padBoth(1000000000)|length }}",
    'replacing by much': `${long('a', 16)}{{ t|u.replace('a', t)|length }}`,
    'wrapping many words': `${long('a ', 20)}{{ t|u.wordwrap(1000000000)|length }}`,
    'wrapping letter by letter': `${long('a', 20)}{{ t|u.wordwrap(1, 'zz', true)|length }}`,
    'growing by methods': `{% set t = 'ab'|u %}${forever('{% set t = t.append(t) %}')}`,
    'a slug with a long separator': `${long('x', 20)}{{ 'a b c d e f g h'|slug(t) }}`,
    'JSON of a million': `${long('1,', 19)}{{ ('[' ~ t ~ '1]')|json_decode|length }}`,
    'names of all zones again and again': forever('{% set x = timezone_names() %}'),
    'names of all languages in all languages':
      '{% for l in language_names()|keys %}{% set x = language_names(l) %}{% endfor %}',
    'money in all currencies and languages':
      '{% for l in locale_names()|keys %}{% for c in currency_names()|keys %}{% set x = 1|format_currency(c, locale: l) %}{% endfor %}{% endfor %}',
    'attributes of a million': '{{ html_attr({class: 1..300000})|length }}',
    'classes of a wide tree':
      '{% set l = ["a"] %}{% for i in 1..60 %}{% set l = [l, l] %}{% endfor %}{{ html_attr({class: l})|length }}',
    'a data URI of much': `${long('%', 22)}{{ t|data_uri|length }}`,
  }),
  ...ending(finishing('1'), {
    'HTML of angle brackets': `${long('<', 16)}{{ t|html_to_markdown|length > 0 ? 1 : 0 }}`,
    'a selector in selectors, in the text': `${long(':not(', 15)}{{ ('<style>' ~ t ~ 'a{color:red}</style><p>x</p>')|inline_css|length > 0 ? 1 : 0 }}`,
    'JSON that is deep': `${long('[', 18)}{{ t|json_decode is null ? 1 : 0 }}`,
  }),
  {
    title: 'Markdown with a script',
    source: "{{ '<script>x</script> [a](javascript:x) ![b](data:text/html,x)'|markdown_to_html }}",
    ends: finishing(
      /^<p>&lt;script&gt;x&lt;\/script&gt; \[a\]\(javascript:x\) !\[b\]\(data:text\/html,x\)<\/p>\n$/,
    ),
  },
  {
    title: 'Markdown of data with a script',
    source: '{{ text|markdown_to_html }}',
    ends: finishing('<p>&lt;b&gt;</p>\n'),
  },
  {
    title: 'HTML with a script behind entities',
    source: "{{ '&lt;script&gt;'|html_to_markdown }}",
    ends: finishing('&lt;script&gt;'),
  },
  {
    title: 'a selector in selectors',
    source: `${long(':not(', 15)}{{ '<p>x</p>'|inline_css(t ~ 'a{color:red}')|raw }}`,
    ends: finishing('<p>x</p>'),
  },
  {
    title: 'CSS in data that ends its style sheet',
    source:
      "{% apply inline_css('@media x { a { content: \\'</style><script>x</script>\\' } } p </style><b>:hover{c:d}') %}<p>x</p>{% endapply %}",
    ends: finishing(/^<style>\n(?!.*<\/style>.*<\/style>)/s),
  },
  {
    title: 'CSS whose comments hide the end of its style sheet',
    source: '{% apply inline_css %}<style>@media x{</**//style><b>}</style><p>x</p>{% endapply %}',
    ends: finishing('<style>@media x{</**//style><b>}</style><p>x</p>'),
  },
  {
    title: 'CSS whose comments hide the end of its style sheet, changed',
    source:
      '{% apply inline_css %}<style>i{c:d} @media x{</**//style><b>}</style><p>x</p>{% endapply %}',
    ends: finishing('<style>\n@media x{<\\/style><b>}\n</style><p>x</p>'),
  },
  {
    title: 'CSS in data that ends its attribute',
    source: "{{ '<p>x</p>'|inline_css('p{a:\"><script>x</script>;b:c}')|raw }}",
    ends: finishing(/^<p style="a: &quot;><script>x<\/script>[^"]*">x<\/p>$/),
  },
  {
    title: 'CSS from a file',
    source:
      '{% apply inline_css %}<html><head><link rel="stylesheet" href="/etc/passwd"><link rel="stylesheet" href="file:///etc/passwd"></head><body>x</body></html>{% endapply %}',
    ends: finishing(/^<html>(?!.*root:)/s),
  },
  {
    title: 'CSS from a server',
    source:
      "{{ '<p>x</p>'|inline_css('@import url(http://127.0.0.1:9/x.css); p{color:red}')|raw }}",
    ends: finishing(/color: ?red/),
  },
  {
    title: 'data that passes as inlined HTML',
    source: "{{ text|inline_css('b{color:red}') }}",
    ends: finishing(/^&lt;b/),
  },
  {
    title: 'a method that is none',
    source:
      "{{ 'x'|u.constructor }}{{ ('x'|u)['constructor'] }}{{ ('x'|u).data }}{{ ('x'|u).valueOf() }}",
    ends: finishing(''),
  },
  {
    title: 'JSON that reaches for the prototype',
    source: `{% set x = '{"__proto__": {"polluted": 1}, "constructor": 2}'|json_decode %}{{ x.constructor }}{{ {}.polluted }}{{ x.polluted }}`,
    ends: finishing('2'),
  },
  {
    title: 'a million digits',
    source: '{{ 1|format_number({fraction_digit: 1000000, min_integer_digit: 1000000})|length }}',
    ends: finishing(/^1\d\d$/),
  },
  {
    title: 'attributes that break out',
    source: `{{ html_attr({'x" onclick="y': '"><script>', style: {'a': '"'}}) }}`,
    ends: finishing(/^(?!.*(<script|" onclick="y))/s),
  },
]
