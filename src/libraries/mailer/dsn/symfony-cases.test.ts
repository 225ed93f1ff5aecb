import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { domainToASCII } from 'node:url'
import { readDsn } from '../grammar/read-dsn.ts'
import { inspectDsn } from './inspect-dsn.ts'
import { parseDsn } from './parse-dsn.ts'
import type { ParsedDsn, ParsedSmtpDsn } from './parsed-dsn.ts'

/** Where this parser knowingly differs from Symfony Mailer 7.4, and why. Keys are DSNs. */
const refusedHere: Readonly<Record<string, string>> = {
  'smtp://mail%2Eexample.com:587': 'A host is not decoded, so "%2E" makes it an unknown name.',
  'smtp://:pass@mail.example.com:587': 'Symfony ignores the password and sends without a log-in.',
  'smtp://user:pa%0D%0ass@mail.example.com:587': 'A line end in a password can inject commands.',
  'smtp://user:pa\nss@mail.example.com:587':
    'Symfony replaces the line feed by "_", so the password is wrong.',
  'smtp://user:8080/x@mail.example.com:587': 'Symfony connects to a host named "user".',
  'smtp://mail.example.com:25x': 'A port with letters is a typing mistake.',
  'smtp://h.example.com?verify_peer=garbage': 'A typing mistake would turn verification off.',
  'smtp://h.example.com?verify_peer[]=1': 'An array would turn verification off.',
  'smtp://h.example.com:587?require_tls=true&auto_tls=0': 'The two options contradict each other.',
  'smtp://h.example.com:587?local_domain=a%0D%0AMAIL%20FROM:x':
    'The value contains an SMTP command.',
  'smtp://h.example.com:587?local_domain=a;ping_threshold=3':
    '";" does not separate options, and no host name contains it.',
  'sendmail://default': 'It runs a command of this machine, which only the operator may configure.',
  'sendmail://default?command=/usr/sbin/sendmail%20-oi%20-t': 'It could run any command.',
  'sendmail://default?command=/usr/sbin/sendmail%20-bs': 'It could run any command.',
  'sendmail://default?command=touch%20pwned%20-t': 'It could run any command.',
  'failover(smtp://a.example.com:25,smtp://b.example.com:25)':
    'Symfony reads one member whose host is "a.example.com:25,smtp".',
  'sendgrid+smtp://apikey:SG.a.b@default': 'Symfony uses the word "apikey" as the key.',
}

/** Symfony 7.4 without further bridges refuses these. */
const acceptedHere: Readonly<Record<string, string>> = {
  'mautic+ses+api://KEY:SECRET@default?region=eu-central-1': 'A plug-in of Mautic has the scheme.',
  'sendinblue+smtp://U:P@default': 'Symfony 5.4, which Mautic 5 uses, has the scheme.',
  'sendinblue+api://KEY@default': 'Symfony 5.4, which Mautic 5 uses, has the scheme.',
  'ahasend+api://KEY@default': 'Later bridges of Symfony have the scheme.',
}

/** Accepted by both with another meaning here. */
const otherwiseHere: Readonly<Record<string, string>> = {
  'smtp://h.example.com:587?local_domain=':
    'Servers refuse an empty EHLO name; it counts as not given.',
  'roundrobin(failover(smtp://a.example.com:25 smtp://b.example.com:25)?retry_period=15 smtp://c.example.com:25)':
    'Symfony drops every member after a nested retry_period.',
  'mailersend+smtp://U:P@default':
    'Symfony uses implicit TLS on port 587, where the server expects STARTTLS.',
  'azure+api://RESOURCE:a2V5@default?disable_tracking=false': 'Symfony reads "false" as true.',
}

interface SymfonyTransport {
  error?: string
  class?: string
  host?: string
  port?: number
  implicit_tls?: boolean
  user?: string
  password?: string
  retry_period?: number
  settings?: Record<string, unknown>
  api?: { endpoint?: string }
  transports?: SymfonyTransport[]
  dsn?: {
    exception?: string
    scheme: string
    host: string
    user: string | null
    password: string | null
    port: number | null
    options: Record<string, unknown> | []
  }
}

const { cases } = JSON.parse(
  readFileSync(new URL('../../../../test/symfony-dsns.json', import.meta.url), 'utf8'),
) as { cases: { dsn: string; symfony: SymfonyTransport }[] }

test('every DSN recorded with Symfony Mailer means the same here, except for the listed differences', async (context) => {
  for (const { dsn, symfony } of cases)
    await context.test(JSON.stringify(dsn), () => compare(dsn, symfony))
})

function compare(dsn: string, symfony: SymfonyTransport): void {
  const inspection = inspectDsn(dsn)
  const isAccepted = dsn in acceptedHere || (symfony.error === undefined && !(dsn in refusedHere))
  assert.equal(inspection.valid, isAccepted, inspection.valid ? 'accepted' : inspection.error)
  if (!isAccepted || dsn in acceptedHere || dsn in otherwiseHere) return
  compareParts(dsn, symfony.dsn)
  compareMeaning(parseDsn(dsn), symfony)
}

function compareParts(dsn: string, expected: SymfonyTransport['dsn']): void {
  if (expected === undefined || expected.exception !== undefined) return
  const node = readDsn(dsn)
  assert.equal(node.type, 'single')
  if (node.type !== 'single') return
  const options: Record<string, unknown> = {}
  for (const [name, { value }] of node.options) {
    const [outer = '', inner] = name.replace(']', '').split('[')
    options[outer] = inner === undefined ? value : { [inner]: value }
  }
  assert.deepEqual(
    {
      scheme: node.scheme,
      host: node.host,
      user: node.user ?? null,
      password: node.password ?? null,
      port: node.port ?? null,
      options,
    },
    { ...expected, options: { ...expected.options } },
  )
}

function compareMeaning(parsed: ParsedDsn, expected: SymfonyTransport): void {
  if (parsed.kind === 'failover' || parsed.kind === 'roundrobin') {
    assert.equal(
      expected.class,
      parsed.kind === 'failover' ? 'FailoverTransport' : 'RoundRobinTransport',
    )
    assert.equal(parsed.retryPeriodMs, (expected.retry_period ?? 0) * 1000)
    assert.equal(parsed.members.length, expected.transports?.length)
    parsed.members.forEach((member, index) => {
      compareMeaning(member, expected.transports?.[index] ?? {})
    })
  } else if (parsed.kind === 'smtp') compareSmtp(parsed, expected)
  else if (parsed.kind === 'api') compareApi(parsed.adapter.endpoint, expected.api ?? {})
  else assert.equal(expected.class, 'NullTransport')
}

function compareSmtp({ settings }: ParsedSmtpDsn, expected: SymfonyTransport): void {
  assert.equal(settings.host, hostOf(expected.host ?? ''))
  assert.equal(settings.port, expected.port)
  assert.equal(settings.tls === 'implicit', expected.implicit_tls)
  assert.equal(settings.credentials?.user.reveal() ?? '', expected.user)
  assert.equal(settings.credentials?.password?.reveal() ?? '', expected.password)
  compareSettings(settings, expected.settings ?? {})
}

function compareSettings(settings: ParsedSmtpDsn['settings'], expected: Record<string, unknown>) {
  const ssl =
    (expected['stream_options'] as { ssl?: Record<string, unknown> } | undefined)?.ssl ?? {}
  assert.equal(settings.trust.isVerified, ssl['verify_peer'] !== false)
  const digests = Object.entries((ssl['peer_fingerprint'] as Record<string, string>) ?? {})
  assert.deepEqual(
    settings.trust.fingerprints,
    digests.map(([algorithm, hex]) => ({ algorithm, hex: hex.toLowerCase() })),
  )
  assert.equal(settings.localDomain, expected['local_domain'] ?? null)
  assert.equal(settings.messagesPerConnection, expected['restart_threshold'] ?? 100)
  assert.equal(settings.restartPauseMs, Number(expected['restart_threshold_sleep'] ?? 0) * 1000)
  if (expected['ping_threshold'] !== undefined)
    assert.equal(settings.pingAfterMs, Number(expected['ping_threshold']) * 1000)
  assert.equal(settings.maxPerSecond, expected['max_per_second'] ?? null)
  assert.equal(settings.sourceAddress, expected['source_ip'] ?? null)
  if (expected['auto_tls'] === false) assert.equal(settings.tls, 'none')
  if (expected['require_tls'] === true) assert.equal(settings.tls, 'starttls')
  if (expected['message_stream'] !== undefined)
    assert.deepEqual(settings.headers.at(-1), ['X-PM-Message-Stream', expected['message_stream']])
}

function compareApi(endpoint: string, expected: { endpoint?: string }): void {
  if (expected.endpoint !== undefined) assert.equal(new URL(expected.endpoint).origin, endpoint)
}

function hostOf(host: string): string {
  if (host.startsWith('[')) return host.slice(1, -1)
  return /^[\u0020-\u007e]+$/.test(host) ? host : domainToASCII(host)
}
