import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asciiDomain } from './ascii-domain.ts'

test('a domain is converted to lower-case ASCII without a dot at its end', () => {
  for (const [text, ascii] of [
    ['Example.COM.', 'example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['BÜCHER。example', 'xn--bcher-kva.example'],
    ['localhost', 'localhost'],
    ['_dmarc.example.com', '_dmarc.example.com'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ] as const) {
    assert.equal(asciiDomain(text), ascii, text)
  }
})

test('what is not a domain name has no form in DNS', () => {
  for (const text of [
    '',
    '.',
    'a..b',
    '.example.com',
    '-a.example',
    'a-.example',
    'a\0b.example',
    'a b.example',
    'bü%63her.example',
    'ann@example.com',
    '192.0.2.1',
    '0x7f.1',
    '１２７.0.0.1',
    '2001:db8::1',
    '[::1]',
    '*.example.com',
    'a/b.example',
    'http://brand.example',
    '%61.example',
    ...['/x', '?x', '#x', ':25', '\\x'].map((rest) => `ü.example${rest}`),
    'a@ü.example',
    '[ü.example]',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(127)}ab`,
    `${'ü.'.repeat(100_000)}example`,
    'a\n.example',
    'example.com\n',
    '\u202Eexample.com',
  ]) {
    assert.equal(asciiDomain(text), undefined, JSON.stringify(text.slice(0, 50)))
  }
})
