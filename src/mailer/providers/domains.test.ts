import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProviderDomains } from '../domains/provider-domains.ts'
import { nameOf } from './domain-question.ts'
import { findProvider, providers } from './registry.ts'

const known = providers.flatMap(({ name, domains }): [string, ProviderDomains][] =>
  domains === undefined ? [] : [[name, domains]],
)
const domainsOf = (name: string) => findProvider(name)?.domains ?? assert.fail(name)

test('every provider says what is known of its signatures, with the page that has it', () => {
  assert.deepEqual(
    known.map(([name]) => name),
    providers.map(({ name }) => name),
  )
  for (const [name, { link }] of known) assert.match(link, /^https:\/\//, name)
})

test('where selectors are not known, nothing is certain', () => {
  for (const [name, { selectors, isComplete, refusesOthers }] of known)
    if (selectors.length === 0)
      assert.deepEqual(
        { isComplete, refusesOthers },
        { isComplete: false, refusesOthers: false },
        name,
      )
})

test('only providers that refuse domains without verified keys are taken at the word of DNS', () => {
  const names = known.filter(([, { refusesOthers }]) => refusesOthers).map(([name]) => name)
  assert.deepEqual(names, ['azure', 'mailtrap', 'resend'])
})

test('patterns cover a whole name, in any case, and keep no state', () => {
  for (const [name, { selectors, spf }] of known) {
    const records = spf.envelope.type === 'custom' ? spf.envelope.records : []
    for (const { target } of [...selectors, ...records]) {
      if (target === undefined) continue
      assert.match(target.source, /^\^.*\$$/, name)
      assert.equal(target.flags, 'i', name)
    }
  }
})

test('selectors, includes and records to set up are names below the domain', () => {
  for (const [name, domains] of known) {
    const { selectors, spf } = domains
    for (const selector of selectors) assert.match(selector.name, /^[a-z0-9-]+$/, name)
    for (const include of spf.includes) assert.equal(nameOf(include), include, name)
    for (const record of domains.setUp('shop.example.com')) {
      assert.ok(record.name.endsWith('.shop.example.com'), name)
      assert.equal(nameOf(record.name), record.name, name)
      const selector = selectors.find(
        (one) => record.name === `${one.name}._domainkey.shop.example.com`,
      )
      if (selector?.target !== undefined) assert.match(record.value, selector.target, name)
    }
  }
})

test('targets are those of the provider, and no longer names that contain them', () => {
  for (const [name, selector, target] of [
    ['sendgrid', 's1', 's1.domainkey.u1446226.wl.sendgrid.net'],
    ['sendgrid', 's2', 's2.domainkey.u1446226.wl123.sendgrid.net'],
    ['sendgrid', 's1', 's1._domainkey.u7.wl.sendgrid.net'],
    ['office365', 'selector1', 'selector1-shop-example-com._domainkey.contoso.onmicrosoft.com'],
    [
      'microsoftgraph',
      'selector2',
      'selector2-example-com._domainkey.contoso.n-v1.dkim.mail.microsoft',
    ],
    ['brevo', 'brevo1', 'b1.example-com.dkim.brevo.com'],
    ['mandrill', 'mte2', 'dkim2.mandrillapp.com'],
    ['mailersend', 'mlsend2', 'mlsend2._domainkey.mailersend.net'],
    ['mailtrap', 'rwmt1', 'RWMT1.dkim.smtp.mailtrap.live'],
    [
      'azure',
      'selector1-azurecomm-prod-net',
      'selector1-azurecomm-prod-net._domainkey.azurecomm.net',
    ],
  ] as const) {
    const pattern = domainsOf(name).selectors.find((one) => one.name === selector)?.target
    assert.ok(pattern !== undefined, `${name} ${selector}`)
    assert.match(target, pattern)
    for (const other of [`${target}.evil.example`, `x.${target}`, target.replaceAll('.', 'x')])
      assert.doesNotMatch(other, pattern)
  }
})
