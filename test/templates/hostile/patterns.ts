import {
  ending,
  failing,
  finishing,
  type HostileTemplate,
  limited,
  refused,
} from './hostile-template.ts'

/** Sets `t` to a text of 2 to the power of `doublings` letters. */
const longText = (letter: string, doublings: number): string =>
  `{% set t = '${letter}' %}{% for i in 1..${doublings} %}{% set t = t ~ t %}{% endfor %}`

/** Regular expressions that make a backtracking engine hang, or any engine use much memory. */
export const patterns: readonly HostileTemplate[] = [
  ...ending(finishing('0'), {
    '(a+)+$': `${longText('a', 16)}{{ (t ~ '!') matches '/^(a+)+$/' ? 1 : 0 }}`,
    '(a|aa)+$': `${longText('a', 14)}{{ (t ~ '!') matches '/^(a|aa)+$/' ? 1 : 0 }}`,
    '(a*)*b': `${longText('a', 14)}{{ t matches '/^(a*)*b/' ? 1 : 0 }}`,
    '(.*)*x': `${longText('ab', 13)}{{ t matches '/(.*)*x$/' ? 1 : 0 }}`,
    'many stars': `${longText('a', 12)}{{ t matches '/a*a*a*a*a*a*a*a*a*a*b/' ? 1 : 0 }}`,
    '([a-z]+)*@': `${longText('a', 12)}{{ t matches '/^([a-z]+)*@/' ? 1 : 0 }}`,
    'many letters of all scripts': "{{ 'a' matches '/(\\\\pL{100}){10}/' ? 1 : 0 }}",
    'a wide automaton': `${longText('ab', 15)}{{ t matches '/(a|b)*a(a|b){90}c/' ? 1 : 0 }}`,
  }),
  ...ending(failing, {
    'a thousand times a thousand': "{{ 'a' matches '/(a{1000}){1000}/' }}",
    'thirty to the fourth': "{{ 'a' matches '/(((a{30}){30}){30}){30}/' }}",
    'a pattern that is made': `${longText('a', 16)}{{ 'a' matches '/' ~ t ~ '/' }}`,
    'many brackets': `{{ 'a' matches '/${'('.repeat(4000)}a${')'.repeat(4000)}/' ? 1 : 0 }}`,
    'many alternatives of one letter': `{{ 'a' matches '/${'a|'.repeat(3000)}b/' ? 1 : 0 }}`,
  }),
  ...ending(refused, {
    'a hundred letters a thousand times': `{{ 'a' matches '/(?:${'abcdefghij'.repeat(10)}){1000}/' }}`,
    'a pattern of 20,000 letters': `{{ 'a' matches '/${'a'.repeat(20_000)}/' }}`,
    lookbehind: "{{ 'a' matches '/(?<=a)b/' }}",
    backreference: "{{ 'aa' matches '/(a)\\\\1/' }}",
    recursion: "{{ 'aa' matches '/(?R)/' }}",
    'code in a pattern': "{{ 'a' matches '/a/e' }}",
  }),
  ...ending(limited, {
    'ever other patterns':
      "{% for i in 1..100000 %}{% if 'a' matches '/(a|b)*' ~ i ~ '/' %}{% endif %}{% endfor %}",
    'a slow pattern on a long text': `${longText('a', 20)}{% for i in 1..1000 %}{% if t matches '/(x+x+)+y|[ab]{1,90}c/' %}{% endif %}{% endfor %}`,
  }),
]
