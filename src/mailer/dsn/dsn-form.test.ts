import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { forms } from '../providers/form-registry.ts'
import { providers } from '../providers/registry.ts'
import { secretMask } from '../secret.ts'
import { buildDsnForm, type DsnFormInput } from './build-dsn-form.ts'
import { describeProviders } from './describe-providers.ts'
import { readDsnForm } from './dsn-form.ts'
import { inspectDsn } from './inspect-dsn.ts'
import { maskDsn } from './mask-dsn.ts'
import { parseDsn } from './parse-dsn.ts'

const everything = { hasCommand: true, hasInbox: true }

function build(input: DsnFormInput): string {
  const built = buildDsnForm(input, everything)
  if ('mailerDsn' in built) return built.mailerDsn
  return assert.fail(`${input.provider}: ${JSON.stringify(built.details)}`)
}

function faultsOf(input: DsnFormInput) {
  const built = buildDsnForm(input, everything)
  return 'details' in built ? built.details : assert.fail(built.mailerDsn)
}

test('every provider has a form, and every scheme belongs to one of its variants', () => {
  for (const { name, schemes } of providers) {
    const form = describeProviders().find((each) => each.name === name)
    assert.match(form?.link ?? '', /^https:\/\//, name)
    const covered = form?.variants.flatMap((variant) => variant.schemes) ?? []
    for (const scheme of schemes)
      for (const alias of scheme.names) assert.ok(covered.includes(alias), alias)
  }
})

for (const { name, variants, isList } of forms)
  for (const variant of variants)
    test(`${name} ${variant.name}: the examples of its fields make a DSN with the same values`, () => {
      const fields: Record<string, string | number | boolean> = {}
      for (const { name: field, type, example } of variant.fields)
        fields[field] =
          type === 'number' ? Number(example) : type === 'boolean' ? example === '1' : example
      const members = isList ? [{ provider: 'null' }, { provider: 'inbox' }] : []
      const dsn = build({ provider: name, variant: variant.name, fields, members })
      const read = readDsnForm(dsn)
      assert.deepEqual([read?.provider, read?.variant], [name, variant.name])
      assert.deepEqual(read?.fields, fields)
      const inspection = inspectDsn(dsn, everything)
      assert.ok(inspection.valid)
      if (providers.some((provider) => provider.name === name))
        assert.equal(inspection.transport.provider, name)
    })

test('the required fields alone make a DSN', () => {
  for (const { name, variants, isList } of forms)
    for (const variant of variants) {
      const required = variant.fields.filter(({ isOptional }) => isOptional !== true)
      const fields = Object.fromEntries(
        required.map(({ name: field, example }) => [field, example]),
      )
      const members = isList ? [{ provider: 'null' }] : []
      build({ provider: name, variant: variant.name, fields, members })
      const faults =
        required.length === 0 ? {} : faultsOf({ provider: name, variant: variant.name })
      assert.deepEqual(Object.keys(faults).sort(), required.map((field) => field.name).sort())
    }
})

/** What a DSN means, with its secrets, but without the words of its scheme. */
function meaningOf(dsn: string) {
  const parsed = parseDsn(dsn, everything)
  if ('members' in parsed) return assert.fail(dsn)
  const inspection = inspectDsn(dsn, everything)
  const { kind, provider, host, port, tls, username } = inspection.valid
    ? inspection.transport
    : assert.fail(inspection.error)
  const rate = parsed.kind === 'api' ? parsed.maxPerSecond : null
  const secrets = new Set(parsed.secrets.map((secret) => secret.reveal()))
  // Not a secret, but in the user or password part.
  for (const value of ['resend', 'mg.example.com']) secrets.delete(value)
  return { kind, provider, host, port, tls, username, rate, secrets }
}

const pluginDsns = [
  'mautic+ses+api://KEY:SECRET@default?region=eu-central-1&ratelimit=14',
  'mautic+ses+api://KEY:SECRET@default?endpoint=https://mail.example.com:8443/',
  'mautic+sparkpost+api://:KEY@default:465?region=eu',
  'mautic+mailgun+api://:KEY@default?domain=mg.example.com&maxBatchLimit=5',
  'mautic+postmark+api://:KEY@default:25?messageStream=broadcast',
  'mautic+mailjet+smtp://AK:SK@default:465',
  'mautic+omnivery+api://:KEY@mail.example.com?domain=mg.example.com',
  'postal+api://:KEY@postal.example.com',
  'smtp://me%40example.com@smtp.office365.com:587?accessToken=ya29.x',
  'smtp://user:p%2Bs%20s@smtp.gmail.com:587',
]

test('a DSN from a README or of a plug-in means the same after it went through its form', () => {
  const readmes = providers.flatMap(({ name }) => {
    const text = readFileSync(new URL(`../providers/${name}/README.md`, import.meta.url), 'utf8')
    return [...text.matchAll(/^(\S+:\/\/\S+@\S+)$/gm)].map(([dsn]) => dsn)
  })
  assert.ok(readmes.length > 30)
  for (const dsn of [...readmes, ...pluginDsns]) {
    const form = readDsnForm(dsn) ?? assert.fail(dsn)
    assert.deepEqual(meaningOf(build(form)), meaningOf(dsn), dsn)
  }
})

test('options that a form does not have are kept', () => {
  const dsn = 'smtp://h.example.com:25?peer_fingerprint[sha256]=ab&__proto__=1&user=x&unknown=1'
  const fields = readDsnForm(dsn)?.fields ?? {}
  assert.deepEqual(Object.keys(fields).sort(), [
    '__proto__',
    'host',
    'peer_fingerprint[sha256]',
    'port',
    'unknown',
  ])
})

test('lists are read and built with their members, in order', () => {
  const dsn =
    'failover(ses+api://K:S%2F@default roundrobin(smtp://u:p%29@a.example.com:587 null://null))?retry_period=9'
  const form = readDsnForm(dsn)
  assert.deepEqual([form?.provider, form?.fields], ['failover', { retry_period: 9 }])
  assert.deepEqual(
    form?.members[1]?.members.map(({ provider }) => provider),
    ['smtp', 'null'],
  )
  assert.equal(form === null ? '' : build(form), dsn)
})

test('every fault is reported by the name of its field', () => {
  assert.deepEqual(faultsOf({ provider: 'mail-gun' }), {
    provider: ['is not known; GET /api/multipleTransports/providers lists them'],
  })
  assert.deepEqual(faultsOf({ provider: 'mailgun', variant: 'ftp' }), {
    variant: ['must be one of api, smtp'],
  })
  const smtp = { provider: 'smtp', fields: { host: 'https://x', port: 0, max_per_second: 'many' } }
  assert.deepEqual(Object.keys(faultsOf(smtp)).sort(), ['host', 'max_per_second', 'port'])
  const option = { provider: 'ses', fields: { user: 'K', password: 'S', region: 'eu west' } }
  assert.deepEqual(Object.keys(faultsOf(option)), ['region'])
  const key = { provider: 'azure', fields: { user: 'resource', password: 'not base64!' } }
  assert.deepEqual(Object.keys(faultsOf(key)), ['password'])
  const control = { provider: 'smtp', fields: { host: 'a.example.com', user: 'a\r\nb' } }
  assert.deepEqual(Object.keys(faultsOf(control)), ['user'])
})

test('the faults of members have the path of the member', () => {
  const sweego = { provider: 'sweego', variant: 'smtp', fields: { host: 'h.example.com' } }
  const members = [{ provider: 'inbox' }, sweego]
  assert.deepEqual(Object.keys(faultsOf({ provider: 'failover', members })), [
    'members.1.port',
    'members.1.user',
    'members.1.password',
  ])
  const region = { provider: 'ses', fields: { user: 'K', password: 'S', region: '..' } }
  assert.deepEqual(Object.keys(faultsOf({ provider: 'roundrobin', members: [region] })), [
    'members.0.region',
  ])
  assert.deepEqual(faultsOf({ provider: 'failover' }), { members: ['must have 1 entry or more'] })
  const many = Array.from({ length: 21 }, () => ({ provider: 'null' }))
  assert.match(
    String(faultsOf({ provider: 'failover', members: many })['provider']),
    /20 are allowed/,
  )
})

test('a masked DSN keeps its masks, and the stored secret is used for the check only', () => {
  const stored = 'azure+api://resource:c2FtcGxl@default'
  const form = readDsnForm(maskDsn(stored))
  assert.equal(form?.fields['password'], secretMask)
  const built = buildDsnForm({ ...form, provider: 'azure' }, { stored })
  assert.deepEqual(built, { mailerDsn: `azure+api://resource:${secretMask}@default` })
  const unknown = buildDsnForm({ ...form, provider: 'azure' })
  assert.ok('details' in unknown)
})

test('a text that is not a DSN has no form', () => {
  for (const text of ['', 'smtp://', 'ftp://h', 'failover(x', 'failover(ftp://h)'])
    assert.equal(readDsnForm(text), null)
})

test('the command and the inbox are offered only where they are configured', () => {
  const names = (options = {}) => describeProviders(options).map(({ name }) => name)
  assert.ok(!names().includes('sendmail') && !names().includes('inbox'))
  assert.ok(names(everything).includes('sendmail') && names(everything).includes('inbox'))
})
