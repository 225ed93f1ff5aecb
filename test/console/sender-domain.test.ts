import assert from 'node:assert/strict'
import { test } from 'node:test'
import { domainOf } from '../../web/records/sender-domain.ts'

test('the domain of an address is read as the API writes it', () => {
  assert.equal(domainOf('news@Brand.Example'), 'brand.example')
  assert.equal(domainOf('Books <news@bücher.example>'), 'xn--bcher-kva.example')
  assert.equal(domainOf('news@über.example'), 'xn--ber-goa.example')
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
