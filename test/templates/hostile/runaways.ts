import { failing, finishing, type HostileTemplate, limited } from './hostile-template.ts'

const loops = (depth: number, body: string): string =>
  '{% for i in 1..1000 %}'.repeat(depth) + body + '{% endfor %}'.repeat(depth)

/** Templates that would run forever, or for hours. */
export const runaways: readonly HostileTemplate[] = [
  { title: 'loops in loops', source: loops(6, 'x'), ends: limited },
  { title: 'loops in loops that do nothing', source: loops(6, ''), ends: limited },
  {
    title: 'loops in loops that only compute',
    source: loops(6, '{% set a = i * i %}'),
    ends: limited,
  },
  {
    title: 'a loop to a billion',
    source: '{% for i in 1..999999999 %}{% endfor %}',
    ends: limited,
  },
  { title: 'a range to a billion', source: '{{ range(1, 1000000000)|length }}', ends: limited },
  { title: 'a range to infinity', source: '{{ range(1, 1e308)|length }}', ends: limited },
  {
    title: 'a range of tiny steps',
    source: '{{ range(0, 1, 0.000000001)|length }}',
    ends: limited,
  },
  { title: 'a range down to minus a billion', source: '{{ (0..-999999999)|join }}', ends: limited },
  { title: 'it includes itself', source: '{% include _self %}', ends: limited },
  { title: 'it includes itself by a function', source: '{{ include(_self) }}', ends: limited },
  {
    title: 'it includes itself twice',
    source: '{% include _self %}{% include _self %}',
    ends: limited,
  },
  {
    title: 'it includes itself in a loop',
    source: '{% for i in 1..100 %}{% include _self %}{% endfor %}',
    ends: limited,
  },
  { title: 'it extends itself', source: '{% extends _self %}', ends: limited },
  {
    title: 'it extends itself and shows a parent block',
    source: '{% extends _self %}{% block a %}{{ parent() }}{% endblock %}',
    ends: limited,
  },
  {
    title: 'two that include each other',
    source: '{% include "b" %}',
    others: { b: '{% include "main" %}' },
    ends: limited,
  },
  {
    title: 'two that extend each other',
    source: '{% extends "b" %}',
    others: { b: '{% extends "main" %}' },
    ends: limited,
  },
  {
    title: 'two that use each other',
    source: '{% use "b" %}',
    others: { b: '{% use "main" %}' },
    ends: limited,
  },
  { title: 'it uses itself', source: '{% use "main" %}', ends: limited },
  { title: 'it embeds itself', source: '{% embed "main" %}{% endembed %}', ends: limited },
  {
    title: 'it embeds itself in a block',
    source: '{% block a %}{% embed "main" %}{% endembed %}{% endblock %}',
    ends: limited,
  },
  {
    title: 'a block that shows itself',
    source: "{% block a %}{{ block('a') }}{% endblock %}",
    ends: limited,
  },
  {
    title: 'two blocks that show each other',
    source:
      "{% block a %}{{ block('b') }}{% endblock %}{% block b %}{{ block('a') }}{% endblock %}",
    ends: limited,
  },
  {
    title: 'a macro that calls itself',
    source: '{% macro m() %}{{ _self.m() }}{% endmacro %}{{ _self.m() }}',
    ends: limited,
  },
  {
    title: 'a macro that calls itself twice',
    source:
      '{% macro m(n) %}{% if n > 0 %}{{ _self.m(n - 1) }}{{ _self.m(n - 1) }}{% endif %}{% endmacro %}{{ _self.m(60) }}',
    ends: limited,
  },
  {
    title: 'a macro looked for in a circle of parents',
    source: '{% extends "b" %}{% set x = _self.nope() %}',
    others: { b: '{% extends "main" %}' },
    ends: limited,
  },
  {
    title: 'a block looked for in a circle of parents',
    source: "{% extends 'main' %}{% set x = block('nope') %}",
    ends: limited,
  },
  {
    title: 'an arrow function that calls itself',
    source: '{% set f = f => f|invoke(f) %}{{ f|invoke(f) }}',
    ends: limited,
  },
  {
    title: 'an arrow function that calls itself twice',
    source:
      '{% set f = (f, n) => n > 0 ? f|invoke(f, n - 1) ~ f|invoke(f, n - 1) : "" %}{{ f|invoke(f, 60) }}',
    ends: limited,
  },
  {
    title: 'a text that makes itself a template again',
    source:
      "{% set t = '{{ include(template_from_string(t)) }}' %}{{ include(template_from_string(t)) }}",
    ends: limited,
  },
  {
    title: 'templates made of texts in a loop',
    source: `{% for i in 1..100000 %}{{ include(template_from_string('{{ i }}' ~ i)) }}{% endfor %}`,
    ends: limited,
  },
  {
    title: 'arrows over arrows',
    source:
      '{{ (1..1000)|map(a => (1..1000)|map(b => (1..1000)|map(c => 1)|length)|length)|length }}',
    ends: limited,
  },
  {
    title: 'a reduce that grows',
    source: "{{ (1..100000)|reduce((c, v) => c ~ c ~ 'x', 'x') }}",
    ends: limited,
  },
  { title: 'sorting a million', source: '{{ (1..900000)|sort|length }}', ends: limited },
  {
    title: 'sorting with an arrow',
    source: '{{ (1..300000)|sort((a, b) => b <=> a)|length }}',
    ends: limited,
  },
  {
    title: 'sorting without an order',
    source: '{{ (1..2000)|sort((a, b) => random(2) - 1)|length }}',
    ends: finishing('2000'),
  },
  {
    title: 'sorting again and again',
    source: '{% for i in 1..1000 %}{% set a = (1..1000)|shuffle|sort %}{% endfor %}',
    ends: limited,
  },
  {
    title: 'a search in a long text again and again',
    source:
      "{% set t = 'x'|split('')|first %}{% for i in 1..20 %}{% set t = t ~ t %}{% endfor %}{% for i in 1..100000 %}{% if 'y' in t %}{% endif %}{% endfor %}",
    ends: limited,
  },
  {
    title: 'the length of a long text again and again',
    source:
      "{% set t = 'ab' %}{% for i in 1..20 %}{% set t = t ~ t %}{% endfor %}{% for i in 1..100000 %}{% if t|length %}{% endif %}{% endfor %}",
    ends: limited,
  },
  {
    title: 'membership in a long list again and again',
    source: '{% set l = 1..10000 %}{% for i in l %}{% if "no" in l %}{% endif %}{% endfor %}',
    ends: limited,
  },
  {
    title: 'the greatest of a long list again and again',
    source: '{% set l = 1..10000 %}{% for i in l %}{% set m = max(l) %}{% endfor %}',
    ends: limited,
  },
  {
    title: 'every pair of a long list',
    source: '{% set l = 1..5000 %}{{ l has every a => l has some b => a + b < 0 }}',
    ends: finishing(''),
  },
  {
    title: 'all variables again and again',
    source: '{% for i in 1..100000 %}{% set x = _context|length %}{% endfor %}',
    ends: limited,
  },
  {
    title: 'many working days',
    source: "{{ '2024-01-01'|date_modify('+999999999999 weekdays')|date('Y') }}",
    ends: failing,
  },
  {
    title: 'many years',
    source: "{{ '2024-01-01'|date_modify('+9999999999999 years')|date('Y') }}",
    ends: failing,
  },
  {
    title: 'dates in a loop',
    source:
      "{% for i in 1..1000000 %}{% set d = 'first monday of january 2024'|date('U') %}{% endfor %}",
    ends: limited,
  },
  {
    title: 'a date that is a novel',
    source: "{{ ('monday ' ~ ('next '|split('')|join('next ')))|date }}",
    ends: failing,
  },
  {
    title: 'a date of a hundred thousand words',
    source:
      "{% set t = '+1 day ' %}{% for i in 1..14 %}{% set t = t ~ t %}{% endfor %}{{ t|date }}",
    ends: failing,
  },
  {
    title: 'a zone of a hundred thousand letters',
    source:
      "{% set t = 'Europe/' %}{% for i in 1..14 %}{% set t = t ~ t %}{% endfor %}{{ 'now'|date('c', t) }}",
    ends: failing,
  },
  {
    title: 'zones that are not',
    source: "{% for i in 1..100000 %}{% set x = ('x' ~ i)|date('c', 'A/B' ~ i) %}{% endfor %}",
    ends: failing,
  },
]
