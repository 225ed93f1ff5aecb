import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import {
  ignored,
  isGenuine,
  means,
  testProviderWebhooks,
  type WebhookCase,
} from '../../testing/provider-webhooks.case.test.ts'
import { resendWebhooks } from './webhooks.ts'

const data = {
  created_at: '2026-11-26 12:00:00.241+00',
  email_id: '56761188-7520-42d8-8898-ff6fc54ce618',
  from: 'Shop <shop@example.com>',
  to: ['Jane <jane@example.net>'],
  subject: 'Hello',
}
const request = (type: string, more: object = {}) => ({
  type,
  created_at: '2026-11-26T12:00:00.690Z',
  data: { ...data, ...more },
})
const read = {
  recipient: 'jane@example.net',
  providerId: '56761188-7520-42d8-8898-ff6fc54ce618',
  at: Date.parse('2026-11-26T12:00:00.690Z'),
}
const signingKey = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
const sign = (body: string, at: number) => {
  const id = 'msg_2Lh9KRb0pzN4LePd3XiA4v12Axj'
  const timestamp = String(Math.floor(at / 1000))
  // The public library of Standard Webhooks signs, so that this is not checked with itself.
  return { id, timestamp, signature: new Webhook(signingKey).sign(id, new Date(at), body) }
}

testProviderWebhooks({
  provider: 'resend',
  read,
  requests: [
    ...(
      [
        ['550 5.1.1 No such user', 'Permanent', means.hard],
        ['Mailbox full', 'Transient', means.soft],
        ['No details', 'Undetermined', means.soft],
        // Its words say what it is.
        ["The recipient's inbox was full.", undefined, means.soft],
      ] as const
    ).map(
      ([message, type, read]): WebhookCase => [
        request('email.bounced', { bounce: { message, type, subType: 'General' } }),
        read(message),
      ],
    ),
    // A bounce without details as permanent, as Resend describes it.
    [request('email.bounced'), { type: 'bounced', class: 'hard' }],
    [
      request('email.delivered', { message_id: '<1@shop.example.com>' }),
      { type: 'delivered', otherIds: ['<1@shop.example.com>'] },
    ],
    [request('email.delivery_delayed'), 'deferred'],
    [request('email.complained'), 'complained'],
    [
      request('email.failed', { failed: { reason: 'reached_daily_quota' } }),
      means.rejected('reached_daily_quota'),
    ],
    [
      request('email.suppressed', { suppressed: { message: 'On the list', type: 'x' } }),
      means.rejected('On the list'),
    ],
    ...ignored(request, 'email.sent', 'email.opened', 'email.clicked', 'contact.created'),
    // No recipient where there are several, because Resend does not say which one it is.
    [
      request('email.complained', { to: ['jane@example.net', 'carl@example.net'] }),
      { type: 'complained', recipient: null },
    ],
    // No recipient where there is a copy.
    [
      request('email.bounced', { cc: ['carl@example.net'] }),
      { type: 'bounced', class: 'hard', recipient: null },
    ],
  ],
  signing: {
    signingKey,
    otherKey: `whsec_${Buffer.alloc(24, 8).toString('base64')}`,
    sign(body, at) {
      const { id, timestamp, signature } = sign(body, at)
      const headers = { 'svix-id': id, 'svix-timestamp': timestamp, 'svix-signature': signature }
      return { body, headers }
    },
    ageMsMax: 300_000,
  },
})

const now = Date.parse('2026-11-26T12:00:00Z')

test('resend: the headers of the specification, and several signatures, are accepted', async () => {
  const { id, timestamp, signature } = sign('{}', now)
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,AAAA v2,${signature.slice(3)} ${signature}`,
  }
  assert.equal(await isGenuine(resendWebhooks, { headers }, { key: signingKey }), true)
})

test('resend: a secret that decodes to nothing signs nothing', async () => {
  const { id, timestamp } = sign('{}', now)
  const signature = createHmac('sha256', '').update(`${id}.${timestamp}.{}`).digest('base64')
  const headers = { 'svix-id': id, 'svix-timestamp': timestamp, 'svix-signature': signature }
  for (const key of ['whsec_', 'whsec_A', ''])
    assert.equal(await isGenuine(resendWebhooks, { headers }, { key }), false)
})
