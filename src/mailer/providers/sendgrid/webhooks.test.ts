import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { test } from 'node:test'
import { testProviderWebhooks } from '../../testing/provider-webhooks.case.test.ts'
import { sendgridWebhooks } from './webhooks.ts'

const createKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })
const keyOf = ({ publicKey }: ReturnType<typeof createKeys>) =>
  publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
const keys = createKeys()

/** What every event has. */
const event = {
  email: 'jane@example.net',
  timestamp: 1_795_694_400,
  sg_event_id: 'ZXZlbnQtMQ',
  sg_message_id: 'mS5gQ1_abc-DEF.recvd-7f5d-1-66A0-1.0',
}
/** What is read of it. */
const read = {
  recipient: 'jane@example.net',
  providerId: 'mS5gQ1_abc-DEF.recvd-7f5d-1-66A0-1.0',
  otherIds: ['mS5gQ1_abc-DEF'],
  at: 1_795_694_400_000,
  eventId: 'ZXZlbnQtMQ',
}

testProviderWebhooks({
  provider: 'sendgrid',
  requests: [
    {
      name: 'a hard bounce, and a block and the end of the tries as soft ones',
      body: [
        {
          ...event,
          event: 'bounce',
          type: 'bounce',
          reason: '550 5.1.1 No such user',
          status: '5.1.1',
        },
        { ...event, event: 'bounce', type: 'blocked', reason: '554 5.7.1 Listed', status: '5.7.1' },
        { ...event, event: 'bounce', type: 'expired', response: '', reason: 'Unable to connect' },
      ],
      events: [
        { ...read, type: 'bounced', class: 'hard', reason: '550 5.1.1 No such user' },
        { ...read, type: 'bounced', class: 'soft', reason: '554 5.7.1 Listed' },
        { ...read, type: 'bounced', class: 'soft', reason: 'Unable to connect' },
      ],
    },
    {
      name: 'the Message-ID of the message, and that of SendGrid',
      body: [
        { ...event, event: 'delivered', response: '250 OK', 'smtp-id': '<7@shop.example.com>' },
        {
          ...event,
          event: 'delivered',
          response: '250 OK',
          'smtp-id': '<x@geopod-ismtpd-1.sendgrid.net>',
        },
      ],
      events: [
        {
          ...read,
          type: 'delivered',
          reason: '250 OK',
          providerId: '<7@shop.example.com>',
          otherIds: ['mS5gQ1_abc-DEF', 'mS5gQ1_abc-DEF.recvd-7f5d-1-66A0-1.0'],
        },
        {
          ...read,
          type: 'delivered',
          reason: '250 OK',
          otherIds: ['mS5gQ1_abc-DEF', '<x@geopod-ismtpd-1.sendgrid.net>'],
        },
      ],
    },
    {
      name: 'what SendGrid did not try',
      body: [
        'Bounced Address',
        'Invalid',
        'Unsubscribed Address',
        'Spam Reporting Address',
        'Spam Content',
      ].map((reason) => ({ ...event, event: 'dropped', reason })),
      events: [
        { ...read, type: 'bounced', class: 'hard', reason: 'Bounced Address' },
        { ...read, type: 'bounced', class: 'hard', reason: 'Invalid' },
        { ...read, type: 'rejected', reason: 'Unsubscribed Address' },
        { ...read, type: 'rejected', reason: 'Spam Reporting Address' },
        { ...read, type: 'rejected', reason: 'Spam Content' },
      ],
    },
    {
      name: 'deferrals, complaints and unsubscribes, and ignores the rest',
      body: [
        { ...event, event: 'deferred', response: '451 4.7.1 Greylisted' },
        { ...event, event: 'spamreport' },
        { ...event, event: 'unsubscribe' },
        { ...event, event: 'group_unsubscribe' },
        { ...event, event: 'group_resubscribe' },
        { ...event, event: 'processed' },
        { ...event, event: 'open' },
        { ...event, event: 'click' },
        { ...event, event: 'constructor' },
      ],
      events: [
        { ...read, type: 'deferred', reason: '451 4.7.1 Greylisted' },
        { ...read, type: 'complained' },
        { ...read, type: 'unsubscribed' },
        { ...read, type: 'unsubscribed' },
        { ...read, type: 'ignored' },
        { ...read, type: 'ignored' },
        { ...read, type: 'ignored' },
        { ...read, type: 'ignored' },
        { ...read, type: 'ignored' },
      ],
    },
    { name: 'an empty list', body: [], events: [] },
  ],
  signing: {
    signingKey: keyOf(keys),
    otherKey: keyOf(createKeys()),
    sign(body, at) {
      const timestamp = String(Math.floor(at / 1000))
      const signature = sign('sha256', Buffer.from(timestamp + body), keys.privateKey)
      return {
        body,
        headers: {
          'x-twilio-email-event-webhook-signature': signature.toString('base64'),
          'x-twilio-email-event-webhook-timestamp': timestamp,
        },
      }
    },
    ageMsMax: 600_000,
  },
})

test('sendgrid: a key that is copied with its PEM frame is read, and one of another kind explained', async () => {
  const verify = (signingKey: string) =>
    sendgridWebhooks.verify?.(
      { url: 'https://x.example.com', headers: {}, body: Buffer.from('[]') },
      { signingKey, pinned: null, now: 0, fetch },
    )
  const pem = `-----BEGIN PUBLIC KEY-----\n${keyOf(keys)}\n-----END PUBLIC KEY-----\n`
  const problemOf = async (key: string) => JSON.stringify(await verify(key))
  assert.match(await problemOf(pem), /not signed/)
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const rsa = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
  assert.match(await problemOf(rsa), /not a public key \(ECDSA/)
})
