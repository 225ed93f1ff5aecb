import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspectDsn } from '../dsn/inspect-dsn.ts'
import { parseDsn } from '../dsn/parse-dsn.ts'
import { findProviderByHost, findScheme, providers } from './registry.ts'

/** Names, then host, port and TLS, then what the DSN `NAME://U:P@default` logs in with. */
interface PresetRow {
  names: string[]
  server: string
  login: string
  /** The part of the DSN that the scheme needs beside its name; default `U:P`. */
  credentials?: string
  /** Default `default`. */
  host?: string
}

const withSmtp = (name: string) => [name, `${name}+smtp`]
const withSmtps = (name: string) => [...withSmtp(name), `${name}+smtps`]

// As the providers' own pages have it; where Symfony Mailer differs, a word says so.
const rows: PresetRow[] = [
  {
    names: ['ses+smtp', 'ses+smtps'],
    server: 'email-smtp.eu-west-1.amazonaws.com:465 implicit',
    login: 'U:P',
  },
  {
    names: withSmtps('sendgrid'),
    server: 'smtp.sendgrid.net:465 implicit',
    login: 'apikey:U',
    credentials: 'U',
  },
  // Symfony 5.4 asks for implicit TLS on 465.
  {
    names: ['mailgun+smtp', 'mailgun+smtps'],
    server: 'smtp.mailgun.org:587 starttls',
    login: 'U:P',
  },
  {
    names: withSmtps('postmark'),
    server: 'smtp.postmarkapp.com:587 starttls',
    login: 'U:U',
    credentials: 'U',
  },
  {
    names: ['mandrill+smtp', 'mandrill+smtps'],
    server: 'smtp.mandrillapp.com:587 starttls',
    login: 'U:P',
  },
  // Symfony 5.4 asks for implicit TLS on 465.
  {
    names: [...withSmtps('mailjet'), 'mautic+mailjet+smtp'],
    server: 'in-v3.mailjet.com:587 starttls',
    login: 'U:P',
  },
  {
    names: withSmtps('gmail'),
    server: 'smtp.gmail.com:465 implicit',
    login: 'U:abcdefghijklmnop',
    credentials: 'U:abcdefghijklmnop',
  },
  {
    names: [...withSmtp('brevo'), ...withSmtp('sendinblue')],
    server: 'smtp-relay.brevo.com:465 implicit',
    login: 'U:P',
  },
  {
    names: [...withSmtps('mailpace'), ...withSmtps('ohmysmtp')],
    server: 'smtp.mailpace.com:587 starttls',
    login: 'U:U',
    credentials: 'U',
  },
  // Symfony asks for implicit TLS on 587, where the server speaks STARTTLS.
  { names: withSmtp('mailersend'), server: 'smtp.mailersend.net:587 starttls', login: 'U:P' },
  {
    names: withSmtps('infobip'),
    server: 'smtp-api.infobip.com:587 starttls',
    login: 'App:U',
    credentials: 'U',
  },
  { names: withSmtps('scaleway'), server: 'smtp.tem.scw.cloud:465 implicit', login: 'U:P' },
  { names: withSmtp('resend'), server: 'smtp.resend.com:465 implicit', login: 'resend:P' },
  {
    names: withSmtps('mailtrap'),
    server: 'live.smtp.mailtrap.io:587 starttls',
    login: 'api:U',
    credentials: 'U',
  },
  { names: withSmtps('mailomat'), server: 'smtp.mailomat.cloud:587 starttls', login: 'U:P' },
  {
    names: withSmtp('sweego'),
    server: 'smtp.example.com:4465 implicit',
    login: 'U:P',
    host: 'smtp.example.com:4465',
  },
  { names: withSmtp('ahasend'), server: 'send.ahasend.com:587 starttls', login: 'U:P' },
]

function settingsOf(dsn: string) {
  const parsed = parseDsn(dsn)
  assert.ok(parsed.kind === 'smtp', dsn)
  return parsed.settings
}

for (const { names, server, login, credentials = 'U:P', host = 'default' } of rows)
  test(`${names.join(', ')}: ${server}`, () => {
    for (const name of names) {
      const dsn = `${name}://${credentials}@${host}`
      const { host: at, port, tls, trust, credentials: own } = settingsOf(dsn)
      assert.equal(`${at}:${port} ${tls}`, server, dsn)
      assert.equal(`${own?.user.reveal()}:${own?.password?.reveal()}`, login, dsn)
      assert.equal(trust.isVerified, true)
      const inspection = inspectDsn(dsn)
      assert.ok(inspection.valid)
      assert.deepEqual(inspection.warnings, [], dsn)
      assert.equal(inspection.transport.provider, findScheme(name)?.provider?.name)
      // A plain smtp:// DSN with the host of a provider is treated like its scheme.
      if (host === 'default')
        assert.equal(findProviderByHost(at)?.name, inspection.transport.provider)
    }
  })

test('the table has every SMTP scheme of every provider that logs in with a password', () => {
  const inTable = new Set(rows.flatMap(({ names }) => names))
  const missing = providers
    .flatMap(({ schemes }) => schemes)
    .filter(({ kind }) => kind === 'smtp')
    .flatMap(({ names }) => names.filter((name) => !inTable.has(name)))
    .filter((name) => !name.endsWith('+oauth'))
  assert.deepEqual(missing, [])
})

const regions = {
  'ses+smtp://U:P@default?region=us-east-1': 'email-smtp.us-east-1.amazonaws.com',
  'ses+smtp://U:P@default?region=': 'email-smtp.eu-west-1.amazonaws.com',
  'ses+smtp://U:P@smtp.vpc.example.com': 'smtp.vpc.example.com',
  'sendgrid+smtp://K@default?region=eu': 'smtp.eu.sendgrid.net',
  'sendgrid+smtp://K@default?region=global': 'smtp.sendgrid.net',
  'mailgun+smtp://U:P@default?region=eu': 'smtp.eu.mailgun.org',
  'mailgun+smtp://U:P@default?region=us': 'smtp.mailgun.org',
}

for (const [dsn, host] of Object.entries(regions))
  test(`${dsn} leads to ${host}`, () => {
    assert.equal(settingsOf(dsn).host, host)
  })

test("postmark's SMTP keeps the message id, and names the stream that the DSN names", () => {
  assert.deepEqual(settingsOf('postmark+smtp://T@default').headers, [['X-PM-KeepID', 'true']])
  assert.deepEqual(settingsOf('postmark+smtp://T@default?message_stream=news').headers, [
    ['X-PM-KeepID', 'true'],
    ['X-PM-Message-Stream', 'news'],
  ])
})

test('an app password of Gmail may contain the spaces of its four groups', () => {
  for (const written of ['abcd%20efgh%20ijkl%20mnop', 'abcd+efgh+ijkl+mnop', 'abcdefghijklmnop'])
    assert.equal(
      settingsOf(`gmail://me%40gmail.com:${written}@default`).credentials?.password?.reveal(),
      'abcdefghijklmnop',
    )
})

test('a host that a preset ignores gives a warning', () => {
  const inspection = inspectDsn('mandrill+smtp://U:P@smtp.example.com')
  assert.ok(inspection.valid)
  assert.match(inspection.warnings.join(), /always connects to smtp\.mandrillapp\.com/)
})

test('a missing user or password of a preset is named', () => {
  for (const [dsn, what] of [
    ['mandrill+smtp://U@default', /SMTP password/],
    ['brevo+smtp://default', /SMTP user name/],
    ['postmark+smtp://default', /server API token/],
    ['resend+smtp://resend@default', /API key/],
    ['sweego+smtp://U:P@default', /its own host and port/],
    ['sweego+smtp://U:P@smtp.example.com', /its own host and port/],
  ] as const) {
    const inspection = inspectDsn(dsn)
    assert.ok(!inspection.valid, dsn)
    assert.match(inspection.error, what)
  }
})
