import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspectDsn } from '../dsn/inspect-dsn.ts'
import { parseDsn } from '../dsn/parse-dsn.ts'
import { findProviderByHost, findScheme, providers } from './registry.ts'

/** The DSN `NAME://CREDENTIALS@HOST`, and the server and the log-in that it leads to. */
type PresetRow = [
  names: string[],
  server: string,
  login: string,
  credentials?: string,
  host?: string,
]

const withSmtp = (name: string) => [name, `${name}+smtp`]
const withSmtps = (name: string) => [...withSmtp(name), `${name}+smtps`]

// As the providers' own pages have it; where Symfony Mailer differs, a word says so.
const rows: PresetRow[] = [
  [['ses+smtp', 'ses+smtps'], 'email-smtp.eu-west-1.amazonaws.com:465 implicit', 'U:P'],
  [withSmtps('sendgrid'), 'smtp.sendgrid.net:465 implicit', 'apikey:U', 'U'],
  // Symfony 5.4 asks for implicit TLS on 465.
  [['mailgun+smtp', 'mailgun+smtps'], 'smtp.mailgun.org:587 starttls', 'U:P'],
  [withSmtps('postmark'), 'smtp.postmarkapp.com:587 starttls', 'U:U', 'U'],
  [['mandrill+smtp', 'mandrill+smtps'], 'smtp.mandrillapp.com:587 starttls', 'U:P'],
  // Symfony 5.4 asks for implicit TLS on 465.
  [[...withSmtps('mailjet'), 'mautic+mailjet+smtp'], 'in-v3.mailjet.com:587 starttls', 'U:P'],
  [
    withSmtps('gmail'),
    'smtp.gmail.com:465 implicit',
    'U:abcdefghijklmnop',
    'U:abcd+efgh%20ijkl+mnop',
  ],
  [[...withSmtp('brevo'), ...withSmtp('sendinblue')], 'smtp-relay.brevo.com:465 implicit', 'U:P'],
  [
    [...withSmtps('mailpace'), ...withSmtps('ohmysmtp')],
    'smtp.mailpace.com:587 starttls',
    'U:U',
    'U',
  ],
  // Symfony asks for implicit TLS on 587, where the server speaks STARTTLS.
  [withSmtp('mailersend'), 'smtp.mailersend.net:587 starttls', 'U:P'],
  [withSmtps('infobip'), 'smtp-api.infobip.com:587 starttls', 'App:U', 'U'],
  [withSmtps('scaleway'), 'smtp.tem.scw.cloud:465 implicit', 'U:P'],
  [withSmtp('resend'), 'smtp.resend.com:465 implicit', 'resend:P'],
  [withSmtps('mailtrap'), 'live.smtp.mailtrap.io:587 starttls', 'api:U', 'U'],
  [withSmtps('mailomat'), 'smtp.mailomat.cloud:587 starttls', 'U:P'],
  [withSmtp('sweego'), 'smtp.example.com:4465 implicit', 'U:P', 'U:P', 'smtp.example.com:4465'],
  [withSmtp('ahasend'), 'send.ahasend.com:587 starttls', 'U:P'],
  [['cloudflare+smtp'], 'smtp.mx.cloudflare.net:465 implicit', 'api_token:P'],
  [['lettermint+smtp'], 'smtp.lettermint.co:465 implicit', 'lettermint:U', 'U'],
  [withSmtp('mailkite'), 'smtp.mailkite.dev:587 starttls', 'mailkite:U', 'U'],
  [['mailkite+smtps'], 'smtp.mailkite.dev:465 implicit', 'mailkite:U', 'U'],
  [['smtp2go+smtp'], 'mail.smtp2go.com:465 implicit', 'U:P'],
  [withSmtp('turbosmtp'), 'pro.turbo-smtp.com:587 starttls', 'U:P'],
]

function settingsOf(dsn: string) {
  const parsed = parseDsn(dsn)
  assert.ok(parsed.kind === 'smtp', dsn)
  return parsed.settings
}

for (const [names, server, login, credentials = 'U:P', host = 'default'] of rows)
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
  const inTable = new Set(rows.flatMap(([names]) => names))
  const missing = providers
    .flatMap(({ schemes }) => schemes)
    .filter(({ kind }) => kind === 'smtp')
    .flatMap(({ names }) => names.filter((name) => !inTable.has(name)))
    .filter((name) => !name.endsWith('+oauth'))
  assert.deepEqual(missing, [])
})

/** The DSN, and the server that its host, port or region leads to. */
const servers = {
  'ses+smtp://U:P@default?region=us-east-1': 'email-smtp.us-east-1.amazonaws.com:465 implicit',
  'ses+smtp://U:P@default?region=': 'email-smtp.eu-west-1.amazonaws.com:465 implicit',
  'ses+smtp://U:P@smtp.vpc.example.com': 'smtp.vpc.example.com:465 implicit',
  'ses+smtp://U:P@default:2465': 'email-smtp.eu-west-1.amazonaws.com:2465 implicit',
  'ses+smtp://U:P@default:2587': 'email-smtp.eu-west-1.amazonaws.com:2587 starttls',
  'brevo+smtp://U:P@default:587': 'smtp-relay.brevo.com:587 starttls',
  'sendgrid+smtp://K@default?region=eu': 'smtp.eu.sendgrid.net:465 implicit',
  'sendgrid+smtp://K@default?region=global': 'smtp.sendgrid.net:465 implicit',
  'mailgun+smtp://U:P@default?region=eu': 'smtp.eu.mailgun.org:587 starttls',
  'mailgun+smtp://U:P@default?region=us': 'smtp.mailgun.org:587 starttls',
  'smtp2go+smtp://U:P@default?region=eu2': 'mail-eu2.smtp2go.com:465 implicit',
  'turbosmtp://U:P@pro.eu.turbo-smtp.com': 'pro.eu.turbo-smtp.com:587 starttls',
}

test('a region, an own host and an own port have their server', () => {
  for (const [dsn, server] of Object.entries(servers)) {
    const { host, port, tls } = settingsOf(dsn)
    assert.equal(`${host}:${port} ${tls}`, server, dsn)
  }
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
  assert.throws(() => settingsOf('sweego+smtp://U:P@default'), { code: 'no_host' })
})
