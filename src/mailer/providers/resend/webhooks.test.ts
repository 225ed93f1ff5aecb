import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { testProviderWebhooks } from '../../testing/provider-webhooks.case.test.ts'
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

const ignoredTypes = [
  'email.sent',
  'email.opened',
  'email.clicked',
  'email.scheduled',
  'contact.created',
]

testProviderWebhooks({
  provider: 'resend',
  requests: [
    {
      name: 'a permanent bounce',
      body: request('email.bounced', bounce('550 5.1.1 No such user', 'Permanent')),
      events: [{ ...read, type: 'bounced', class: 'hard', reason: '550 5.1.1 No such user' }],
    },
    {
      name: 'a transient bounce',
      body: request('email.bounced', bounce('Mailbox full', 'Transient')),
      events: [{ ...read, type: 'bounced', class: 'soft', reason: 'Mailbox full' }],
    },
    {
      name: 'a bounce that nothing is known of',
      body: request('email.bounced', bounce('No details', 'Undetermined')),
      events: [{ ...read, type: 'bounced', class: 'soft', reason: 'No details' }],
    },
    {
      name: 'a bounce without a type as what its words say',
      body: request('email.bounced', bounce("The recipient's inbox was full.")),
      events: [
        { ...read, type: 'bounced', class: 'soft', reason: "The recipient's inbox was full." },
      ],
    },
    {
      name: 'a bounce without details as permanent, as Resend describes it',
      body: request('email.bounced'),
      events: [{ ...read, type: 'bounced', class: 'hard' }],
    },
    {
      name: 'a delivery, with the Message-ID',
      body: request('email.delivered', { message_id: '<1@shop.example.com>' }),
      events: [{ ...read, type: 'delivered', otherIds: ['<1@shop.example.com>'] }],
    },
    {
      name: 'a delay',
      body: request('email.delivery_delayed'),
      events: [{ ...read, type: 'deferred' }],
    },
    {
      name: 'a complaint',
      body: request('email.complained'),
      events: [{ ...read, type: 'complained' }],
    },
    {
      name: 'a failure',
      body: request('email.failed', { failed: { reason: 'reached_daily_quota' } }),
      events: [{ ...read, type: 'rejected', reason: 'reached_daily_quota' }],
    },
    {
      name: 'a suppression',
      body: request('email.suppressed', { suppressed: { message: 'On the list', type: 'x' } }),
      events: [{ ...read, type: 'rejected', reason: 'On the list' }],
    },
    ...ignoredTypes.map((type) => ({
      name: `${type} as ignored`,
      body: request(type),
      events: [{ ...read, type: 'ignored' as const }],
    })),
    {
      name: 'no recipient where there are several, because Resend does not say which one it is',
      body: request('email.complained', { to: ['jane@example.net', 'carl@example.net'] }),
      events: [{ ...read, type: 'complained', recipient: null }],
    },
    {
      name: 'no recipient where there is a copy',
      body: request('email.bounced', { cc: ['carl@example.net'] }),
      events: [{ ...read, type: 'bounced', class: 'hard', recipient: null }],
    },
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

test('resend: the headers of the specification, and several signatures, are accepted', async () => {
  const now = Date.parse('2026-11-26T12:00:00Z')
  const { id, timestamp, signature } = sign('{}', now)
  const verification = await resendWebhooks.verify?.(
    {
      url: 'https://mail.example.com/x',
      headers: {
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': `v1,AAAA v2,${signature.slice(3)} ${signature}`,
      },
      body: Buffer.from('{}'),
    },
    { signingKey, pinned: null, now, fetch },
  )
  assert.deepEqual(verification, { isGenuine: true })
})

test('resend: a secret that decodes to nothing signs nothing', async () => {
  const now = Date.parse('2026-11-26T12:00:00Z')
  const { id, timestamp } = sign('{}', now)
  const headers = { 'svix-id': id, 'svix-timestamp': timestamp, 'svix-signature': 'v1,' }
  for (const key of ['whsec_', 'whsec_A', ''])
    assert.equal(
      (
        await resendWebhooks.verify?.(
          { url: 'https://mail.example.com/x', headers, body: Buffer.from('{}') },
          { signingKey: key, pinned: null, now, fetch },
        )
      )?.isGenuine,
      false,
    )
})
