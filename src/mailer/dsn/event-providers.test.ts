import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DsnError } from '../grammar/dsn.ts'
import { accountsOf, eventProvidersOf } from './event-providers.ts'

const namesOf = (dsn: string) => eventProvidersOf(dsn).map(({ name }) => name)

test('the providers of a DSN follow from its scheme, its SMTP host and its members', () => {
  for (const dsn of [
    'sendgrid+api://KEY@default',
    'sendgrid://KEY@default',
    'smtp://apikey:KEY@smtp.sendgrid.net',
    'smtps://apikey:KEY@SMTP.SendGrid.net:465',
    'failover(sendgrid+api://KEY@default smtp://smtp.sendgrid.net)',
    'roundrobin(smtp://mail.example.com failover(null://null sendgrid://KEY@default))',
  ])
    assert.deepEqual(namesOf(dsn), ['sendgrid'], dsn)
  for (const dsn of [
    'null://null',
    'smtp://mail.example.com',
    'inbox://local',
    'gmail://a:b@default',
  ])
    assert.deepEqual(namesOf(dsn), [], dsn)
  assert.throws(() => eventProvidersOf('nonsense'), DsnError)
})

test('each provider has its member, and prefers one that uses the API', () => {
  const dsn =
    'failover(smtp://apikey:KEY@smtp.sendgrid.net sendgrid+api://KEY@default?region=eu sendgrid+api://OTHER@default)'
  assert.deepEqual(
    eventProvidersOf(dsn).map(({ name, title, dsn: member }) => ({ name, title, member })),
    [{ name: 'sendgrid', title: 'SendGrid', member: 'sendgrid+api://KEY@default?region=eu' }],
  )
})

test('DSNs share an account if they have a key or login in common, over the API and over SMTP', () => {
  const share = (one: string, other: string) => {
    const accounts = new Set(accountsOf(one))
    return accountsOf(other).some((account) => accounts.has(account))
  }
  const api = 'sendgrid+api://KEY@default'
  assert.ok(share(api, 'smtp://apikey:KEY@smtp.sendgrid.net'))
  assert.ok(share(api, 'failover(smtp://mail.example.com sendgrid://KEY@default?region=eu)'))
  assert.ok(!share(api, 'sendgrid+api://OTHER@default'))
  assert.ok(!share('smtp://apikey:A@smtp.sendgrid.net', 'smtp://apikey:B@smtp.sendgrid.net'))
  assert.ok(!share(api, 'smtp://KEY:KEY@mail.example.com'))
})

test('accounts hold no secret', () => {
  for (const account of accountsOf(
    'failover(sendgrid://KEY@default smtp://u:PASS@smtp.sendgrid.net)',
  ))
    assert.match(account, /^sendgrid [0-9a-f]{64}$/)
})
