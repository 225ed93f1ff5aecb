import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { DsnError } from '../grammar/dsn.ts'
import { buildDsn } from './build-dsn.ts'
import { type DsnInspection, inspectDsn } from './inspect-dsn.ts'
import { type ParseDsnOptions, parseDsn } from './parse-dsn.ts'
import type { ParsedSmtpDsn } from './parsed-dsn.ts'

function parseSmtp(text: string): ParsedSmtpDsn {
  const parsed = parseDsn(text)
  assert.ok(parsed.kind === 'smtp')
  return parsed
}

function errorOf(text: string, options?: ParseDsnOptions): string {
  const inspection = inspectDsn(text, options)
  return inspection.valid ? assert.fail('accepted') : inspection.error
}

function validOf(text: string): Extract<DsnInspection, { valid: true }> {
  const inspection = inspectDsn(text)
  return inspection.valid ? inspection : assert.fail(inspection.error)
}

test('STARTTLS is required at a known provider with every scheme', () => {
  for (const host of [
    'smtp.gmail.com',
    'smtp.office365.com',
    'smtp.sendgrid.net',
    'email-smtp.eu-central-1.amazonaws.com',
    'SMTP.Postmarkapp.com',
  ])
    assert.equal(parseSmtp(`smtp://u:p@${host}:587`).settings.tls, 'starttls', host)
  const { tls } = parseSmtp('smtp://ec2-1-2-3-4.compute.amazonaws.com:587').settings
  assert.equal(tls, 'opportunistic')
})

test('user and password are percent-decoded, and a plus stays a plus', () => {
  const { settings } = parseSmtp(
    'smtp://john@example.com:p+a%20s%3As:%2F%25%zz@mail.example.com:25',
  )
  assert.equal(settings.credentials?.user.reveal(), 'john@example.com')
  assert.equal(settings.credentials?.password?.reveal(), 'p+a s:s:/%%zz')
})

test('an option is query-decoded, and the last of several counts', () => {
  const parsed = parseSmtp(
    'smtp://user@h.example.com:25?ping+threshold=1&ping.threshold=7&local_domain=a.example&accessToken=a+b%2Bc',
  )
  assert.equal(parsed.settings.pingAfterMs, 7000)
  assert.equal(parsed.settings.credentials?.accessToken?.reveal(), 'a b+c')
})

test('the error for a reserved character names its encoding and no secret', () => {
  const refusals: [string, string, string][] = [
    ['smtp://user:S3cr/et@mail.example.com:587', '"/"', '%2F'],
    ['smtp://user:S3cr#et@mail.example.com:587', '"#"', '%23'],
    ['smtp://user:S3cr?et@mail.example.com:587', '"?"', '%3F'],
    ['smtp://user:S3cr et@mail.example.com:587', 'a space', '%20'],
    ['smtp://user:S3cr)et@mail.example.com:587', '")"', '%29'],
    ['smtp://user:8080/S3cret@mail.example.com', '"/"', '%2F'],
    ['smtp://user:8080?S3cret@mail.example.com', '"?"', '%3F'],
    ['failover(smtp://u:S3cr(et@a.example.com:25 null://null)', '"("', '%28'],
    ['failover(smtp://u:S3cr)et@a.example.com:25 null://null)', '")"', '%29'],
    ['failover(smtp://u:S3cr/et@a.example.com:25 null://null)', '"/"', '%2F'],
    ['failover(smtp://u:S3c(r)et@a.example.com:25)', '")"', '%29'],
    ['smtp://u:p@h.example.com:25,smtp://u:S3cret@i.example.com', '', ''],
    ['ses+smtp://KEY:S3cr/et+x@default?region=us-east-1', '"/"', '%2F'],
    ['smtp://user:S3cr%0Aet@mail.example.com:587', 'a line feed', '%0A'],
    ['smtp://user:S3cr%00et@mail.example.com:587', 'a NUL', '%00'],
    ['smtp://user:S3cr\tet@mail.example.com:587', 'a tab', '%09'],
    ['smtp://user:S3cr%E4et@mail.example.com:587', 'UTF-8', '%C3%A4'],
  ]
  for (const [text, name, encoding] of refusals) {
    const error = errorOf(text)
    assert.ok(error.includes(name) && error.includes(encoding), `${text}: ${error}`)
    assert.ok(!error.includes('S3cr') && !error.includes('et@'), `${text}: ${error}`)
  }
})

test('a host name over the length limit is refused', () => {
  assert.throws(() => parseDsn(`smtp://${'a.'.repeat(130)}test`), /no host name has more than 253/)
})

test('return_path=on gives a warning where no one gives return paths', () => {
  const warningsOf = (hasReturnPaths: boolean, dsn: string) => {
    const warnings: string[] = []
    parseDsn(dsn, { hasReturnPaths, hasCommand: true, warnings })
    return warnings
  }
  for (const dsn of ['smtp://localhost:25?return_path=on', 'sendmail://default?return_path=on']) {
    assert.deepEqual(warningsOf(true, dsn), [])
    assert.match(warningsOf(false, dsn).join(), /^return_path=on .* MAILYARD_BOUNCE_ADDRESS/)
  }
})

test('inspectDsn describes the transport without its key', () => {
  assert.deepEqual(validOf('postmark+smtp://S3CRET@default?message_stream=broadcasts'), {
    valid: true,
    transport: {
      scheme: 'postmark+smtp',
      kind: 'smtp',
      provider: 'postmark',
      host: 'smtp.postmarkapp.com',
      port: 587,
      tls: 'starttls',
      username: null,
      options: { message_stream: 'broadcasts' },
      members: [],
    },
    warnings: [],
    endingLogins: [],
  })
})

test('inspectDsn describes a list with its members', () => {
  const { transport } = validOf('failover(smtp://u:p@a.example.com:25 null://null)')
  assert.equal(transport.kind, 'failover')
  assert.deepEqual(transport.options, { retry_period: '60' })
  assert.deepEqual(
    transport.members.map(({ kind, host, username }) => ({ kind, host, username })),
    [
      { kind: 'smtp', host: 'a.example.com', username: 'u' },
      { kind: 'null', host: null, username: null },
    ],
  )
})

test('a printed parsed DSN shows no secret', () => {
  for (const text of [
    'smtp://user:S3cret-1@h.example.com?accessToken=S3cret-2',
    'postmark+api://S3cret-1@default',
    'ses+api://KEY:S3cret-1@default?session_token=S3cret-2',
    'failover(gmail://u:S3cret-1@default postmark://S3cret-2@default)',
  ]) {
    const parsed = parseDsn(text)
    const shown = `${inspect(parsed, { depth: 20 })}${JSON.stringify(parsed)}`
    assert.doesNotMatch(shown, /S3cret/, text)
  }
})

test('source_ip is refused when other addresses are listed', () => {
  const sourceAddresses = ['2001:db8::1']
  const inspect = (dsn: string) => inspectDsn(dsn, { sourceAddresses })
  assert.ok(inspect('smtp://h.example.com?source_ip=[2001:DB8:0::1]').valid)
  assert.ok(inspect('smtp://h.example.com?source_ip=').valid)
  for (const dsn of [
    'smtp://h.example.com?source_ip=192.0.2.1',
    'failover(smtp://a.example.com gmail://u:p@default?source_ip=192.0.2.1)',
  ])
    assert.match(errorOf(dsn, { sourceAddresses }), /source_ip .* operator/, dsn)
  assert.ok(inspectDsn('smtp://h.example.com?source_ip=192.0.2.1').valid, 'without a list')
})

test('a built DSN means what its fields say', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter((value) => !hasControl(value))
  fc.assert(
    fc.property(text, text, text, (user, password, option) => {
      fc.pre(user !== '0')
      const options = { accessToken: option }
      const dsn = buildDsn({ scheme: 'smtp', host: 'h.example.com', user, password, options })
      for (const wrapped of [dsn, `failover(${dsn} null://null)`]) {
        const parsed = parseDsn(wrapped)
        const single = parsed.kind === 'failover' ? parsed.members[0] : parsed
        assert.ok(single?.kind === 'smtp')
        assert.equal(single.settings.credentials?.user.reveal(), user)
        assert.equal(single.settings.credentials?.password?.reveal(), password)
        assert.equal(single.settings.credentials?.accessToken?.reveal(), option)
      }
    }),
  )
})

function hasControl(value: string): boolean {
  // Lone surrogates have no UTF-8 form; encodeURIComponent throws for them.
  return /[\p{Cc}\ufffd]/u.test(value) || !value.isWellFormed()
}

test('a list has at most 20 transports, including those of nested lists', () => {
  const list = (count: number) => Array.from({ length: count }, () => 'null://null').join(' ')
  assert.equal(parseDsn(`failover(${list(20)})`).kind, 'failover')
  assert.equal(parseDsn(`failover(${list(10)} roundrobin(${list(10)}))`).kind, 'failover')
  for (const dsn of [`failover(${list(21)})`, `failover(${list(11)} roundrobin(${list(10)}))`])
    assert.match(errorOf(dsn), /has 21 transports; 20 are allowed/)
})

test('fields that make no valid DSN are refused', () => {
  assert.throws(() => buildDsn({ scheme: 'smtp', host: 'a@b' }), DsnError)
  assert.throws(() => buildDsn({ scheme: 'smtp', host: 'h', port: 70_000 }), DsnError)
  assert.throws(() => buildDsn({ scheme: 'failover', members: [] }), DsnError)
  assert.equal(buildDsn({ scheme: 'smtp', host: '::1', port: 25 }), 'smtp://[::1]:25')
})

test('any text is parsed or refused with a DsnError', () => {
  const words = ['smtp://', 'failover(', 'roundrobin(', 'null://null', 'a.example.com', '25']
  const values = ['retry_period=5', '********', '%0A']
  const parts = fc.constantFrom(...words, ...values, ...') @:/?#%[]=&\nä0')
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 12 }), (pieces) => {
      const inspection = inspectDsn(pieces.join(''))
      if (!inspection.valid) assert.match(inspection.error, /\.$/)
    }),
    { numRuns: 3000 },
  )
})

test('an API key with characters beyond ASCII is refused', () => {
  assert.match(
    errorOf('sendgrid+api://SG.%E2%80%93x@default'),
    /^The user part contains a character/,
  )
  assert.match(errorOf('ses+api://AKIA:s%C3%BC@default'), /^The password part contains a character/)
  assert.equal(inspectDsn('smtp://j%C3%BCrgen:s%C3%BC@mail.example.com').valid, true)
})
