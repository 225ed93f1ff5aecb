import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspectDsn } from './inspect-dsn.ts'

/** What the one warning says; without a text there is none. */
const cases = `
ses+api://K:S3cret@default:25 => Port 25 is not one of HTTPS
ses+api://K:S3cret@default:465?region=eu-central-1 => HTTPS, which ses+api uses; leave the port out
sendgrid+api://S3cret@default:587 => HTTPS
sendgrid+api://S3cret@default:2525 => HTTPS
mailgun+api://S3cret:d.test@default:80 => HTTPS
mailgun+api://S3cret:d.test@default?region=asia => option region is none of mailgun; write one such as us or eu
ses+smtp://K:S3cret@default?region=europe => region is none of ses
ses+api://K:S3cret@default?region=ap-southeast-7
smtp2go+smtp://u:p@default?region=mars => region is none of smtp2go
sendgrid+api://$SENDGRID_KEY@default => user has a variable, which is not replaced
smtp://u:a\${PASS}@localhost:1025 => password has a variable
smtp://u:a$B@localhost:1025
ses+api://K:S@localhost:4566?region=us-east-1
ses+smtp://K:S3cret@default:587
mandrill+smtp://U:S3cret@default:25 => port of the DSN is not used: mandrill+smtp always connects to 587
ses+smtp://K:S3cret@default:465
mandrill+smtp://U:S3cret@smtp.example.com => always connects to smtp.mandrillapp.com; write
smtp://mail.example.com:993 => Port 993 is not one of SMTP; write 587
smtp://mail.example.com:443 => not one of SMTP
smtps://u:S3cret@mail.example.com:587 => begins without TLS, and smtps with it; write smtp://
smtp://mail.example.com:465?auto_tls=0 => leave out auto_tls=0
smtps://u:S3cret@mail.example.com:2465
null://u:S3cret@null => null:// has no server; leave out
null://null:25 => leave out user, password and port
null://default
ses+api://K:S@default?session_token=S3cret/c+d== => option session_token has a space
ses+api://K:S@default?session_token=S3cret%2Fc%2Bd==
ses+api://K:S3cret%20x@default => password has a space, which no key has; write "+" as %2B
ses+smtp://K:S3cret%20x@default => password has a space
ses+smtp://K:a+b@default
sendgrid+api://S3cret%20x@default => user has a space
smtp://u:two%20words@localhost:1025
ses+api://K:S@default?session_token=S3cret#x => write "#" as %23
ses+api://K:S@default/S3cret?region=us-east-1 => path after the host is ignored
ses+api://K:S@email.us-east-1.amazonaws.com?region=eu-central-1 => eu-central-1; write "default"
ses+smtp://K:S@email-smtp.us-east-1.amazonaws.com?region=x => in us-east-1 and
ses+api://K:S@email.us-east-1.amazonaws.com
mailgun+api://S3cret:d.test@api.mailgun.net?region=eu => region is not used
mailgun+api://S3cret:d.test@default?region=eu
mautic+ses+api://K:S@localhost:25?region=eu-central-1
smtp://u:p@mail.example.com:587 => sent unencrypted when the server does not offer STARTTLS; add
smtps://u:p@h.example.com?verify_peer=0 => verify_peer is off
smtp://u:p@smtp.sendgrid.net:587
smtp://u:p@mail.example.com:587?require_tls=1
smtp://u:p@[::1]:587
smtps://h.example.com?verify_peer=0&peer_fingerprint=${'ab'.repeat(32)}
smtp://h.example.com:25?encryption=tls => option "encryption" is not known for smtp
`

test('a DSN that cannot work as it is written, or has a part that changes nothing, gives a warning that says what to write', () => {
  for (const line of cases.trim().split('\n')) {
    const [dsn = '', says] = line.split(' => ')
    const inspection = inspectDsn(dsn)
    const warnings = inspection.valid ? inspection.warnings : assert.fail(inspection.error)
    assert.equal(warnings.length, says === undefined ? 0 : 1, `${dsn} ${warnings.join(' ')}`)
    assert.ok(warnings.join().includes(says ?? ''), `${dsn} ${warnings.join()}`)
    assert.doesNotMatch(warnings.join(), /S3cret/)
  }
})
