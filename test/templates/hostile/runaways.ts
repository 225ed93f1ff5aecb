import { ending, failing, finishing, type HostileTemplate, limited } from './hostile-template.ts'

const loops = (depth: number, body: string): string =>
  '{% for i in 1..1000 %}'.repeat(depth) + body + '{% endfor %}'.repeat(depth)

/** Templates that would run forever, or for hours. */
export const runaways: readonly HostileTemplate[] = [
  ...ending(limited, {
    'loops in loops': loops(6, 'x'),
    'loops in loops that do nothing': loops(6, ''),
    'loops in loops that only compute': loops(6, '{% set a = i * i %}'),
    'a loop to a billion': '{% for i in 1..999999999 %}{% endfor %}',
    'a range to a billion': '{{ range(1, 1000000000)|length }}',
    'a range to infinity': '{{ range(1, 1e308)|length }}',
    'a range of tiny steps': '{{ range(0, 1, 0.000000001)|length }}',
    'a range down to minus a billion': '{{ (0..-999999999)|join }}',
    'it includes itself': '{% include _self %}',
    'it includes itself by a function': '{{ include(_self) }}',
    'it includes itself twice': '{% include _self %}{% include _self %}',
    'it includes itself in a loop': '{% for i in 1..100 %}{% include _self %}{% endfor %}',
    'it extends itself': '{% extends _self %}',
    'it extends itself and shows a parent block':
      '{% extends _self %}{% block a %}{{ parent() }}{% endblock %}',
    'it uses itself': '{% use "main" %}',
    'it embeds itself': '{% embed "main" %}{% endembed %}',
    'it embeds itself in a block': '{% block a %}{% embed "main" %}{% endembed %}{% endblock %}',
    'a block that shows itself': "{% block a %}{{ block('a') }}{% endblock %}",
    'two blocks that show each other':
      "{% block a %}{{ block('b') }}{% endblock %}{% block b %}{{ block('a') }}{% endblock %}",
    'a macro that calls itself': '{% macro m() %}{{ _self.m() }}{% endmacro %}{{ _self.m() }}',
    'a macro that calls itself twice':
      '{% macro m(n) %}{% if n > 0 %}{{ _self.m(n - 1) }}{{ _self.m(n - 1) }}{% endif %}{% endmacro %}{{ _self.m(60) }}',
    'a block looked for in a circle of parents': "{% extends 'main' %}{% set x = block('nope') %}",
    'an arrow function that calls itself': '{% set f = f => f|invoke(f) %}{{ f|invoke(f) }}',
    'an arrow function that calls itself twice':
      '{% set f = (f, n) => n > 0 ? f|invoke(f, n - 1) ~ f|invoke(f, n - 1) : "" %}{{ f|invoke(f, 60) }}',
    'a text that makes itself a template again':
      "{% set t = '{{ include(template_from_string(t)) }}' %}{{ include(template_from_string(t)) }}",
    'templates made of texts in a loop': `{% for i in 1..100000 %}{{ include(template_from_string('{{ i }}' ~ i)) }}{% endfor %}`,
    'arrows over arrows':
      '{{ (1..1000)|map(a => (1..1000)|map(b => (1..1000)|map(c => 1)|length)|length)|length }}',
    'a reduce that grows': "{{ (1..100000)|reduce((c, v) => c ~ c ~ 'x', 'x') }}",
    'sorting a million': '{{ (1..900000)|sort|length }}',
    'sorting with an arrow': '{{ (1..300000)|sort((a, b) => b <=> a)|length }}',
    'sorting again and again':
      '{% for i in 1..1000 %}{% set a = (1..1000)|shuffle|sort %}{% endfor %}',
    'a search in a long text again and again':
      "{% set t = 'x'|split('')|first %}{% for i in 1..20 %}{% set t = t ~ t %}{% endfor %}{% for i in 1..100000 %}{% if 'y' in t %}{% endif %}{% endfor %}",
    'the length of a long text again and again':
      "{% set t = 'ab' %}{% for i in 1..20 %}{% set t = t ~ t %}{% endfor %}{% for i in 1..100000 %}{% if t|length %}{% endif %}{% endfor %}",
    'membership in a long list again and again':
      '{% set l = 1..10000 %}{% for i in l %}{% if "no" in l %}{% endif %}{% endfor %}',
    'the greatest of a long list again and again':
      '{% set l = 1..10000 %}{% for i in l %}{% set m = max(l) %}{% endfor %}',
    'all variables again and again':
      '{% for i in 1..100000 %}{% set x = _context|length %}{% endfor %}',
    'dates in a loop':
      "{% for i in 1..1000000 %}{% set d = 'first monday of january 2024'|date('U') %}{% endfor %}",
  }),
  ...ending(failing, {
    'many working days': "{{ '2024-01-01'|date_modify('+999999999999 weekdays')|date('Y') }}",
    'many years': "{{ '2024-01-01'|date_modify('+9999999999999 years')|date('Y') }}",
    'a date that is a novel': "{{ ('monday ' ~ ('next '|split('')|join('next ')))|date }}",
    'a date of a hundred thousand words':
      "{% set t = '+1 day ' %}{% for i in 1..14 %}{% set t = t ~ t %}{% endfor %}{{ t|date }}",
    'a zone of a hundred thousand letters':
      "{% set t = 'Europe/' %}{% for i in 1..14 %}{% set t = t ~ t %}{% endfor %}{{ 'now'|date('c', t) }}",
    'zones that are not':
      "{% for i in 1..100000 %}{% set x = ('x' ~ i)|date('c', 'A/B' ~ i) %}{% endfor %}",
  }),
  ...['include', 'extends', 'use'].map((tag) => ({
    title: `two with {% ${tag} %} of each other`,
    source: `{% ${tag} "b" %}`,
    others: { b: `{% ${tag} "main" %}` },
    ends: limited,
  })),
  {
    title: 'a macro looked for in a circle of parents',
    source: '{% extends "b" %}{% set x = _self.nope() %}',
    others: { b: '{% extends "main" %}' },
    ends: limited,
  },
  {
    title: 'sorting without an order',
    source: '{{ (1..2000)|sort((a, b) => random(2) - 1)|length }}',
    ends: finishing('2000'),
  },
  {
    title: 'every pair of a long list',
    source: '{% set l = 1..5000 %}{{ l has every a => l has some b => a + b < 0 }}',
    ends: finishing(''),
  },
]
