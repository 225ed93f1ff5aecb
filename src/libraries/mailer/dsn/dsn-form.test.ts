import assert from 'node:assert/strict'
import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { FieldDescription } from '../providers/provider-form.ts'
import { providers } from '../providers/registry.ts'
import { secretMask } from '../secret.ts'
import { buildDsnForm, type DsnFormInput } from './build-dsn-form.ts'
import { describeProviders } from './describe-providers.ts'
import { readDsnForm } from './dsn-form.ts'
import { inspectDsn } from './inspect-dsn.ts'
import { maskDsn } from './mask-dsn.ts'
import { parseDsn } from './parse-dsn.ts'

const everything = { hasCommand: true, hasInbox: true }

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const derKey = privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64')

/** The example of a private key is only its beginning. */
const exampleOf = ({ name, example }: FieldDescription) => (name === 'key' ? derKey : example)

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

for (const { name, variants, kind } of describeProviders(everything))
  for (const variant of variants)
    test(`${name} ${variant.name}: the examples of its fields make a DSN with the same values`, () => {
      const fields: Record<string, string | number | boolean> = {}
      for (const field of variant.fields) {
        const example = exampleOf(field)
        const { type } = field
        fields[field.name] =
          type === 'number' ? Number(example) : type === 'boolean' ? example === '1' : example
      }
      const members = kind === 'list' ? [{ provider: 'null' }, { provider: 'inbox' }] : []
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
  for (const { name, variants, kind } of describeProviders(everything))
    for (const variant of variants) {
      const required = variant.fields.filter((field) => field.required)
      const fields = Object.fromEntries(required.map((field) => [field.name, exampleOf(field)]))
      const members = kind === 'list' ? [{ provider: 'null' }] : []
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
  const memberProviders = form?.members[1]?.members.map(({ provider }) => provider)
  assert.deepEqual(memberProviders, ['smtp', 'null'])
  assert.equal(form === null ? '' : build(form), dsn)
})

test('every fault is reported by the name of its field', () => {
  const microsoft = { user: 'ID', password: 'SECRET', tenantId: 'example.com' }
  const oauth = { host: 'mail.example.com', user: 'ID', password: 'SECRET' }
  const faulty: [input: DsnFormInput, fields: string[]][] = [
    [{ provider: 'mail-gun' }, ['provider']],
    [{ provider: 'mailgun', variant: 'ftp' }, ['variant']],
    [
      { provider: 'smtp', fields: { host: 'https://x', port: 0, max_per_second: 'many' } },
      ['host', 'max_per_second', 'port'],
    ],
    [{ provider: 'smtp', fields: { host: 'a.example.com', user: 'a\r\nb' } }, ['user']],
    [{ provider: 'ses', fields: { user: 'K', password: 'S', region: 'eu west' } }, ['region']],
    [{ provider: 'azure', fields: { user: 'resource', password: 'not base64!' } }, ['password']],
    [{ provider: 'office365' }, ['password', 'tenantId', 'user']],
    [{ provider: 'office365', fields: { ...microsoft, tenantId: 'a/b' } }, ['tenantId']],
    [{ provider: 'office365', fields: { ...microsoft, mailbox: 'shop' } }, ['mailbox']],
    [{ provider: 'office365', fields: { ...microsoft, authEndpoint: 'a/b' } }, ['authEndpoint']],
    [{ provider: 'gmail', fields: { user: 'ID', password: 'SECRET' } }, ['refreshToken']],
    [
      { provider: 'smtp', variant: 'oauth', fields: { ...oauth, tokenUrl: 'http://x.example/' } },
      ['tokenUrl'],
    ],
  ]
  for (const [input, fields] of faulty)
    assert.deepEqual(Object.keys(faultsOf(input)).sort(), fields, JSON.stringify(input))
})

test('a faulty key of a service account is reported at its field', () => {
  const faultOf = (key: string) => {
    const fields = { user: 'mailyard@sample.iam.gserviceaccount.com', key }
    const faults = faultsOf({ provider: 'gmail', variant: 'serviceAccount', fields })
    assert.deepEqual(Object.keys(faults), ['key'])
    return String(faults['key'])
  }
  assert.equal(faultOf(''), 'is required')
  for (const key of ['no key', pem.slice(0, 400), '{"private_key": 1}'])
    assert.match(faultOf(key), /must be the private key of the service account/, key)
  const small = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey
  const smallPem = small.export({ type: 'pkcs8', format: 'pem' }).toString()
  assert.match(faultOf(smallPem), /must be an RSA key of 2048 bits or more/)
})

test('a key is taken as it is pasted: a PEM text, the key file, or base64, with line ends or without', () => {
  const file = JSON.stringify({ type: 'service_account', private_key: pem }, null, 2)
  const oneLine = (text: string) => text.replaceAll('\n', ' ')
  const pasted = [
    pem,
    oneLine(pem),
    pem.replaceAll('\n', ''),
    pem.replaceAll('\n', String.raw`\n`),
    file,
    oneLine(file),
    derKey,
  ]
  const wrapped = [pem, file].map((text) =>
    Buffer.from(text).toString('base64').replace(/.{76}/g, '$&\r\n'),
  )
  for (const key of [...pasted, ...wrapped, ` ${derKey}\n`]) {
    const fields = { user: 'mailyard@sample.iam.gserviceaccount.com', key }
    const dsn = build({ provider: 'gmail', variant: 'serviceAccount', fields })
    const parsed = parseDsn(dsn)
    const grant = 'settings' in parsed ? parsed.settings.oauth?.grant : undefined
    assert.ok(grant?.type === 'jwt_bearer')
    assert.ok(createPrivateKey(grant.key.reveal()).equals(privateKey), key)
  }
})

test('the option key tells a service account of Google from an OAuth client', () => {
  for (const [query, variant, ...fields] of [
    [`key=${encodeURIComponent(derKey)}`, 'serviceAccount', 'user', 'key'],
    ['key=********&mailbox=a%40b.example', 'serviceAccount', 'user', 'key', 'mailbox'],
    ['refreshToken=T', 'oauth', 'user', 'refreshToken'],
    ['key=&refreshToken=T', 'oauth', 'user', 'refreshToken'],
    ['', 'oauth', 'user'],
  ]) {
    const form = readDsnForm(`gmail+oauth://ID@default?${query}`)
    assert.deepEqual([form?.variant, ...Object.keys(form?.fields ?? {})], [variant, ...fields])
  }
})

test('OAuth comes first at Microsoft 365 and Google, which come before the other providers', () => {
  const forms = describeProviders().filter(({ kind }) => kind === 'provider')
  const first = forms.slice(0, 2).map(({ name, variants: [variant] }) => `${name} ${variant?.name}`)
  assert.deepEqual(first, ['office365 oauth', 'gmail oauth'])
})

test('the placeholders of set-up steps are fields of the variant, none is a secret, and a copied line has no line end', () => {
  for (const { name, variants } of describeProviders(everything))
    for (const { fields, steps } of variants)
      for (const { text, lines } of steps) {
        // A line end in a copied line would run what stands before it.
        for (const line of lines) assert.doesNotMatch(line, /[\r\n]/)
        for (const [, placeholder] of [text, ...lines].join('\n').matchAll(/\{(\w+)\}/g)) {
          const field = fields.find((each) => each.name === placeholder)
          assert.ok(field !== undefined && field.type !== 'password', `${name}: ${placeholder}`)
        }
      }
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

test('blanks around an option are dropped; those of a password are kept', () => {
  const fields = { user: 'ID', password: ' S ', refreshToken: ' 1//T ' }
  assert.equal(
    build({ provider: 'gmail', fields }),
    'gmail+oauth://ID:%20S%20@default?refreshToken=1%2F%2FT',
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
