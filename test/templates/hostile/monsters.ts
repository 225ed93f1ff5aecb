import { failing, finishing, type HostileTemplate, limited, tooMuch } from './hostile-template.ts'

const many = 100_000

/** Templates whose source is the attack: too deep, too long, never closed. */
export const monsters: readonly HostileTemplate[] = [
  {
    title: 'brackets in brackets',
    source: `{{ ${'('.repeat(many)}1${')'.repeat(many)} }}`,
    ends: tooMuch,
  },
  {
    title: 'lists in lists',
    source: `{{ ${'['.repeat(many)}${']'.repeat(many)}|length }}`,
    ends: tooMuch,
  },
  {
    title: 'mappings in mappings',
    source: `{{ ${'{a:'.repeat(many)}1${'}'.repeat(many)}|length }}`,
    ends: tooMuch,
  },
  { title: 'not not not', source: `{{ ${'not '.repeat(many)}1 }}`, ends: tooMuch },
  { title: 'minus minus minus', source: `{{ ${'- '.repeat(many)}1 }}`, ends: tooMuch },
  { title: 'a chain of sums', source: `{{ 1${'+1'.repeat(many)} }}`, ends: tooMuch },
  { title: 'a chain of texts', source: `{{ 1${'~1'.repeat(many)} }}`, ends: tooMuch },
  { title: 'a chain of powers', source: `{{ 1${'**1'.repeat(many)} }}`, ends: tooMuch },
  { title: 'a chain of ??', source: `{{ a${'??a'.repeat(many)} }}`, ends: tooMuch },
  { title: 'a chain of choices', source: `{{ a${'?1:a'.repeat(many)} }}`, ends: tooMuch },
  { title: 'a chain of attributes', source: `{{ a${'.a'.repeat(many)} }}`, ends: tooMuch },
  { title: 'a chain of elements', source: `{{ a${'[0]'.repeat(many)} }}`, ends: tooMuch },
  {
    title: 'elements of elements',
    source: `{{ ${'a['.repeat(many)}0${']'.repeat(many)} }}`,
    ends: tooMuch,
  },
  { title: 'a chain of filters', source: `{{ a${'|raw'.repeat(many)} }}`, ends: tooMuch },
  {
    title: 'calls in calls',
    source: `{{ ${'max(1,'.repeat(many)}1${')'.repeat(many)} }}`,
    ends: tooMuch,
  },
  { title: 'arrows to arrows', source: `{{ [1]|map(${'a=>'.repeat(many)}1) }}`, ends: tooMuch },
  { title: 'tests of tests', source: `{{ a${' is empty'.repeat(many)} }}`, ends: tooMuch },
  {
    title: 'texts in texts',
    source: `{{ ${'"#{'.repeat(many)}1${'}"'.repeat(many)} }}`,
    ends: tooMuch,
  },
  {
    title: 'ifs in ifs',
    source: `${'{% if 1 %}'.repeat(20_000)}x${'{% endif %}'.repeat(20_000)}`,
    ends: tooMuch,
  },
  {
    title: 'loops in loops in loops',
    source: `${'{% for i in 1..2 %}'.repeat(20_000)}x${'{% endfor %}'.repeat(20_000)}`,
    ends: tooMuch,
  },
  {
    title: 'blocks in blocks',
    source: Array.from({ length: 20_000 }, (_, i) => `{% block b${i} %}`).join(''),
    ends: tooMuch,
  },
  { title: 'embeds in embeds', source: '{% embed "a" %}'.repeat(20_000), ends: tooMuch },
  { title: 'ifs that never end', source: '{% if 1 %}'.repeat(20_000), ends: tooMuch },
  { title: 'prints that never end', source: '{{ '.repeat(many), ends: tooMuch },
  { title: 'comments that never end', source: '{# '.repeat(many), ends: tooMuch },
  { title: 'texts that never end', source: `{{ ${'"a'.repeat(many)}`, ends: tooMuch },
  {
    title: 'verbatim that never ends',
    source: '{% verbatim %} {% endverbati '.repeat(20_000),
    ends: tooMuch,
  },
  {
    title: 'half a million blanks',
    source: `${' '.repeat(500_000)}{{- 1 -}}${' '.repeat(400_000)}x`,
    ends: finishing('1x'),
  },
  { title: 'blanks in a tag', source: `{{ 1 ${' '.repeat(900_000)}}}`, ends: finishing('1') },
  {
    title: 'half a million newlines',
    source: `${'\n'.repeat(500_000)}{{ nope.nope`,
    ends: tooMuch,
  },
  {
    title: 'a name of half a million letters',
    source: `{{ ${'a'.repeat(500_000)} }}`,
    ends: finishing(''),
  },
  {
    title: 'an unknown filter of half a million letters',
    source: `{{ a|${'a'.repeat(500_000)} }}`,
    ends: tooMuch,
  },
  {
    title: 'a number of half a million digits',
    source: `{{ ${'9'.repeat(500_000)} }}`,
    ends: finishing('INF'),
  },
  { title: 'a million characters too many', source: 'x'.repeat(2_000_000), ends: limited },
  {
    title: 'a list of a hundred thousand',
    source: `{{ [${'1,'.repeat(many)}]|length }}`,
    ends: tooMuch,
  },
  {
    title: 'arguments by the hundred thousand',
    source: `{{ max(${'1,'.repeat(many)}) }}`,
    ends: tooMuch,
  },
  {
    title: 'a hundred thousand prints',
    source: '{{ 1 }}'.repeat(many),
    ends: tooMuch,
  },
  {
    title: 'ninety templates of as many tokens as one may have',
    source: '{% for i in 0..89 %}{% include "t" ~ i %}{% endfor %}',
    others: Object.fromEntries(
      Array.from({ length: 90 }, (_, i) => [
        `t${i}`,
        `${i}{% if 0 %}${'{{ a|e }}'.repeat(3_900)}{% endif %}`,
      ]),
    ),
    ends: limited,
  },
  { title: 'ten thousand faulty tags', source: '{% nope %}'.repeat(10_000), ends: tooMuch },
  {
    title: 'half a surrogate',
    source: "{{ '\ud800'|url_encode }}{{ '\ud800'|json_encode|raw }}",
    ends: finishing('%EF%BF%BD"\\ufffd"'),
  },
  { title: 'null bytes', source: "a\0b{{ '\0' }}{{ \0 }}", ends: failing },
  { title: 'a line number of nines', source: '{% line 999999999 %}{{ nope() }}', ends: tooMuch },
]
