import { createHmac } from 'node:crypto'
import { ignored, means, testProviderWebhooks } from '../../testing/provider-webhooks.case.test.ts'

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

testProviderWebhooks({
  provider: 'sweego',
  read,
  requests: [
    [request('hard_bounce', { response_code: 550, status: null }), means.hard('550')],
    // A soft bounce, which has a hyphen.
    [request('soft-bounce', { response_code: 452, status: '4.2.2' }), means.soft('4.2.2')],
    [request('delivered'), 'delivered'],
    [request('complaint'), 'complained'],
    [request('list_unsub', { one_click: false }), 'unsubscribed'],
    ...ignored(request, 'email_sent', 'email_opened', 'email_clicked', 'toString'),
    [request('hard_bounce', { channel: 'sms' }), 'ignored'],
    // The transaction of a request without headers.
    [
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
