import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DsnError } from '../grammar/dsn.ts'
import { smtpPasswordOf } from '../providers/ses/smtp-password.ts'
import { accountsOf, eventProvidersOf, possibleProvidersOf } from './event-providers.ts'

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
  for (const dsn of ['null://null', 'smtp://mail.example.com', 'gmail://a:b@default'])
    assert.deepEqual(namesOf(dsn), [], dsn)
  assert.throws(() => eventProvidersOf('nonsense'), DsnError)
})

test('any provider may stand behind a server that is not known, and none behind others', () => {
  for (const dsn of [
    'smtp://relay.example.com',
    'smtps://u:p@[2001:db8::1]:465',
    'smtp+oauth://C:S@mail.example.com?tokenUrl=https%3A%2F%2Flogin.example.com%2Ft',
    'sendmail://default',
    'native://default',
    'failover(sendgrid://KEY@default smtp://localhost)',
  ]) {
    const names = possibleProvidersOf(dsn).map(({ name }) => name)
    assert.ok(names.includes('postal') && names.includes('ses') && !names.includes('gmail'), dsn)
  }
  for (const dsn of [
    'smtp://apikey:KEY@SMTP.SendGrid.net',
    'smtp://u:p@smtp.gmail.com',
    'gmail://a:b@default',
    'postal+api://KEY@postal.example.com',
    'null://null',
    'inbox://local',
    'roundrobin(sendgrid://KEY@default null://null)',
  ])
    assert.deepEqual(possibleProvidersOf(dsn), [], dsn)
})

const sharesAccount = (one: string, other: string) => {
  const accounts = new Set(accountsOf(one))
  return accountsOf(other).some((account) => accounts.has(account))
}

test('DSNs share an account if they have a key or password in common, over the API and over SMTP', () => {
  const secret = 'wJalrXUtnFEMI%2FK7MDENG%2FbPxRfiCYEXAMPLEKEY'
  const smtpPassword = encodeURIComponent(
    smtpPasswordOf(decodeURIComponent(secret), 'eu-central-1'),
  )
  for (const [one, other] of [
    ['sendgrid+api://KEY@default', 'smtp://apikey:KEY@smtp.sendgrid.net'],
    [
      'sendgrid+api://KEY@default',
      'failover(smtp://mail.example.com sendgrid://KEY@default?region=eu)',
    ],
    ['mandrill+api://KEY@default', 'mandrill+smtp://any:KEY@default'],
    [
      'mailgun+api://KEY:mg.example.com@default',
      'mautic+mailgun+api://:KEY@default?domain=b.example.com',
    ],
    ['postmark+api://KEY@default', 'smtp://KEY:KEY@smtp.postmarkapp.com'],
    ['postmark+api://KEY@default', 'mautic+postmark+api://:KEY@default'],
    ['sparkpost+api://KEY@default', 'smtp://SMTP_Injection:KEY@smtp.sparkpostmail.com'],
    [
      `ses+api://AKIA:${secret}@default?region=eu-central-1`,
      `smtp://AKIA:${smtpPassword}@email-smtp.eu-central-1.amazonaws.com:587`,
    ],
  ] as const)
    assert.ok(sharesAccount(one, other), one)
})

test('DSNs share no account because of a user name, a domain or a server, which anyone can write', () => {
  for (const [one, other] of [
    ['sendgrid+api://KEY@default', 'sendgrid+api://OTHER@default'],
    ['sendgrid+api://KEY@default', 'smtp://KEY:KEY@mail.example.com'],
    ['smtp://apikey:A@smtp.sendgrid.net', 'smtp://apikey:B@smtp.sendgrid.net'],
    ['mandrill+smtp://shop:A@default', 'mandrill+smtp://shop:B@default'],
    ['mailgun+api://A:mg.example.com@default', 'mailgun+api://B:mg.example.com@default'],
    ['mailgun+smtp://u%40mg.example.com:A@default', 'mailgun+smtp://u%40mg.example.com:B@default'],
    ['ses+api://AKIA:A@default', 'ses+api://AKIA:B@default'],
    ['ses+smtp://AKIA:A@default', 'ses+api://AKIA:B@default'],
    ['mailgun+api://KEY:mg.example.com@default', 'sendgrid+api://KEY@default'],
  ] as const)
    assert.ok(!sharesAccount(one, other), one)
  assert.deepEqual(accountsOf('failover(smtp://mail.example.com null://null)'), [])
})

test('accounts hold no secret', () => {
  const dsn = 'failover(sendgrid://KEY@default smtp://u:PASS@smtp.sendgrid.net)'
  for (const account of accountsOf(dsn)) assert.match(account, /^sendgrid [0-9a-f]{64}$/)
})
