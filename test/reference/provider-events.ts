import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { findProviderWebhooks, type ProviderEvent } from '../../src/libraries/mailer/index.ts'

interface RecordedEvent {
  type: string
  providerId: string | number | null
  recipient: string | null
  reason?: string | null
  at?: string | null
}

interface RecordedRequest {
  provider: string
  name: string
  from: 'symfony' | 'anymail'
  contentType: string
  body: string
  events: RecordedEvent[]
}

const path = new URL('../../../shared/reference/provider-events/cases.json', import.meta.url)
const requests: RecordedRequest[] = JSON.parse(readFileSync(path, 'utf8'))

/** The two sources judge these differently from each other, or from Mailyard's vocabulary: what is read, and why. */
const judgements: Record<string, { events: Partial<RecordedEvent>[]; why: string }> = {
  'brevo soft_bounce symfony': {
    events: [{ reason: 'server is down' }],
    why: 'The request has a reason, which Anymail reads.',
  },
  'mailjet test_bounce_event anymail': {
    events: [{ reason: 'domain: invalid domain' }],
    why: 'The request names the error.',
  },
  'mailjet test_bounced_greylist_event anymail': {
    events: [{ reason: 'domain: greylisted' }],
    why: 'The request names the error.',
  },
  'mailjet blocked symfony': {
    events: [{ reason: 'mailjet: preblocked' }],
    why: 'What the error is about does not say which error it is.',
  },
  'mailjet bounce symfony': {
    events: [
      {
        reason:
          '421 4.7.0 [TSS04] Messages from 87.253.233.123 temporarily deferred due to unexpected volume or user complaints - 4.16.55.1; see https://postmaster.yahooinc.com/error-codes',
      },
    ],
    why: 'The comment has the words of the server.',
  },
  'mailomat delivered symfony': {
    events: [{ reason: '250 2.0.0 OK cb5981d2-3afe-4787-bf63-96212def1319' }],
    why: 'The status of the delivery has the words of the server.',
  },
  'mailomat failure_perm symfony': {
    events: [{ reason: '550 5.1.1 abc: recipient rejected, address unknown' }],
    why: 'The status of the delivery has the words of the server.',
  },
  'mailgun suppression_failure symfony': {
    events: [{ type: 'bounced', providerId: '<20130503192659.13651.20287@app.symfony.com>' }],
    why: 'Mailgun does not try because of an earlier bounce, so the address cannot be delivered to for good.',
  },
  'mailgun temporary_failure symfony': {
    events: [
      {
        providerId: '<20130503182626.18666.16540@app.symfony.com>',
        reason:
          '4.2.2 The email account that you tried to reach is over quota. Please direct\n4.2.2 the recipient to\n4.2.2  https://support.example.com/mail/?p=422',
      },
    ],
    why: 'The reply of the server is the reason, as it is for other failures of Mailgun.',
  },
  'postmark bounce symfony': {
    events: [{ reason: 'Test bounce details' }],
    why: 'Details are the words of the server; the description is the same for every hard bounce.',
  },
  'postmark delivery symfony': {
    events: [{ reason: 'Test delivery webhook details' }],
    why: 'Details are the words of the server, as in the requests of Anymail.',
  },
  'postmark spam_complaint symfony': {
    events: [{ reason: 'Test spam complaint details' }],
    why: 'Details are the words of the provider, as in the requests of Anymail.',
  },
  'postmark subscription_change symfony': {
    events: [{ type: 'bounced' }],
    why: 'Its SuppressionReason is HardBounce, which Anymail reads as bounced.',
  },
  'sendgrid test_dropped_unsubscribed_event anymail': {
    events: [{ reason: 'Unsubscribed Address' }],
    why: 'SendGrid names a reason, which Symfony reads too.',
  },
  'sendgrid webhook symfony': {
    events: [{ type: 'bounced' }],
    why: 'SendGrid does not try because of an earlier bounce, so the address cannot be delivered to for good.',
  },
}

/** Symfony has the id of the event where Anymail has that of the message, which the API answers with. */
const messageIdsOfMailgun: Record<string, string> = {
  delivered_messages: '<20130503182626.18666.16540@app.symfony.com>',
  opens: '<20130503182626.18666.16540@app.symfony.com>',
  permanent_failure: '<20130503192659.13651.20287@app.symfony.com>',
  permanent_failure_no_description: '<20130503192659.13651.20287@app.symfony.com>',
  spam_complaints: '<20110215055645.25246.63817@app.symfony.com>',
  unsubscribes: '<20130503182626.18666.16540@app.symfony.com>',
}

/** Returns the events that a request means to Mailyard, with the members that the recording has. */
function expectedOf({ provider, name, from, events }: RecordedRequest): Partial<RecordedEvent>[] {
  const judgement = judgements[`${provider} ${name} ${from}`]
  return events.map((event, index) => {
    const providerId =
      provider === 'mailgun' && from === 'symfony' ? messageIdsOfMailgun[name] : undefined
    const { type, recipient, reason, at } = event
    return {
      type,
      recipient,
      // Postal's ids are numbers.
      providerId: providerId ?? (event.providerId === null ? null : String(event.providerId)),
      ...(reason === undefined ? {} : { reason }),
      ...(at === undefined ? {} : { at: at === null ? null : secondsOf(Date.parse(at)) }),
      ...judgement?.events[index],
    }
  })
}

/** Some recordings cut off what follows the seconds. */
const secondsOf = (ms: number) => new Date(Math.floor(ms / 1000) * 1000).toISOString()

const readAs = (event: ProviderEvent, expected: Partial<RecordedEvent> | undefined) => ({
  type: event.type,
  recipient: event.recipient,
  providerId: event.providerId,
  ...(expected?.reason === undefined ? {} : { reason: event.reason }),
  ...(expected?.at === undefined ? {} : { at: event.at === null ? null : secondsOf(event.at) }),
})

test('every recorded request of a provider says what the recording says, or what a reason explains', async () => {
  const providers = new Set<string>()
  for (const request of requests) {
    const { provider, name, from, contentType, body } = request
    const webhooks = findProviderWebhooks(provider)
    if (webhooks === undefined) continue
    providers.add(provider)
    const expected = expectedOf(request)
    for (const type of [contentType, undefined]) {
      const events = await webhooks.read(Buffer.from(body), type)
      assert.deepEqual(
        events.map((event, index) => readAs(event, expected[index])),
        expected,
        `${provider} ${name} of ${from}`,
      )
      for (const [index, event] of events.entries()) {
        const recordedId = request.events[index]?.providerId ?? null
        if (recordedId !== null)
          assert.ok([event.providerId, ...event.otherIds].includes(String(recordedId)), name)
      }
    }
  }
  assert.equal(providers.size, 14)
})
