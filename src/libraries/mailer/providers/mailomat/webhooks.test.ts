import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import {
  ignored,
  isGenuine,
  means,
  testProviderWebhooks,
} from '../../testing/provider-webhooks.case.test.ts'
import { mailomatWebhooks } from './webhooks.ts'

const request = (eventType: string, payload: object = {}) => ({
  id: '29e785c1-dd0c-4efc-9d41-909d4109769f',
  eventType,
  occurredAt: '2026-11-26T13:00:00+01:00',
  messageUuid: '1684f904-596e-4d9f-ba16-ead5c4d27957',
  messageId: '7bb4cd3f@shop.example.com',
  recipient: 'jane@example.net',
  payload: {
    event: eventType,
    timestamp: 1_795_694_400.198222,
    'message-uuid': '1684f904-596e-4d9f-ba16-ead5c4d27957',
    message: { headers: { 'message-id': '<7bb4cd3f@shop.example.com>' } },
    ...payload,
  },
})
const read = {
  recipient: 'jane@example.net',
  providerId: '29e785c1-dd0c-4efc-9d41-909d4109769f',
  otherIds: ['1684f904-596e-4d9f-ba16-ead5c4d27957', '7bb4cd3f@shop.example.com'],
  at: Date.parse('2026-11-26T12:00:00Z'),
  eventId: '29e785c1-dd0c-4efc-9d41-909d4109769f',
}
const status = (code: number, enhanced: string, message: string) => ({
  'delivery-status': { 'attempt-nr': 1, code, 'enhanced-code': enhanced, message },
})

const id = '1d958822-0934-4c6a-abc8-5defec4baa64'
const signingKey = 'NgD3IyUA0oLfkM5IyL8tdMNJeIYeBXOpAcnulN1du1aqh3jFbo766lKdJvMePUy5'

testProviderWebhooks({
  provider: 'mailomat',
  read,
  requests: [
    // A permanent failure of the address.
    [
      request('failure_perm', status(550, '5.1.1', '5.1.1 address unknown')),
      means.hard('550 5.1.1 address unknown'),
    ],
    // A permanent failure for the policy of the server.
    [request('failure_perm', status(554, '5.7.1', '5.7.1 listed')), means.soft('554 5.7.1 listed')],
    [
      request('failure_tmp', status(451, '4.7.1', '4.7.1 greylisted')),
      means.deferred('451 4.7.1 greylisted'),
    ],
    [request('delivered', status(250, '2.0.0', '2.0.0 OK')), means.delivered('250 2.0.0 OK')],
    [
      request('not_accepted', { reason: 'Not enough remaining emails' }),
      means.rejected('Not enough remaining emails'),
    ],
    ...ignored(request, 'accepted', 'opened', 'clicked', 'constructor'),
  ],
  signing: {
    signingKey,
    otherKey: signingKey.toLowerCase(),
    sign(body, at) {
      const timestamp = String(Math.floor(at / 1000))
      const sum = createHmac('sha256', signingKey).update(`${id}.delivered.${timestamp}`)
      return {
        body,
        headers: {
          'x-mom-webhook-id': id,
          'x-mom-webhook-event': 'delivered',
          'x-mom-webhook-timestamp': timestamp,
          'x-mom-webhook-signature': `sha256=${sum.digest('hex')}`,
        },
      }
    },
    ageMsMax: 43_200_000,
    coversBody: false,
    genuine: { token: `${id}.delivered.1795694400` },
  },
})

test('mailomat: a signature that another program made is accepted', async () => {
  const headers = {
    'x-mom-webhook-id': id,
    'x-mom-webhook-event': 'delivered',
    'x-mom-webhook-timestamp': '1718004211',
    // Of the tests of Symfony's bridge.
    'x-mom-webhook-signature':
      'sha256=1a1e3be272212aefe668db51231f54ba66759d6d4b9c5e03d4aa6825f8eb157c',
  }
  const options = { key: signingKey, at: 1_718_004_300_000 }
  assert.equal(await isGenuine(mailomatWebhooks, { headers }, options), true)
})
