import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { WebhookError } from '../../events/provider-webhooks.ts'
import { testProviderWebhooks } from '../../testing/provider-webhooks.case.test.ts'
import { mailersendWebhooks } from './webhooks.ts'

/** A request of the first version. */
const nested = (name: string, morph: object | null = null) => ({
  type: `activity.${name}`,
  domain_id: 'd1',
  created_at: '2026-11-26T12:00:01.520507Z',
  webhook_id: 'w1',
  data: {
    object: 'activity',
    id: '63fd251d5c00f8e52001fce6',
    type: name,
    created_at: '2026-11-26T12:00:00.593000Z',
    email: {
      id: '63fd1c1de225707fa905f0a8',
      status: 'rejected',
      message: { id: '63fd25194d5edba3da09e044' },
      recipient: { email: 'jane@example.net' },
    },
    morph,
  },
})
const read = {
  recipient: 'jane@example.net',
  providerId: '63fd25194d5edba3da09e044',
  otherIds: ['63fd1c1de225707fa905f0a8', '63fd1c1de225707fa905f0a8@mailersend.net'],
  at: Date.parse('2026-11-26T12:00:00.593Z'),
  eventId: '63fd251d5c00f8e52001fce6',
}

/** A request of the second version. */
const flat = (name: string, meta: object) => ({
  type: `activity.${name}`,
  created_at: '2026-11-26T12:00:01.520507Z',
  data: {
    id: '63fd251d5c00f8e52001fce6',
    type: name,
    recipient: 'jane@example.net',
    message_id: '63fd25194d5edba3da09e044',
    meta,
  },
})
const readFlat = { ...read, otherIds: [], at: Date.parse('2026-11-26T12:00:01.520Z') }

const reason = 'Host or domain name not found'

const ignoredNames = [
  'sent',
  'opened',
  'opened_unique',
  'clicked',
  'clicked_unique',
  'survey_opened',
]

testProviderWebhooks({
  provider: 'mailersend',
  requests: [
    {
      name: 'a hard bounce',
      body: nested('hard_bounced', { object: 'recipient_bounce', reason }),
      events: [{ ...read, type: 'bounced', class: 'hard', reason }],
    },
    {
      name: 'a soft bounce',
      body: nested('soft_bounced', { reason: 'Unknown reason' }),
      events: [{ ...read, type: 'bounced', class: 'soft', reason: 'Unknown reason' }],
    },
    {
      name: 'an unsubscribe, with the reason that a person can read',
      body: nested('unsubscribed', { reason: 'option_3', readable_reason: 'Too many emails' }),
      events: [{ ...read, type: 'unsubscribed', reason: 'Too many emails' }],
    },
    {
      name: 'a complaint',
      body: nested('spam_complaint'),
      events: [{ ...read, type: 'complained' }],
    },
    { name: 'a delivery', body: nested('delivered'), events: [{ ...read, type: 'delivered' }] },
    { name: 'a deferral', body: nested('deferred'), events: [{ ...read, type: 'deferred' }] },
    ...ignoredNames.map((name) => ({
      name: `${name} as ignored`,
      body: nested(name),
      events: [{ ...read, type: 'ignored' as const }],
    })),
    {
      name: 'a hard bounce of the second version',
      body: flat('hard_bounced', { bounce_code: 550, bounce_reason: reason }),
      events: [{ ...readFlat, type: 'bounced', class: 'hard', reason }],
    },
    {
      name: 'the recipient of the second version under the name of the first',
      body: {
        type: 'activity.delivered',
        created_at: '2026-11-26T12:00:01.520507Z',
        data: { message_id: read.providerId, email: 'jane@example.net' },
      },
      events: [{ ...readFlat, type: 'delivered', eventId: null }],
    },
    {
      name: 'a complaint of the second version',
      body: flat('spam_complaints', {}),
      events: [{ ...readFlat, type: 'complained' }],
    },
    {
      name: 'a suppressed recipient of the second version',
      body: flat('suppressed', { suppression_reason: 'Unsubscribed' }),
      events: [{ ...readFlat, type: 'rejected', reason: 'Unsubscribed' }],
    },
    {
      name: 'what is not of a message as ignored',
      body: { type: 'maintenance.start', created_at: '2026-11-26T12:00:01Z', data: {} },
      events: [{ type: 'ignored', at: Date.parse('2026-11-26T12:00:01Z') }],
    },
    { name: 'no event in a test', body: { type: 'webhook.test', data: {} }, events: [] },
  ],
  signing: {
    signingKey: 'GvLY88Uyj70jQm3fUwYyWmAaiz98wWim',
    otherKey: 'AvLY88Uyj70jQm3fUwYyWmAaiz98wWim',
    sign: (body) => ({
      body,
      headers: {
        signature: createHmac('sha256', 'GvLY88Uyj70jQm3fUwYyWmAaiz98wWim')
          .update(body)
          .digest('hex'),
      },
    }),
  },
})

test('mailersend: an inbound email is refused with what to change', async () => {
  const body = Buffer.from('{"type":"inbound.message","data":{}}')
  await assert.rejects(mailersendWebhooks.read(body), (error: unknown) => {
    assert.ok(error instanceof WebhookError)
    assert.match(error.message, /not as an inbound route/)
    return true
  })
})
