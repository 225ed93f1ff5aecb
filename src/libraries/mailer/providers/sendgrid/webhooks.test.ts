import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { test } from 'node:test'
import { batchOf, means, testProviderWebhooks } from '../../testing/provider-webhooks.case.test.ts'
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

const post = (events: object[]) => events.map((one) => ({ ...event, ...one }))
const dropped = (reason: string) => ({ event: 'dropped', reason })
const delivered = (id: string) => ({ event: 'delivered', response: '250 OK', 'smtp-id': id })

testProviderWebhooks({
  provider: 'sendgrid',
  read,
  requests: [
    batchOf(post, [
      [
        { event: 'bounce', type: 'bounce', reason: '550 5.1.1 No such user', status: '5.1.1' },
        means.hard('550 5.1.1 No such user'),
      ],
      [
        { event: 'bounce', type: 'blocked', reason: 'Listed', status: '5.7.1' },
        means.soft('Listed'),
      ],
      // The end of its tries.
      [
        { event: 'bounce', type: 'expired', response: '', reason: 'No answer' },
        means.soft('No answer'),
      ],
      [
        delivered('<7@shop.example.com>'),
        {
          type: 'delivered',
          reason: '250 OK',
          providerId: '<7@shop.example.com>',
          otherIds: ['mS5gQ1_abc-DEF', 'mS5gQ1_abc-DEF.recvd-7f5d-1-66A0-1.0'],
        },
      ],
      [
        // SendGrid made this Message-ID.
        delivered('<x@geopod-ismtpd-1.sendgrid.net>'),
        {
          type: 'delivered',
          reason: '250 OK',
          otherIds: ['mS5gQ1_abc-DEF', '<x@geopod-ismtpd-1.sendgrid.net>'],
        },
      ],
      [dropped('Bounced Address'), means.hard('Bounced Address')],
      [dropped('Invalid'), means.hard('Invalid')],
      [dropped('Unsubscribed Address'), means.rejected('Unsubscribed Address')],
      [dropped('Spam Reporting Address'), means.rejected('Spam Reporting Address')],
      [dropped('Spam Content'), means.rejected('Spam Content')],
      [{ event: 'deferred', response: '451 Later' }, means.deferred('451 Later')],
      [{ event: 'spamreport' }, 'complained'],
      [{ event: 'unsubscribe' }, 'unsubscribed'],
      [{ event: 'group_unsubscribe' }, 'unsubscribed'],
      [{ event: 'group_resubscribe' }, 'ignored'],
      [{ event: 'processed' }, 'ignored'],
      [{ event: 'open' }, 'ignored'],
      [{ event: 'click' }, 'ignored'],
      [{ event: 'constructor' }, 'ignored'],
    ]),
    [[]],
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
