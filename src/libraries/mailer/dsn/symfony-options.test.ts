import assert from 'node:assert/strict'
import { test } from 'node:test'
import { providers } from '../providers/registry.ts'
import { smtpScheme } from '../providers/smtp-scheme.ts'
import { messageWith, requestOf } from '../testing/api-provider.case.test.ts'
import { inspectDsn } from './inspect-dsn.ts'
import { parseDsn } from './parse-dsn.ts'

const digest = 'ab'.repeat(32)

/**
 * Each option of Symfony Mailer 8.2, of Mautic's plug-ins and of Mailyard, and what it does: settings of SMTP or of a
 * list, a part of the request to an API, or a warning or an error.
 */
const rows: [dsn: string, effect: object | string | RegExp][] = [
  // Host and port, too, select the TLS mode.
  ['smtp://localhost', { port: 25, tls: 'opportunistic' }],
  ['smtp://LOCALHOST', { port: 465, tls: 'implicit' }],
  ['smtp://127.0.0.1', { port: 465, tls: 'implicit' }],
  ['smtp://h.example.com:465', { port: 465, tls: 'implicit' }],
  ['smtp://h.example.com:587', { port: 587, tls: 'opportunistic' }],
  ['smtp://mäil.example.com', { host: 'xn--mil-qla.example.com' }],
  ['smtp://u:p@h.example.com:587', /sent unencrypted .* add require_tls=1/],
  ['smtp://u:p@h.example.com:587?require_tls=1', { tls: 'starttls' }],
  ['smtp://u:p@smtp.sendgrid.net:587', { tls: 'starttls' }],
  ['smtp://u:p@[::1]:587', { tls: 'opportunistic' }],
  ['smtp://u:p@localhost:1025', { tls: 'opportunistic' }],
  ['smtp://h.example.com?auto_tls=0', { port: 25, tls: 'none' }],
  ['smtp://localhost:25?auto_tls=0', { port: 25, tls: 'none' }],
  ['smtps://h.example.com?auto_tls=0', { port: 465, tls: 'implicit' }],
  ['smtps://h.example.com:2465', { port: 2465, tls: 'implicit' }],
  ['smtps://h.example.com?verify_peer=0', /verify_peer is off/],
  [
    `smtps://h.example.com?verify_peer=0&peer_fingerprint[sha256]=${digest}`,
    { trust: { isVerified: false, fingerprints: [{ algorithm: 'sha256', hex: digest }] } },
  ],
  ['smtp://h.example.com?local_domain=mta.example.org', { localDomain: 'mta.example.org' }],
  ['smtp://h.example.com?local_domain=192.0.2.1', { localDomain: '[192.0.2.1]' }],
  ['smtp://h.example.com?max_per_second=0.5', { maxPerSecond: 0.5 }],
  ['smtp://h.example.com?restart_threshold=0', { messagesPerConnection: Infinity }],
  ['smtp://a.example?restart_threshold=9&restart_threshold_sleep=2', { restartPauseMs: 2000 }],
  ['smtp://h.example.com?ping_threshold=7', { pingAfterMs: 7000 }],
  ['smtp://h.example.com?source_ip=[2001:db8::1]', { sourceAddress: '2001:db8::1' }],
  ['smtp://h.example.com?dkim=off', { signsDkim: false }],
  ['smtp://h.example.com?return_path=on', { hasReturnPath: true }],
  [
    'roundrobin(failover(null://a null://b)?retry_period=15 null://c)?retry_period=90',
    { retryPeriodMs: 90_000, members: [{ retryPeriodMs: 15_000 }, { kind: 'null' }] },
  ],
  ['sendmail://default?command=/bin/true%20-t', /runs a command of this machine/],
  // What Symfony 4.4 and Swift Mailer removed, and typing mistakes.
  ['smtp://h.example.com?encryption=ssl', /Write smtps:\/\/, or require_tls=1/],
  ['smtp://h.example.com?auth_mode=login', /auth_mode" is not known for smtp and is ignored/],
  ['smtp://h.example.com?Ping_Threshold=5', /is ignored\. Did you mean "ping_threshold"\?/],
  // A preset has its TLS, and takes the options of a session, which Symfony ignores there.
  ['mandrill+smtp://U:P@default?verify_peer=0', /verify_peer" is not known for mandrill\+smtp/],
  ['mandrill+smtp://U:P@default?local_domain=a.example', { localDomain: 'a.example' }],
  ['ses+smtp://U:P@default?ping_threshold=5', { pingAfterMs: 5000 }],
  ['ses+smtp://U:P@default?session_token=T', /session_token" is not known for ses\+smtp/],
  ['ses+smtp://U:P@default?tenant=a_b', { headers: [['X-SES-TENANT', 'a_b']] }],
  ['ses+api://K:S@default?tenant=a_b', '"TenantName":"a_b"'],
  ['ses+api://K:S@default?session_token=T0KEN', '"x-amz-security-token":"T0KEN"'],
  ['ses+api://K:S@default?region=eu-west-2&max_per_second=2', '//email.eu-west-2.amazonaws.com/'],
  ['mautic+ses+api://K:S@default?endpoint=a.example&ratelimit=14', '//a.example/'],
  ['sendgrid+api://K@default?region=eu', '//api.eu.sendgrid.com/'],
  ['mailgun+api://K:a.example@default?region=eu', '//api.eu.mailgun.net/'],
  ['mautic+mailgun+api://:K@default?domain=a.example&maxBatchLimit=5', '/v3/a.example/'],
  ['omnivery+api://K@default?domain=a.example', '/v3/a.example/'],
  ['scaleway+api://P:S@default?region=nl-ams', '/regions/nl-ams/'],
  ['sparkpost+api://K@default?region=eu', '//api.eu.sparkpost.com/'],
  ['postmark+api://T@default?message_stream=news', '"MessageStream":"news"'],
  ['mautic+postmark+api://:T@default?messageStream=news', '"MessageStream":"news"'],
  [
    'postmark+smtp://T@default?message_stream=news',
    { headers: ['X-PM-KeepID:true', 'X-PM-Message-Stream:news'].map((line) => line.split(':')) },
  ],
  ['mailjet+api://A:S@default?sandbox=1', '"SandboxMode":true'],
  ['mailtrap+sandbox://T@default?inboxId=123', '/api/send/123'],
  ['mailersend+api://T@default?headers=0', '/v1/email'],
  ['azure+api://r:a2V5@default?api_version=2023-03-31', '?api-version=2023-03-31'],
  ['azure+api://r:a2V5@default?disable_tracking=1', '"userEngagementTrackingDisabled":true'],
  ['azure+api://r:a2V5@default?disable_tracking=false', '"userEngagementTrackingDisabled":false'],
  ['microsoftgraph+api://A:S@default?tenantId=t&noSave=1', '"saveToSentItems":false'],
  ['microsoftgraph+api://A:S@a.example?tenantId=t&authEndpoint=b.example', '//a.example/'],
  ['ahasend+api://K:ACCOUNT@default', '/accounts/ACCOUNT/'],
]

for (const [dsn, effect] of rows)
  test(`${dsn}: ${effect instanceof RegExp ? effect : JSON.stringify(effect)}`, async () => {
    const inspection = inspectDsn(dsn)
    const warnings = inspection.valid ? inspection.warnings.join(' ') : inspection.error
    if (effect instanceof RegExp) return assert.match(warnings, effect)
    assert.equal(warnings, '')
    const parsed = parseDsn(dsn)
    if (typeof effect === 'object')
      return assert.partialDeepStrictEqual(
        parsed.kind === 'smtp' ? parsed.settings : parsed,
        effect,
      )
    const { url, headers, body } = await requestOf(dsn, messageWith(), 'TOKEN')
    const request = `${url} ${JSON.stringify(headers)} ${body.toString()}`
    assert.ok(request.includes(effect), request)
  })

test('the table has every option that a scheme without OAuth reads', () => {
  const schemes = [smtpScheme, ...providers.flatMap((provider) => provider.schemes)]
  const missing = schemes
    .filter(({ names }) => !names.some((name) => name.endsWith('+oauth')))
    .flatMap(({ publicOptions = [] }) => publicOptions)
    .filter((name) => !rows.some(([dsn]) => new RegExp(`[?&]${name}[=[]`).test(dsn)))
  assert.deepEqual(missing, [])
})
