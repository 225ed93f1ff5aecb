import assert from 'node:assert/strict'
import { test } from 'node:test'
import { batchOf, means, testProviderWebhooks } from '../../testing/provider-webhooks.case.test.ts'
import { brevoWebhooks } from './webhooks.ts'

const event = {
  id: 4711,
  email: 'jane@example.net',
  'message-id': '<202611261208.17112967225@smtp-relay.mailin.fr>',
  date: '2026-11-26 13:00:00',
  ts: 1_795_694_395,
  ts_event: 1_795_694_400,
  ts_epoch: 1_795_694_400_462,
  tags: ['news'],
  subject: 'Hello',
}
const read = {
  recipient: 'jane@example.net',
  providerId: '<202611261208.17112967225@smtp-relay.mailin.fr>',
  at: 1_795_694_400_462,
}
const post = (events: object[]) => events.map((one) => ({ ...event, ...one }))

testProviderWebhooks({
  provider: 'brevo',
  read,
  requests: [
    batchOf(post, [
      [
        { event: 'hard_bounce', reason: '550 5.1.1 No such user' },
        means.hard('550 5.1.1 No such user'),
      ],
      [{ event: 'soft_bounce', reason: 'server is down' }, means.soft('server is down')],
      [{ event: 'deferred', reason: 'Later' }, means.deferred('Later')],
      [{ event: 'delivered' }, 'delivered'],
      [{ event: 'blocked' }, 'rejected'],
      [{ event: 'invalid_email' }, 'rejected'],
      [{ event: 'error' }, 'rejected'],
      [{ event: 'spam' }, 'complained'],
      [{ event: 'complaint' }, 'complained'],
      [{ event: 'unsubscribed' }, 'unsubscribed'],
      [{ event: 'unsubscribe' }, 'unsubscribed'],
      // Its reason says nothing.
      [{ event: 'request', reason: 'sent' }, 'ignored'],
      [{ event: 'sent' }, 'ignored'],
      [{ event: 'unique_opened' }, 'ignored'],
      [{ event: 'click' }, 'ignored'],
      [{ event: 'constructor' }, 'ignored'],
      [{ event: '' }, 'ignored'],
    ]),
    // A single event, and its seconds where it has no milliseconds.
    [
      { ...event, event: 'delivered', ts_epoch: undefined },
      { type: 'delivered', at: 1_795_694_400_000 },
    ],
  ],
})

test('brevo: an inbound email is refused with what to change', () =>
  assert.rejects(brevoWebhooks.read(Buffer.from('{"items":[{"Uuid":["x"]}]}')), {
    name: 'WebhookError',
    message: /inbound email of Brevo/,
  }))
