import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import {
  hard,
  isGenuine,
  soft,
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
const bounce = (message: string, type?: string) => ({
  bounce: { message, type, subType: 'General' },
})

const signingKey = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
const sign = (body: string, at: number) => {
  const id = 'msg_2Lh9KRb0pzN4LePd3XiA4v12Axj'
  const timestamp = String(Math.floor(at / 1000))
  // The public library of Standard Webhooks signs, so that this is not checked with itself.
  return { id, timestamp, signature: new Webhook(signingKey).sign(id, new Date(at), body) }
}

const ignoredTypes = ['email.sent', 'email.opened', 'email.clicked', 'contact.created']

testProviderWebhooks({
  provider: 'resend',
  read,
  requests: [
    [
      'a permanent bounce',
      request('email.bounced', bounce('550 5.1.1 No such user', 'Permanent')),
      hard('550 5.1.1 No such user'),
    ],
    [
      'a transient bounce',
      request('email.bounced', bounce('Mailbox full', 'Transient')),
      soft('Mailbox full'),
    ],
    [
      'a bounce that nothing is known of',
      request('email.bounced', bounce('No details', 'Undetermined')),
      soft('No details'),
    ],
    [
      'a bounce without a type as what its words say',
      request('email.bounced', bounce("The recipient's inbox was full.")),
      soft("The recipient's inbox was full."),
    ],
    [
      'a bounce without details as permanent, as Resend describes it',
      request('email.bounced'),
      { type: 'bounced', class: 'hard' },
    ],
    [
      'a delivery, with the Message-ID',
      request('email.delivered', { message_id: '<1@shop.example.com>' }),
      { type: 'delivered', otherIds: ['<1@shop.example.com>'] },
    ],
    ['a delay', request('email.delivery_delayed'), 'deferred'],
    ['a complaint', request('email.complained'), 'complained'],
    [
      'a failure',
      request('email.failed', { failed: { reason: 'reached_daily_quota' } }),
      { type: 'rejected', reason: 'reached_daily_quota' },
    ],
    [
      'a suppression',
      request('email.suppressed', { suppressed: { message: 'On the list', type: 'x' } }),
      { type: 'rejected', reason: 'On the list' },
    ],
    ...ignoredTypes.map((type): WebhookCase => [`${type} as ignored`, request(type), 'ignored']),
    [
      'no recipient where there are several, because Resend does not say which one it is',
      request('email.complained', { to: ['jane@example.net', 'carl@example.net'] }),
      { type: 'complained', recipient: null },
    ],
    [
      'no recipient where there is a copy',
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
