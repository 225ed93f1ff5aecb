import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DsnError } from '../grammar/dsn.ts'
import { schemeNames } from '../providers/registry.ts'
import { inspectDsn } from './inspect-dsn.ts'
import { describeDsn, maskDsn, unmaskDsn } from './mask-dsn.ts'

// cspell:ignore smpt
function errorOf(text: string): string {
  const inspection = inspectDsn(text)
  assert.equal(inspection.valid, false, `${text} is accepted`)
  return inspection.valid ? '' : inspection.error
}

/** Typical mistakes, and what the error must say. */
const mistakes: [dsn: string, says: RegExp][] = [
  [
    'smpt://j0e:S3cret@mail.example.com',
    /Did you mean "smtp"\? The full list .* docs\/mailer\.md\./,
  ],
  ['ssl://mail.example.com', /Did you mean "smtps"\?/],
  ['sendgird+api://S3cret@default', /Did you mean "sendgrid\+api"\?/],
  ['ses-smtp://KEY:S3cret@default', /Did you mean "ses\+smtp"\?/],
  ['SMPT://mail.example.com', /Did you mean "smtp"\?/],
  ['smpt://j0e:S3cret@mail.example.com:99999', /Did you mean "smtp"\?/],
  ['mailgun+foo://u:p@default', /mailgun\+smtp/],
  ['failover(smpt://a.example.com null://null)', /Did you mean "smtp"\?/],
  ['imap://mail.example.com', /There are .*smtp.* docs\/mailer\.md/],
  ['failover(a, b)', /comma .* failover\(…\); members are separated by spaces/],
  ['failover(smtp://a.example.com:25, smtp://b.example.com:25)', /comma .*separated by spaces/],
  ['failover(smtp://a.example.com?ping_threshold=5, null://null)', /separated by spaces/],
  ['roundrobin(smtp://a.example.com:25,smtp://u:S3cret@b.example.com)', /separated by spaces/],
  ['roundrobin(null://null,failover(null://null null://null))', /separated by spaces/],
  ['roundrobin(failover(null://null null://null), null://null)', /separated by spaces/],
  ['round-robin(null://null null://null)', /failover\( or roundrobin\(/],
  ['failover (null://null null://null)', /without a space/],
  ['Failover(null://null null://null)', /in lower case/],
  ['"smtp://j0e:S3cret@mail.example.com"', /remove the quotes/],
  ['\u201csmtp://j0e:S3cret@mail.example.com\u201d', /remove the quotes/],
  ['MAILER_DSN=smtp://j0e:S3cret@mail.example.com', /remove everything before the scheme/],
  ['smtp:j0e:S3cret@mail.example.com', /"\/\/|":\/\/"/],
  ['smtp:/mail.example.com', /":\/\/"/],
  ['j0e:S3cret@mail.example.com:587', /scheme, ":\/\/" and a host/],
  ['mail.example.com', /must begin with a scheme/],
  ['mail.example.com:587', /must begin with a scheme/],
  [' smtp://mail.example.com', /space/],
  ['smtp://mail.example.com ', /space/],
  ['smtp://j0e:S3cret', /port must be a number.*"@" and the host are missing/],
  ['smtp://mail.example.com:submission', /port must be a number/],
  ['smtp://mail.example.com:99999', /1 to 65535/],
  ['smtp://mail.example.com:0', /1 to 65535/],
  ['smtp://%5B%3A%3A1%5D:25', /percent-encoded/],
  ['smtp://::1:25', /bracket|":"/],
  ['smtp://[::g]:25', /IPv6/],
  ['smtp://', /must name a host, as in/],
  ['smtp://j0e:S3cret@:587', /must name a host, as in/],
  ['SMTP://j0e:S3cret@mail.example.com', /lower case: "smtp"/],
]

for (const [dsn, says] of mistakes)
  test(`${JSON.stringify(dsn)} gives an error that says what to change and shows no secret`, () => {
    const error = errorOf(dsn)
    assert.match(error, says)
    assert.doesNotMatch(error, /S3c|j0e|KEY/)
  })

test('every scheme is suggested when two of its letters are swapped', () => {
  for (const name of schemeNames().filter((each) => each.length > 3)) {
    const swapped = `${name[1]}${name[0]}${name.slice(2)}`
    if (swapped === name) continue
    const error = errorOf(`${swapped}://j0e:S3cret@mail.example.com`)
    assert.match(error, /Did you mean /, swapped)
    assert.ok(error.includes(name), `${swapped}: ${error}`)
  }
})

/** Ten times the limit of the API: a pattern that looks at each character again for each other one takes minutes. */
const length = 160_000

function repeat(unit: string, before = 'smtp://u:p@h.example.com?', after = ''): string {
  const count = Math.floor((length - before.length - after.length) / unit.length)
  return before + unit.repeat(count) + after
}

function numbered(unit: (index: number) => string): string {
  let text = 'smtp://u:p@h.example.com?'
  for (let index = 0; text.length < length; index += 1) text += unit(index)
  return text
}

const longDsns = [
  repeat('&a=b'),
  repeat('&a'),
  numbered((index) => `&a${index}=b`),
  numbered((index) => `&a${index}=`),
  numbered((index) => `&peer_fingerprint[${index}]=a`),
  repeat('&max_per_second=1'),
  numbered((index) => `&a${index}=********`),
  repeat('&='),
  repeat('%', 'smtp://u:', '@h'),
  repeat('%41', 'smtp://u:', '@h'),
  repeat('@', 'smtp://'),
  repeat('('),
  repeat('(', 'smtp://u:', '@h'),
  repeat('[', 'smtp://h?'),
  repeat(':', 'smtp://'),
  repeat('/', 'smtp://u:p@h'),
  repeat('a://b ', 'failover(', ')'),
  repeat('smtp://a?a=b ', 'failover(', ')'),
  repeat('failover(', ''),
  repeat('failover(null://a ', ''),
  repeat(',a', 'failover('),
  repeat('?retry_period=1', 'failover(null://a)'),
]

test('a long DSN is parsed, masked and unmasked in linear time', () => {
  for (const dsn of longDsns) {
    inspectDsn(dsn)
    describeDsn(dsn)
    const masked = maskDsn(dsn)
    refusedOrDone(() => unmaskDsn(masked, dsn))
    refusedOrDone(() => unmaskDsn(dsn, masked))
  }
})

test('lists are nested 20 deep at most', () => {
  const nested = (depth: number) => `${'failover('.repeat(depth)}null://null${')'.repeat(depth)}`
  assert.equal(inspectDsn(nested(20)).valid, true)
  for (const depth of [21, 1_600, 100_000])
    assert.match(errorOf(nested(depth)), /nested more than 20 deep/)
})

function refusedOrDone(act: () => unknown): void {
  try {
    act()
  } catch (error) {
    if (!(error instanceof DsnError)) throw error
  }
}
