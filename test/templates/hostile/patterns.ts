import { failing, finishing, type HostileTemplate, limited, refused } from './hostile-template.ts'

/** Sets `t` to a text of 2 to the power of `doublings` letters. */
const longText = (letter: string, doublings: number): string =>
  `{% set t = '${letter}' %}{% for i in 1..${doublings} %}{% set t = t ~ t %}{% endfor %}`

/** Regular expressions that make a backtracking engine hang, or any engine use much memory. */
export const patterns: readonly HostileTemplate[] = [
  {
    title: '(a+)+$',
    source: `${longText('a', 16)}{{ (t ~ '!') matches '/^(a+)+$/' ? 1 : 0 }}`,
    ends: finishing('0'),
  },
  {
    title: '(a|aa)+$',
    source: `${longText('a', 14)}{{ (t ~ '!') matches '/^(a|aa)+$/' ? 1 : 0 }}`,
    ends: finishing('0'),
  },
  {
    title: '(a*)*b',
    source: `${longText('a', 14)}{{ t matches '/^(a*)*b/' ? 1 : 0 }}`,
    ends: finishing('0'),
  },
  {
    title: '(.*)*x',
    source: `${longText('ab', 13)}{{ t matches '/(.*)*x$/' ? 1 : 0 }}`,
    ends: finishing('0'),
  },
  {
    title: 'many stars',
    source: `${longText('a', 12)}{{ t matches '/a*a*a*a*a*a*a*a*a*a*b/' ? 1 : 0 }}`,
    ends: finishing('0'),
  },
  {
    title: '([a-z]+)*@',
    source: `${longText('a', 12)}{{ t matches '/^([a-z]+)*@/' ? 1 : 0 }}`,
    ends: finishing('0'),
  },
  {
    title: 'a thousand times a thousand',
    source: "{{ 'a' matches '/(a{1000}){1000}/' }}",
    ends: failing,
  },
  {
    title: 'thirty to the fourth',
    source: "{{ 'a' matches '/(((a{30}){30}){30}){30}/' }}",
    ends: failing,
  },
  {
    title: 'a hundred letters a thousand times',
    source: `{{ 'a' matches '/(?:${'abcdefghij'.repeat(10)}){1000}/' }}`,
    ends: refused,
  },
  {
    title: 'many letters of all scripts',
    source: "{{ 'a' matches '/(\\\\pL{100}){10}/' ? 1 : 0 }}",
    ends: finishing('0'),
  },
  {
    title: 'a pattern of 20,000 letters',
    source: `{{ 'a' matches '/${'a'.repeat(20_000)}/' }}`,
    ends: refused,
  },
  {
    title: 'a pattern that is made',
    source: `${longText('a', 16)}{{ 'a' matches '/' ~ t ~ '/' }}`,
    ends: failing,
  },
  {
    title: 'many brackets',
    source: `{{ 'a' matches '/${'('.repeat(4000)}a${')'.repeat(4000)}/' ? 1 : 0 }}`,
    ends: failing,
  },
  {
    title: 'many alternatives of one letter',
    source: `{{ 'a' matches '/${'a|'.repeat(3000)}b/' ? 1 : 0 }}`,
    ends: failing,
  },
  {
    title: 'ever other patterns',
    source:
      "{% for i in 1..100000 %}{% if 'a' matches '/(a|b)*' ~ i ~ '/' %}{% endif %}{% endfor %}",
    ends: limited,
  },
  {
    title: 'a slow pattern on a long text',
    source: `${longText('a', 20)}{% for i in 1..1000 %}{% if t matches '/(x+x+)+y|[ab]{1,90}c/' %}{% endif %}{% endfor %}`,
    ends: limited,
  },
  {
    title: 'a wide automaton',
    source: `${longText('ab', 15)}{{ t matches '/(a|b)*a(a|b){90}c/' ? 1 : 0 }}`,
    ends: finishing('0'),
  },
  { title: 'lookbehind', source: "{{ 'a' matches '/(?<=a)b/' }}", ends: refused },
  { title: 'backreference', source: "{{ 'aa' matches '/(a)\\\\1/' }}", ends: refused },
  { title: 'recursion', source: "{{ 'aa' matches '/(?R)/' }}", ends: refused },
  { title: 'code in a pattern', source: "{{ 'a' matches '/a/e' }}", ends: refused },
]
