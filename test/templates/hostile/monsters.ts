import {
  ending,
  failing,
  finishing,
  type HostileTemplate,
  limited,
  tooMuch,
} from './hostile-template.ts'

const many = 100_000

/** Templates whose source is the attack: too deep, too long, never closed. */
export const monsters: readonly HostileTemplate[] = [
  ...ending(tooMuch, {
    'brackets in brackets': `{{ ${'('.repeat(many)}1${')'.repeat(many)} }}`,
    'lists in lists': `{{ ${'['.repeat(many)}${']'.repeat(many)}|length }}`,
    'mappings in mappings': `{{ ${'{a:'.repeat(many)}1${'}'.repeat(many)}|length }}`,
    'not not not': `{{ ${'not '.repeat(many)}1 }}`,
    'minus minus minus': `{{ ${'- '.repeat(many)}1 }}`,
    'a chain of sums': `{{ 1${'+1'.repeat(many)} }}`,
    'a chain of texts': `{{ 1${'~1'.repeat(many)} }}`,
    'a chain of powers': `{{ 1${'**1'.repeat(many)} }}`,
    'a chain of ??': `{{ a${'??a'.repeat(many)} }}`,
    'a chain of choices': `{{ a${'?1:a'.repeat(many)} }}`,
    'a chain of attributes': `{{ a${'.a'.repeat(many)} }}`,
    'a chain of elements': `{{ a${'[0]'.repeat(many)} }}`,
    'elements of elements': `{{ ${'a['.repeat(many)}0${']'.repeat(many)} }}`,
    'a chain of filters': `{{ a${'|raw'.repeat(many)} }}`,
    'calls in calls': `{{ ${'max(1,'.repeat(many)}1${')'.repeat(many)} }}`,
    'arrows to arrows': `{{ [1]|map(${'a=>'.repeat(many)}1) }}`,
    'tests of tests': `{{ a${' is empty'.repeat(many)} }}`,
    'texts in texts': `{{ ${'"#{'.repeat(many)}1${'}"'.repeat(many)} }}`,
    'ifs in ifs': `${'{% if 1 %}'.repeat(20_000)}x${'{% endif %}'.repeat(20_000)}`,
    'loops in loops in loops': `${'{% for i in 1..2 %}'.repeat(20_000)}x${'{% endfor %}'.repeat(20_000)}`,
    'blocks in blocks': Array.from({ length: 20_000 }, (_, i) => `{% block b${i} %}`).join(''),
    'embeds in embeds': '{% embed "a" %}'.repeat(20_000),
    'ifs that never end': '{% if 1 %}'.repeat(20_000),
    'prints that never end': '{{ '.repeat(many),
    'comments that never end': '{# '.repeat(many),
    'texts that never end': `{{ ${'"a'.repeat(many)}`,
    'verbatim that never ends': '{% verbatim %} {% endverbati '.repeat(20_000),
    'half a million newlines': `${'\n'.repeat(500_000)}{{ nope.nope`,
    'an unknown filter of half a million letters': `{{ a|${'a'.repeat(500_000)} }}`,
    'a list of a hundred thousand': `{{ [${'1,'.repeat(many)}]|length }}`,
    'arguments by the hundred thousand': `{{ max(${'1,'.repeat(many)}) }}`,
    'a hundred thousand prints': '{{ 1 }}'.repeat(many),
    'ten thousand faulty tags': '{% nope %}'.repeat(10_000),
    'a line number of nines': '{% line 999999999 %}{{ nope() }}',
  }),
  {
    title: 'half a million blanks',
    source: `${' '.repeat(500_000)}{{- 1 -}}${' '.repeat(400_000)}x`,
    ends: finishing('1x'),
  },
  { title: 'blanks in a tag', source: `{{ 1 ${' '.repeat(900_000)}}}`, ends: finishing('1') },
  {
    title: 'a name of half a million letters',
    source: `{{ ${'a'.repeat(500_000)} }}`,
    ends: finishing(''),
  },
  {
    title: 'a number of half a million digits',
    source: `{{ ${'9'.repeat(500_000)} }}`,
    ends: finishing('INF'),
  },
  { title: 'a million characters too many', source: 'x'.repeat(2_000_000), ends: limited },
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
  {
    title: 'half a surrogate',
    source: "{{ '\ud800'|url_encode }}{{ '\ud800'|json_encode|raw }}",
    ends: finishing('%EF%BF%BD"\\ufffd"'),
  },
  { title: 'null bytes', source: "a\0b{{ '\0' }}{{ \0 }}", ends: failing },
]
