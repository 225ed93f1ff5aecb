import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asciiDomain as domainOfApi } from '../../src/mailer/index.ts'
import { asciiDomain, domainOf } from '../../web/records/sender-domain.ts'

test('the domain of an address is read as the API writes it', () => {
  assert.equal(domainOf('news@Brand.Example'), 'brand.example')
  assert.equal(domainOf('Books <news@bücher.example>'), 'xn--bcher-kva.example')
  assert.equal(domainOf('news@über.example'), 'xn--ber-goa.example')
})

test('the console takes the same texts for domains as the API', () => {
  const domains = [
    'Brand.Example',
    'BÜCHER.example',
    '_dmarc.brand.example',
    'a-b.example',
    'localhost',
    'brand.example.',
  ]
  for (const text of domains) {
    assert.ok(asciiDomain(text), text)
    assert.equal(asciiDomain(text), domainOfApi(text), text)
  }
  for (const text of [
    '',
    '.example',
    'brand..example',
    '-a.example',
    'a-.example',
    'brand.example/x',
    'http://brand.example',
    'ann@brand.example',
    'a b.example',
    '192.0.2.77',
    '[192.0.2.77]',
    '[2001:db8::1]',
    '0x7f.1',
    'ü.example/x',
    '%61.example',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(130)}example`,
  ])
    assert.deepEqual([asciiDomain(text), domainOfApi(text)], [undefined, undefined], text)
})

test('what is no address has no domain, whatever it contains', () => {
  for (const text of [
    '',
    'news',
    'news@{domain}',
    'news@localhost',
    'news@bü.example/x',
    'a@ü\0.example',
    'a@xn--ü.example',
  ])
    assert.equal(domainOf(text), undefined, text)
})
