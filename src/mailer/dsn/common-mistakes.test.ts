import assert from 'node:assert/strict'
import { test } from 'node:test'
import { schemeNames } from '../providers/registry.ts'
import { inspectDsn } from './inspect-dsn.ts'

function errorOf(text: string): string {
  const inspection = inspectDsn(text)
  assert.equal(inspection.valid, false, `${text} is accepted`)
  return inspection.valid ? '' : inspection.error
}

/** What a new user writes, and what the answer must say. */
const mistakes: [dsn: string, says: RegExp][] = [
  ['smpt://j0e:S3cret@mail.example.com', /Did you mean smtp\? The full list .* docs\/mailer\.md\./],
  ['stmp://mail.example.com', /Did you mean smtp\?/],
  ['smtp+tls://mail.example.com', /Did you mean smtps\?/],
  ['ssl://mail.example.com', /Did you mean smtps\?/],
  ['sendgird+api://S3cret@default', /Did you mean sendgrid\+api\?/],
  ['ses-smtp://KEY:S3cret@default', /Did you mean ses\+smtp\?/],
  ['mailgun+smpt://u:S3cret@default', /Did you mean mailgun\+smtp\?/],
  ['SMPT://mail.example.com', /Did you mean smtp\?/],
  ['failover(smpt://a.example.com null://null)', /Did you mean smtp\?/],
  ['imap://mail.example.com', /There are .*smtp.* docs\/mailer\.md/],
  ['failover(a, b)', /comma .* failover\(…\); members are separated by spaces/],
  ['failover(smtp://a.example.com:25, smtp://b.example.com:25)', /comma .*separated by spaces/],
  ['failover(smtp://a.example.com?ping_threshold=5, null://null)', /separated by spaces/],
  ['roundrobin(smtp://a.example.com:25,smtp://u:S3cret@b.example.com)', /separated by spaces/],
  ['roundrobin(null://null,failover(null://null null://null))', /separated by spaces/],
  ['roundrobin(failover(null://null null://null), null://null)', /separated by spaces/],
  ['round-robin(null://null null://null)', /failover\( or roundrobin\(/],
  ['failover (null://null null://null)', /without a blank/],
  ['Failover(null://null null://null)', /in lower case/],
  ['"smtp://j0e:S3cret@mail.example.com"', /remove the quotes/],
  ["'smtp://j0e:S3cret@mail.example.com'", /remove the quotes/],
  ['\u201csmtp://j0e:S3cret@mail.example.com\u201d', /remove the quotes/],
  ['MAILER_DSN=smtp://j0e:S3cret@mail.example.com', /remove everything before the scheme/],
  ['smtp:j0e:S3cret@mail.example.com', /"\/\/|":\/\/"/],
  ['smtp:/mail.example.com', /":\/\/"/],
  ['j0e:S3cret@mail.example.com:587', /scheme, ":\/\/" and a host/],
  ['mail.example.com', /must begin with a scheme/],
  ['mail.example.com:587', /must begin with a scheme/],
  [' smtp://mail.example.com', /blank/],
  ['smtp://mail.example.com ', /blank/],
  ['smtp://j0e:S3c ret@mail.example.com', /a blank.*%20/],
  ['smtp://j0e:S3c#ret@mail.example.com', /"#".*%23/],
  ['smtp://j0e:S3c/ret@mail.example.com', /"\/".*%2F/],
  ['smtp://j0e:S3cret%E4@mail.example.com', /%25/],
  ['smtp://j0e:S3cret', /port must be a number.*"@" and the host are missing/],
  ['smtp://mail.example.com:submission', /port must be a number/],
  ['smtp://mail.example.com:99999', /1 to 65535/],
  ['smtp://', /must name a host, as in/],
  ['smtp://j0e:S3cret@', /must name a host, as in/],
  ['smtp://j0e:S3cret@:587', /must name a host, as in/],
  ['SMTP://j0e:S3cret@mail.example.com', /lower case: "smtp"/],
]

for (const [dsn, says] of mistakes)
  test(`${JSON.stringify(dsn)} is answered with what to change, and no secret`, () => {
    const error = errorOf(dsn)
    assert.match(error, says)
    assert.doesNotMatch(error, /S3c|j0e|KEY/)
  })

test('every scheme is suggested for two of its letters that changed places', () => {
  for (const name of schemeNames().filter((each) => each.length > 3)) {
    const swapped = `${name[1]}${name[0]}${name.slice(2)}`
    if (swapped === name) continue
    const error = errorOf(`${swapped}://j0e:S3cret@mail.example.com`)
    assert.match(error, /Did you mean /, swapped)
    assert.ok(error.includes(name), `${swapped}: ${error}`)
  }
})
