import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { generalHints } from '../delivery/general-hints.ts'
import { createMailer } from '../mailer.ts'
import { createAuthority } from '../testing/certificates.case.test.ts'
import {
  type ScriptedServerOptions,
  startScriptedServer,
} from '../testing/smtp-server.case.test.ts'
import type { TestOptions, TestReport } from './test-report.ts'

const authority = createAuthority()
const addresses = { from: 'sender@example.com', to: 'jane@example.net' }
const mailer = createMailer({
  certificates: [authority.cert],
  // Every name is this machine, so that a provider's host can be played.
  lookup: async () => [{ address: '127.0.0.1', family: 4 }],
})

function stagesOf({ stages }: TestReport): string[] {
  return stages.map(({ stage, outcome }) => `${stage} ${outcome}`)
}

/** Tests a DSN with `PORT` against a server. */
async function testServer(
  options: ScriptedServerOptions,
  dsn = 'smtp://localhost:PORT',
  test: Partial<TestOptions> = {},
) {
  const server = await startScriptedServer(options)
  const report = await mailer.test(dsn.replaceAll('PORT', String(server.port)), {
    ...addresses,
    ...test,
  })
  await server.close()
  return { report, received: server.received }
}

/** STARTTLS with a certificate for a host. */
const startTls = (host: string, validity: { notAfter?: Date } = {}) =>
  ({ tls: 'starttls', certificate: authority.issue({ names: [host], ...validity }) }) as const

test('a successful test reports each step, the certificate and the replies of the server', async () => {
  const { report, received } = await testServer(
    {
      ...startTls('mail.example.com', { notAfter: new Date(Date.UTC(2099, 0, 31)) }),
      extensions: ['AUTH PLAIN'],
    },
    'smtp://user:secret-word@mail.example.com:PORT',
    { hasTranscript: true },
  )
  assert.equal(report.success, true, report.message)
  assert.match(
    report.message,
    /accepted the test message to jane@example\.net \(250 Ok: queued as TEST1\)/,
  )
  assert.deepEqual(stagesOf(report), [
    'parse ok',
    'resolve ok',
    'connect ok',
    'greeting ok',
    'ehlo ok',
    'tls ok',
    'auth ok',
    'sender ok',
    'recipient ok',
    'data ok',
  ])
  const tls = report.stages.find(({ stage }) => stage === 'tls')
  assert.match(
    tls?.detail ?? '',
    /^TLSv1\.3, TLS_\w+, certificate for mail\.example\.com by Test Authority, valid until 2099-01-31$/,
  )
  assert.ok(report.transcript.includes('> AUTH PLAIN ********'))
  assert.ok(report.transcript.includes('> MAIL FROM:<sender@example.com>'))
  assert.ok(report.transcript.includes('< 250 2.1.0 Ok'))
  assert.ok(!JSON.stringify(report).includes('secret-word'))
  assert.match(received[0]?.data ?? '', /To: jane@example\.net\r\nSubject: Test message\r\n/)
})

test('members are tested one after another, and those that were not reached are named', async () => {
  const silent = createServer()
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const good = await startScriptedServer()
  const tried = `smtp://localhost:${good.port} smtp://localhost:${port}`
  const untried = `smtp://localhost:${good.port} roundrobin(null://null null://null)`
  const dsn = `failover(${tried} ${untried})`
  const report = await mailer.test(dsn, { ...addresses, timeoutMs: 300 })
  silent.close()
  await good.close()
  assert.equal(report.success, false)
  assert.match(report.message, /^1 of 4 members failed\. /)
  const rest = `smtp://localhost:${good.port}, roundrobin(null://null null://null)`
  assert.ok(report.message.endsWith(`Not tried, because the test ended after 0.3 s: ${rest}.`))
  assert.equal(good.received.length, 1, 'the last two got no message')
  assert.equal(report.members.length, 4)
  const outcomes = report.members.map(({ stages: [first] }) => first?.outcome)
  assert.deepEqual(outcomes, ['ok', 'ok', 'skipped', 'skipped'])
})

test('implicit TLS comes before the greeting, and unneeded steps are reported as skipped', async () => {
  const certificate = authority.issue({ names: ['127.0.0.1'] })
  const { report: secure } = await testServer(
    { tls: 'implicit', certificate },
    'smtps://127.0.0.1:PORT',
  )
  assert.equal(secure.success, true, secure.message)
  assert.deepEqual(stagesOf(secure).slice(2, 7), [
    'connect ok',
    'tls ok',
    'greeting ok',
    'ehlo ok',
    'auth skipped',
  ])
  const { report } = await testServer({})
  assert.deepEqual(stagesOf(report).slice(2, 5), ['connect ok', 'tls skipped', 'greeting ok'])
  assert.deepEqual(report.transcript, [], 'only when asked for')
})

/** The reply of a provider's server to a log-in, and the fitting hint. */
const advice: [host: string, reply: string, hint: RegExp][] = [
  ['smtp.gmail.com', '535-5.7.8 Username not accepted.\r\n535 5.7.8 see g.co', /app password/],
  ['smtp.gmail.com', '534 5.7.9 Application-specific password required.', /app password/],
  [
    'smtp.office365.com',
    '535 5.7.139 Authentication unsuccessful, SmtpClientAuthentication is disabled for the Tenant.',
    /SMTP AUTH is disabled/,
  ],
  ['smtp.office365.com', '535 5.7.3 Authentication unsuccessful', /office365\+oauth:/],
  [
    'smtp.office365.com',
    '535 5.7.139 Authentication unsuccessful, basic authentication is disabled.',
    /no passwords .* office365\+oauth:/,
  ],
  [
    'email-smtp.us-east-1.amazonaws.com',
    '535 Authentication Credentials Invalid',
    /SMTP credentials.*not the access key/,
  ],
  ['smtp.sendgrid.net', '535 Authentication failed: Bad username / password', /"apikey"/],
  ['mail.example.com', '535 5.7.8 No', /percent-encoded/],
]

for (const [host, reply, hint] of advice)
  test(`a refused log-in at ${host} with ${reply.slice(0, 12)} has the hint of the provider`, async () => {
    const { report } = await testServer(
      { ...startTls(host), extensions: ['AUTH PLAIN LOGIN'], script: { auth: reply } },
      `smtp://AKIA:secret@${host}:PORT`,
    )
    assert.equal(report.stages.find(({ outcome }) => outcome === 'failed')?.stage, 'auth')
    assert.match(report.result?.fault?.hint ?? '', hint)
    assert.match(report.message, hint)
  })

test('the fault of an unverified sender at Amazon SES has the hint of SES', async () => {
  const host = 'email-smtp.eu-central-1.amazonaws.com'
  const dot = '554 Message rejected: Email address is not verified. (region EU-CENTRAL-1)'
  const { report } = await testServer({ ...startTls(host), script: { dot } }, `smtp://${host}:PORT`)
  assert.match(report.message, /Verify this sender in Amazon SES.*sandbox/)
})

test('a list is tested member by member, and passes only when every member passes', async () => {
  const good = await startScriptedServer()
  const bad = await startScriptedServer({ script: { greeting: '554 5.7.1 Blocked' } })
  const dsn = `failover(smtp://localhost:${good.port} roundrobin(smtp://localhost:${bad.port} null://null))`
  const report = await mailer.test(dsn, { ...addresses, hasTranscript: true })
  assert.equal(report.success, false)
  assert.match(report.message, /^1 of 2 members failed.*Blocked/)
  assert.equal(report.members.length, 2)
  assert.deepEqual(
    report.stages.filter(({ outcome }) => outcome === 'failed').map(({ member }) => member),
    [`smtp://localhost:${bad.port}`],
  )
  assert.ok(report.transcript.includes(`# smtp://localhost:${good.port}`))
  const passed = await mailer.test(`failover(smtp://localhost:${good.port} null://null)`, addresses)
  assert.equal(passed.success, true)
  await good.close()
  await bad.close()
})

const passedLists: [members: string, sentence: string][] = [
  ['null://null roundrobin(null://null)', 'All 2 members drop every message; nothing was sent.'],
  ['SERVER', 'The only member accepted the test message.'],
  [
    'SERVER null://null',
    '1 of 2 members accepted the test message; the others drop every message.',
  ],
]

for (const [members, sentence] of passedLists)
  test(`the report on failover(${members}) counts only sent messages as accepted`, async () => {
    const list = members.replaceAll('SERVER', 'smtp://localhost:PORT')
    const { report } = await testServer({}, `failover(${list})`)
    assert.equal(report.message, sentence)
    assert.equal(report.success, true)
  })

test('an invalid DSN fails in the first step, with its error and no secret', async () => {
  const report = await mailer.test('smtp://user:se/cret@mail.example.com', addresses)
  assert.equal(report.success, false)
  assert.deepEqual(stagesOf(report), ['parse failed'])
  assert.match(report.message, /%2F/)
  assert.ok(!JSON.stringify(report).includes('cret'))
})

test('a test ends within its time limit when the server is slow', async () => {
  const { report } = await testServer({ script: { ehlo: { end: 'hang' } } }, undefined, {
    timeoutMs: 1500,
  })
  assert.equal(report.success, false)
  assert.match(report.message, /stopped after 1\.5 s in the step "ehlo"/)
})

test('a listed source_ip is used', async () => {
  const server = await startScriptedServer()
  const listed = createMailer({ sourceAddresses: ['127.0.0.2'] })
  const report = await listed.test(`smtp://localhost:${server.port}?source_ip=127.0.0.2`, addresses)
  assert.equal(report.success, true)
  await server.close()
})

const sentence = /^["A-Z].{10,}\.$/

type Step = 'mail' | 'rcpt' | 'data' | 'dot'

/** The reply of a server in a step, and the fitting hint. */
const answers: [step: Step, reply: string, hint: RegExp][] = [
  ['mail', '554 5.7.1 Blocked using zen.spamhaus.org', /block list/],
  ['mail', '550 5.7.26 Unauthenticated email is not accepted', /SPF, DKIM and DMARC/],
  ['mail', '451 4.3.0 Try again', /^This is temporary; try again later\.$/],
  ['data', '451 4.7.1 Busy', /^This is temporary; try again later\.$/],
  ['mail', '452 4.5.3 Too many messages', /max_per_second/],
  ['mail', '552 5.3.4 Message too big', /smaller attachments/],
  ['rcpt', '550 5.1.1 No such user', /Check the address/],
  ['rcpt', '552 5.2.2 Mailbox full', /full or closed/],
  ['rcpt', '554 5.7.1 Service unavailable; client blocked by reputation', /block list/],
  ['rcpt', '553 5.7.9 Refused', /reply of the server says why/],
  ['data', '503 5.5.1 Bad sequence', /log of the server/],
  ['dot', '554 Transaction failed', /reply of the server says why/],
  ['dot', '554 5.7.1 Message looks like spam', /filter .* content/],
  ['dot', '550 5.7.1 Rejected: URL in our block list', /block list/],
  ['dot', '550 5.7.26 DMARC policy of the domain', /SPF, DKIM and DMARC/],
  ['dot', '550 5.7.515 Access denied, sending domain x.example', /From domain.*\(Senders\)/],
  ['dot', '451 4.7.26 This mail is unauthenticated', /From domain.*\(Senders\)/],
  ['dot', '554 5.6.0 Bare line feeds', /kind of message/],
  ['dot', '451 4.7.1 Deferred', /^This is temporary; try again later\.$/],
  ['dot', '421 4.3.2 Shutting down', /Try again later/],
]

for (const [step, reply, hint] of answers)
  test(`"${reply}" at ${step} has a fitting hint`, async () => {
    const { report } = await testServer({ script: { [step]: reply } })
    const failed = report.stages.find(({ outcome }) => outcome === 'failed')
    assert.match(failed?.hint ?? '', sentence)
    assert.match(failed?.hint ?? '', hint)
    assert.ok(report.message.endsWith(failed?.hint ?? '?'), report.message)
  })

test('every kind of fault has a general hint', () => {
  for (const [code, hint] of Object.entries(generalHints)) assert.match(hint, sentence, code)
})
