import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asciiDomain } from '../message/ascii-domain.ts'
import { findProvider, providers } from './registry.ts'

const domainsOf = (name: string) => findProvider(name)?.domains ?? assert.fail(name)

test('patterns cover a whole name, in any case, and keep no state', () => {
  for (const { name, domains } of providers) {
    const { selectors = [], returnPaths = [] } = domains
    for (const { target } of [...selectors, ...returnPaths]) {
      if (target === undefined) continue
      assert.match(target.source, /^\^.*\$$/, name)
      assert.equal(target.flags, 'i', name)
    }
  }
})

test('selectors, includes and records to set up are names below the domain', () => {
  for (const { name, domains } of providers) {
    const { selectors = [], include } = domains
    for (const selector of selectors) assert.match(selector.name, /^[a-z0-9-]+$/, name)
    if (include !== undefined) assert.equal(asciiDomain(include), include, name)
    for (const [labels, value] of Object.entries(domains.cnames ?? {})) {
      const selector = selectors.find((one) => labels === `${one.name}._domainkey`)
      if (selector?.target !== undefined) assert.match(value, selector.target, name)
    }
  }
})

test('targets are those of the provider, and no longer names that contain them', () => {
  for (const [name, selector, target] of [
    ['sendgrid', 's1', 's1.domainkey.u1446226.wl.sendgrid.net'],
    ['sendgrid', 's2', 's2.domainkey.u1446226.wl123.sendgrid.net'],
    ['sendgrid', 's1', 's1._domainkey.u7.wl.sendgrid.net'],
    ['office365', 'selector1', 'selector1-shop-example-com._domainkey.contoso.onmicrosoft.com'],
    ['microsoftgraph', 'selector2', 'selector2-a-example._domainkey.b.n-v1.dkim.mail.microsoft'],
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
    const pattern = domainsOf(name).selectors?.find((one) => one.name === selector)?.target
    assert.ok(pattern !== undefined, `${name} ${selector}`)
    assert.match(target, pattern)
    for (const other of [`${target}.evil.example`, `x.${target}`, target.replaceAll('.', 'x')])
      assert.doesNotMatch(other, pattern)
  }
})
