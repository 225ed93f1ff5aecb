import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusalFault } from '../api/refusal-fault.ts'
import { createMailer } from '../create-mailer.ts'
import { createFault } from '../delivery/fault-error.ts'
import { generalHints } from '../delivery/general-hints.ts'
import { startScriptedServer } from '../testing/smtp-server.case.test.ts'

const sentence = /^["A-Z].{10,}\.$/
const mailer = createMailer({})

type Step = 'mail' | 'rcpt' | 'data' | 'dot'

/** What a server answers in a step, and the advice that fits it. */
const answers: [step: Step, reply: string, hint: RegExp][] = [
  ['mail', '550 5.7.1 Sender not allowed', /Verify the domain or the sender/],
  ['mail', '554 5.7.1 Blocked using zen.spamhaus.org', /block list/],
  ['mail', '550 5.7.26 Unauthenticated email is not accepted', /SPF, DKIM and DMARC/],
  ['mail', '530 5.7.0 Authentication required', /Add them to the DSN/],
  ['mail', '530 5.7.0 Must issue a STARTTLS command first', /smtps:\/\/ or port 587/],
  ['mail', '451 4.3.0 Try again', /try again later/],
  ['mail', '452 4.5.3 Too many messages', /max_per_second/],
  ['mail', '552 5.3.4 Message too big', /smaller attachments/],
  ['rcpt', '550 5.1.1 No such user', /Check the address/],
  ['rcpt', '550 5.7.1 Relaying denied', /Log in/],
  ['rcpt', '552 5.2.2 Mailbox full', /full or closed/],
  ['rcpt', '554 5.7.1 Service unavailable; client blocked by reputation', /block list/],
  ['rcpt', '553 5.7.9 Refused', /words of the server say why/],
  ['rcpt', '450 4.2.0 Greylisted', /greylisting/],
  ['data', '554 5.5.1 No valid recipients', /words of the server say why/],
  ['data', '503 5.5.1 Bad sequence', /log of the server/],
  ['dot', '554 Transaction failed', /words of the server say why/],
  ['dot', '554 5.7.1 Message looks like spam', /filter .* content/],
  ['dot', '550 5.7.1 Rejected: URL in our block list', /block list/],
  ['dot', '550 5.7.26 DMARC policy of the domain', /SPF, DKIM and DMARC/],
  ['dot', '554 5.6.0 Bare line feeds', /kind of message/],
  ['dot', '552 5.3.4 Message size exceeds limit', /smaller attachments/],
  ['dot', '451 4.7.1 Deferred', /try again later/],
  ['dot', '421 4.3.2 Shutting down', /Try again later/],
]

for (const [step, reply, hint] of answers)
  test(`"${reply}" at ${step} comes with advice that fits`, async () => {
    const server = await startScriptedServer({ script: { [step]: reply } })
    const report = await mailer.test(`smtp://localhost:${server.port}`, {
      from: 'sender@example.com',
      to: 'jane@example.net',
    })
    await server.close()
    const failed = report.stages.find(({ outcome }) => outcome === 'failed')
    assert.match(failed?.hint ?? '', sentence)
    assert.match(failed?.hint ?? '', hint)
    assert.ok(report.message.endsWith(failed?.hint ?? '?'), report.message)
  })

test('every kind of fault comes with advice, also where nothing better is known', () => {
  for (const [code, hint] of Object.entries(generalHints)) assert.match(hint, sentence, code)
  const fault = createFault({ code: 'message_refused', stage: 'data', message: 'No.' })
  assert.equal(fault.hint, generalHints.message_refused)
})

test('every refusal of an API comes with advice', () => {
  for (let status = 300; status < 600; status += 1) {
    const answer = { status, headers: {}, body: '' }
    const fields = refusalFault('Provider', answer, { isAccepted: false, text: 'no' })
    assert.match(fields.hint ?? '', sentence, String(status))
  }
  const kinds = [
    'credentials',
    'quota',
    'throttled',
    'too_large',
    'sender',
    'recipient',
    'message',
    'provider',
  ] as const
  for (const kind of kinds) {
    const answer = { status: 400, headers: {}, body: '' }
    const fields = refusalFault('Provider', answer, { isAccepted: false, text: 'no', kind })
    assert.match(fields.hint ?? '', sentence, kind)
  }
})
