import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { refusedAddresses } from '../../core/delivery/refusals/bounces.ts'
import { replies } from '../../libraries/mailer/delivery/replies.case.test.ts'
import { type DeliveryResult, findProviderWebhooks } from '../../libraries/mailer/index.ts'
import { shownReply } from '../../libraries/mailer/smtp/smtp-reply.ts'
import { readReport } from './mail/read-report.ts'
import { composeStatus } from './mail/report-samples.case.test.ts'

/** Who reads what a server says, and whether they take the address for one that does not exist. */
const readers: Record<string, (said: string) => Promise<boolean>> = {
  'a refusal at RCPT': async (said) => {
    const raw = { code: Number(said.slice(0, 3)), lines: [said.slice(4)] }
    const reply = shownReply(raw, (text) => text)
    const isPermanent = raw.code >= 500
    const recipient = { address: 'jane@x.test', outcome: 'refused', isPermanent, reply }
    const result = { outcome: 'refused', recipients: [recipient], fault: { stage: 'recipient' } }
    return refusedAddresses(result as unknown as DeliveryResult).length > 0
  },
  'a bounce by mail': async (said) => {
    const fields = `Final-Recipient: rfc822; jane@x.test\nAction: failed\nStatus: 5.1.1\n`
    const report = composeStatus([`${fields}Diagnostic-Code: smtp; ${said}`])
    const [event] = (await readReport(Buffer.from(report))).events
    return event?.class === 'hard'
  },
  'an event of Postal': async (output) =>
    isHard('postal', {
      payload: { status: 'HardFail', output, message: { to: 'jane@x.test', id: 1 } },
    }),
  'an event of SES': async (diagnosticCode) => {
    const bouncedRecipients = [{ emailAddress: 'jane@x.test', diagnosticCode }]
    const bounce = { bounceType: 'Permanent', bouncedRecipients }
    return isHard('ses', { eventType: 'Bounce', mail: { messageId: 'm' }, bounce })
  },
  'an event of SendGrid': async (reason) =>
    isHard('sendgrid', [{ event: 'bounce', type: 'bounce', email: 'jane@x.test', reason }]),
  'an event of Mailgun': async (message) =>
    isHard('mailgun', {
      'event-data': { event: 'failed', reason: 'bounce', 'delivery-status': { message } },
    }),
}

async function isHard(provider: string, body: unknown): Promise<boolean> {
  const bytes = Buffer.from(JSON.stringify(body))
  const [event] = (await findProviderWebhooks(provider)?.read(bytes, 'application/json')) ?? []
  return event?.class === 'hard'
}

for (const [name, isGone] of Object.entries(readers))
  test(`${name} says that an address does not exist only if nothing in it is about anything else`, async () => {
    for (const [about, said] of replies)
      for (const text of said)
        if (about !== 'other') assert.equal(await isGone(text), about === 'address', text)
  })

test('an event is no permanent bounce if any of its members says something else', async () => {
  const cases = readFileSync(new URL('contradicted.cases', import.meta.url), 'utf8').trim()
  for (const line of cases.split('\n')) {
    const [provider, body] = JSON.parse(line)
    assert.equal(await isHard(provider, body), false, line)
  }
})
