import { createHmac } from 'node:crypto'
import {
  hard,
  soft,
  testProviderWebhooks,
  type WebhookCase,
} from '../../testing/provider-webhooks.case.test.ts'

const request = (event_type: string, more: object = {}) => ({
  event_type,
  timestamp: '2026-11-26T12:00:00.416380+00:00',
  swg_uid: '02-0d4affd0-1183-43b1-a980-ab30b3374dd3',
  event_id: '9f26b9d0-13d7-410c-ba04-5019cd30e6d0',
  channel: 'email',
  transaction_id: '8dea05e7-9e8b-43d7-b000-3f7d15304162',
  headers: { 'x-transaction-id': 'd4fbec9d-eed9-44d5-af47-c1126467a5ca' },
  recipient: 'jane@example.net',
  domain_from: 'example.com',
  ...more,
})
const read = {
  recipient: 'jane@example.net',
  providerId: 'd4fbec9d-eed9-44d5-af47-c1126467a5ca',
  otherIds: ['8dea05e7-9e8b-43d7-b000-3f7d15304162', '02-0d4affd0-1183-43b1-a980-ab30b3374dd3'],
  at: Date.parse('2026-11-26T12:00:00.416Z'),
  eventId: '9f26b9d0-13d7-410c-ba04-5019cd30e6d0',
}

const secret = Buffer.from('a secret of twenty-four!')

const ignoredNames = ['email_sent', 'email_opened', 'email_clicked', 'toString']

testProviderWebhooks({
  provider: 'sweego',
  read,
  requests: [
    ['a hard bounce', request('hard_bounce', { response_code: 550, status: null }), hard('550')],
    [
      'a soft bounce, which has a hyphen',
      request('soft-bounce', { response_code: 452, status: '4.2.2' }),
      soft('4.2.2'),
    ],
    ['a delivery', request('delivered'), 'delivered'],
    ['a complaint', request('complaint'), 'complained'],
    ['an unsubscribe', request('list_unsub', { one_click: false }), 'unsubscribed'],
    ...ignoredNames.map((name): WebhookCase => [`${name} as ignored`, request(name), 'ignored']),
    ['what is not of email as ignored', request('hard_bounce', { channel: 'sms' }), 'ignored'],
    [
      'the transaction of a request without headers',
      request('delivered', { headers: null }),
      {
        type: 'delivered',
        providerId: '8dea05e7-9e8b-43d7-b000-3f7d15304162',
        otherIds: ['02-0d4affd0-1183-43b1-a980-ab30b3374dd3'],
      },
    ],
  ],
  signing: {
    signingKey: secret.toString('base64'),
    otherKey: Buffer.from('another secret of twenty').toString('base64'),
    sign(body, at) {
      const id = '9f26b9d0-13d7-410c-ba04-5019cd30e6d0'
      const timestamp = String(Math.floor(at / 1000))
      const sum = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`)
      return {
        body,
        headers: {
          'webhook-id': id,
          'webhook-timestamp': timestamp,
          'webhook-signature': sum.digest('base64'),
        },
      }
    },
    ageMsMax: 300_000,
  },
})
