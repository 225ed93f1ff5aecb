import { failing, finishing, type HostileTemplate, limited } from './hostile-template.ts'

const text = "{% set t = 'x' %}"
const forever = (body: string): string => `{% for i in 1..1000 %}${body}{% endfor %}`

/** Templates that would use all memory. */
export const floods: readonly HostileTemplate[] = [
  { title: 'doubling by ~', source: text + forever('{% set t = t ~ t %}'), ends: limited },
  {
    title: 'doubling by interpolation',
    source: text + forever('{% set t = "#{t}#{t}" %}'),
    ends: limited,
  },
  {
    title: 'doubling by a capture',
    source: text + forever('{% set t %}{{ t }}{{ t }}{% endset %}'),
    ends: limited,
  },
  {
    title: 'doubling by format',
    source: text + forever("{% set t = '%s%s'|format(t, t) %}"),
    ends: limited,
  },
  { title: 'doubling by join', source: text + forever('{% set t = [t, t]|join %}'), ends: limited },
  {
    title: 'doubling by replace',
    source: text + forever("{% set t = t|replace({x: 'xx'}) %}"),
    ends: limited,
  },
  {
    title: 'growing by nl2br',
    source: `{% set t = "\\n" %}${forever('{% set t = t|nl2br %}{% set t = t ~ t %}')}`,
    ends: limited,
  },
  {
    title: 'growing by url_encode',
    source: `{% set t = '%' %}${forever('{% set t = t|url_encode ~ "%" %}{% set t = t ~ t %}')}`,
    ends: limited,
  },
  {
    title: 'growing by json_encode',
    source: `{% set t = '\\\\' %}${forever('{% set t = t|json_encode %}')}`,
    ends: limited,
  },
  {
    title: 'growing by escaping',
    source: `{% set t = '&' %}${forever("{% set t = t|e ~ '&' %}{% set t = t ~ t %}")}`,
    ends: limited,
  },
  {
    title: 'growing by escaping for js',
    source: `{% set t = '<' %}${forever("{% set t = t|e('js') ~ '<' %}{% set t = t ~ t %}")}`,
    ends: limited,
  },
  {
    title: 'growing by escaping for attributes',
    source: `{% set t = '<' %}${forever("{% set t = t|e('html_attr')|raw %}{% set t = t ~ t %}")}`,
    ends: limited,
  },
  {
    title: 'doubling by apply',
    source: text + forever('{% set t %}{% apply upper %}{{ t }}{{ t }}{% endapply %}{% endset %}'),
    ends: limited,
  },
  {
    title: 'doubling by a macro',
    source: `{% macro m(a) %}{{ a }}{{ a }}{% endmacro %}${text}${forever('{% set t = _self.m(t) %}')}`,
    ends: limited,
  },
  {
    title: 'doubling by a block',
    source: `${text}{% block b %}{{ t }}{{ t }}{% endblock %}${forever("{% set t = block('b') %}")}`,
    ends: limited,
  },
  {
    title: 'doubling by an include',
    source: text + forever("{% set t = include('b') %}"),
    others: { b: '{{ t }}{{ t }}' },
    ends: limited,
  },
  {
    title: 'doubling by source',
    source: text + forever("{% set t = t ~ source('b') %}{% set t = t ~ t %}"),
    others: { b: 'x' },
    ends: limited,
  },
  {
    title: 'doubling by merge',
    source: `{% set l = [1, 2] %}${forever('{% set l = l|merge(l) %}')}`,
    ends: limited,
  },
  {
    title: 'doubling by spreading',
    source: `{% set l = [1, 2] %}${forever('{% set l = [...l, ...l] %}')}`,
    ends: limited,
  },
  {
    title: 'doubling a mapping',
    source: `{% set l = {a: 1} %}${forever("{% set l = l|merge(l|map((v, k) => v)|reduce((c, v, k) => c|merge({(k ~ 'x'): v}), l)) %}")}`,
    ends: limited,
  },
  {
    title: 'doubling arguments',
    source: `{% set l = [1, 2] %}${forever('{% set l = [0]|merge(...[l, l]) %}')}`,
    ends: limited,
  },
  {
    title: 'a list in a list in a list',
    source: `{% set l = [] %}{% for i in 1..900000 %}{% set l = [l] %}{% endfor %}{{ l|json_encode }}`,
    ends: limited,
  },
  {
    title: 'a deep list as JSON',
    source: `{% set l = [] %}{% for i in 1..50000 %}{% set l = [l] %}{% endfor %}{{ l|json_encode }}`,
    ends: finishing(''),
  },
  {
    title: 'a deep list compared',
    source: `{% set l = [] %}{% set m = [] %}{% for i in 1..50000 %}{% set l = [l] %}{% set m = [m] %}{% endfor %}{{ l == m }}`,
    ends: limited,
  },
  {
    title: 'a deep list as a query',
    source: `{% set l = [1] %}{% for i in 1..50000 %}{% set l = [l] %}{% endfor %}{{ l|url_encode }}`,
    ends: limited,
  },
  {
    title: 'a wide tree as JSON',
    source: `{% set l = [1] %}{% for i in 1..60 %}{% set l = [l, l] %}{% endfor %}{{ l|json_encode }}`,
    ends: limited,
  },
  {
    title: 'a wide tree as a query',
    source: `{% set l = [1] %}{% for i in 1..60 %}{% set l = [l, l] %}{% endfor %}{{ l|url_encode }}`,
    ends: limited,
  },
  {
    title: 'a wide tree dumped',
    source: `{% set l = [1] %}{% for i in 1..60 %}{% set l = [l, l] %}{% endfor %}{{ dump(l) }}`,
    ends: limited,
  },
  {
    title: 'two wide trees compared',
    source: `{% set l = [1] %}{% set m = [1] %}{% for i in 1..60 %}{% set l = [l, l] %}{% set m = [m, m] %}{% endfor %}{{ l == m }}`,
    ends: limited,
  },
  {
    title: 'two wide trees, the same',
    source: `{% set l = [1] %}{% set m = [1] %}{% for i in 1..60 %}{% set l = [l, l] %}{% set m = [m, m] %}{% endfor %}{{ l is same as(m) }}`,
    ends: limited,
  },
  {
    title: 'a wide tree in a list',
    source: `{% set l = [1] %}{% set m = [1] %}{% for i in 1..60 %}{% set l = [l, l] %}{% set m = [m, m] %}{% endfor %}{{ l in [m] }}{{ max(l, m)|length }}`,
    ends: limited,
  },
  {
    title: 'a wide tree for the host',
    source: `{% set l = [1] %}{% for i in 1..60 %}{% set l = [l, l] %}{% endfor %}{{ echo(l) }}`,
    ends: limited,
  },
  {
    title: 'a hundred million decimals',
    source: '{{ 1|number_format(100000000) }}',
    ends: limited,
  },
  {
    title: 'a long separator',
    source: `${text}{% for i in 1..20 %}{% set t = t ~ t %}{% endfor %}{{ 1e300|number_format(0, '', t) }}`,
    ends: limited,
  },
  { title: 'a width of a billion', source: "{{ '%1000000000s'|format('x') }}", ends: limited },
  { title: 'a width of a billion zeros', source: "{{ '%01000000000d'|format(1) }}", ends: limited },
  { title: 'a precision of a billion', source: "{{ '%.1000000000f'|format(1) }}", ends: limited },
  {
    title: 'many widths',
    source: `{{ '${'%9999999s'.repeat(100)}'|format(${'1,'.repeat(100)}) }}`,
    ends: limited,
  },
  {
    title: 'rounding to a billion places',
    source: '{{ 1.5|round(1000000000) }}',
    ends: finishing('1.5'),
  },
  {
    title: 'a batch filled up to a billion',
    source: '{{ [1]|batch(1000000000, 0)|length }}',
    ends: limited,
  },
  { title: 'batches of one', source: '{{ (1..300000)|batch(1)|length }}', ends: limited },
  {
    title: 'a slice to a billion',
    source: '{{ [1, 2]|slice(0, 1000000000)|length }}',
    ends: finishing('2'),
  },
  {
    title: 'a column of a million',
    source: "{{ (1..600000)|map(i => {a: i})|column('a')|length }}",
    ends: limited,
  },
  {
    title: 'a text in single letters',
    source: `${text}{% for i in 1..22 %}{% set t = t ~ t %}{% endfor %}{{ t|split('')|length }}`,
    ends: limited,
  },
  {
    title: 'a text split at every letter',
    source: `${text}{% for i in 1..22 %}{% set t = t ~ t %}{% endfor %}{{ t|split('x')|length }}`,
    ends: limited,
  },
  {
    title: 'a text turned round again and again',
    source: `${text}{% for i in 1..20 %}{% set t = t ~ t %}{% endfor %}${forever('{% set t = t|reverse %}')}`,
    ends: limited,
  },
  {
    title: 'a long date format',
    source: `{% set t = 'l' %}{% for i in 1..22 %}{% set t = t ~ t %}{% endfor %}{{ 'now'|date(t) }}`,
    ends: limited,
  },
  {
    title: 'a long interval format',
    source: `{% set t = '%a' %}{% for i in 1..22 %}{% set t = t ~ t %}{% endfor %}{{ date().diff(date())|date(t) }}`,
    ends: limited,
  },
  {
    title: 'a long interval format by its method',
    source: `{% set t = '%a%a%a%a' %}{% for i in 1..23 %}{% set t = t ~ t %}{% endfor %}{{ date().diff(date()).format(t) }}`,
    ends: limited,
  },
  {
    title: 'printing for ever',
    source: `${text}{% for i in 1..20 %}{% set t = t ~ t %}{% endfor %}${forever('{{ t }}')}`,
    ends: limited,
  },
  {
    title: 'printing little for ever',
    source: '{% for i in 1..600000 %}0123456789012345678901234567890123456789{% endfor %}',
    ends: limited,
  },
  {
    title: 'capturing for ever',
    source: `${text}{% for i in 1..20 %}{% set t = t ~ t %}{% endfor %}${forever('{% set a %}{{ t }}{% endset %}')}`,
    ends: limited,
  },
  {
    title: 'filters in a row on a long text',
    source: `${text}{% for i in 1..22 %}{% set t = t ~ t %}{% endfor %}${forever('{% set a = t|upper|lower|title|capitalize|trim|striptags %}')}`,
    ends: limited,
  },
  {
    title: 'characters of chance',
    source: `${text}{% for i in 1..22 %}{% set t = t ~ t %}{% endfor %}${forever('{{ random(t) }}')}`,
    ends: limited,
  },
  {
    title: 'a shuffle of letters',
    source: `${text}{% for i in 1..22 %}{% set t = t ~ t %}{% endfor %}${forever('{% set t = t|shuffle %}')}`,
    ends: limited,
  },
  {
    title: 'many variables',
    source:
      '{% for i in 1..100000 %}{% do [a, b] = [i, i] %}{% endfor %}{% set l = (1..300000)|map(i => [i, i]) %}',
    ends: limited,
  },
  {
    title: 'a template made of a long text',
    source: `${text}{% for i in 1..22 %}{% set t = t ~ t %}{% endfor %}{{ include(template_from_string(t)) }}`,
    ends: limited,
  },
  {
    title: 'a large literal made into a template',
    source: `{% set t = '{{ 1 }}' %}{% for i in 1..16 %}{% set t = t ~ t %}{% endfor %}{{ include(template_from_string(t)) }}`,
    ends: failing,
  },
]
