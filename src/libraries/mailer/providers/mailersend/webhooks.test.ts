import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import {
  ignored,
  means,
  testProviderWebhooks,
  unread,
} from '../../testing/provider-webhooks.case.test.ts'
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

const signingKey = 'GvLY88Uyj70jQm3fUwYyWmAaiz98wWim'

testProviderWebhooks({
  provider: 'mailersend',
  read,
  requests: [
    [nested('hard_bounced', { object: 'recipient_bounce', reason }), means.hard(reason)],
    [nested('soft_bounced', { reason: 'Unknown reason' }), means.soft('Unknown reason')],
    // An unsubscribe, with the reason that a person can read.
    [
      nested('unsubscribed', { reason: 'option_3', readable_reason: 'Too many emails' }),
      { type: 'unsubscribed', reason: 'Too many emails' },
    ],
    [nested('spam_complaint'), 'complained'],
    [nested('delivered'), 'delivered'],
    [nested('deferred'), 'deferred'],
    ...ignored(nested, 'sent', 'opened', 'clicked', 'survey_opened'),
    // A hard bounce of the second version.
    [
      flat('hard_bounced', { bounce_code: 550, bounce_reason: reason }),
      { ...readFlat, type: 'bounced', class: 'hard', reason },
    ],
    // The recipient of the second version under the name of the first.
    [
      {
        type: 'activity.delivered',
        created_at: '2026-11-26T12:00:01.520507Z',
        data: { message_id: read.providerId, email: 'jane@example.net' },
      },
      { ...readFlat, type: 'delivered', eventId: null },
    ],
    // A complaint of the second version.
    [flat('spam_complaints', {}), { ...readFlat, type: 'complained' }],
    // A suppressed recipient of the second version.
    [
      flat('suppressed', { suppression_reason: 'Unsubscribed' }),
      { ...readFlat, type: 'rejected', reason: 'Unsubscribed' },
    ],
    // What is not of a message as ignored.
    [
      { type: 'maintenance.start', created_at: '2026-11-26T12:00:01Z', data: {} },
      { ...unread, type: 'ignored', at: Date.parse('2026-11-26T12:00:01Z') },
    ],
    [{ type: 'webhook.test', data: {} }],
  ],
  signing: {
    signingKey,
    otherKey: 'AvLY88Uyj70jQm3fUwYyWmAaiz98wWim',
    sign: (body) => ({
      body,
      headers: { signature: createHmac('sha256', signingKey).update(body).digest('hex') },
    }),
  },
})

test('mailersend: an inbound email is refused with what to change', () =>
  assert.rejects(mailersendWebhooks.read(Buffer.from('{"type":"inbound.message","data":{}}')), {
    name: 'WebhookError',
    message: /not as an inbound route/,
  }))
