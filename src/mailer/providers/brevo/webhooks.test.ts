import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WebhookError } from '../../events/provider-webhooks.ts'
import { testProviderWebhooks } from '../../testing/provider-webhooks.case.test.ts'
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
const each = (names: string[], type: 'rejected' | 'complained' | 'unsubscribed' | 'ignored') => ({
  body: names.map((name) => ({ ...event, event: name })),
  events: names.map(() => ({ ...read, type })),
})

testProviderWebhooks({
  provider: 'brevo',
  requests: [
    {
      name: 'a hard bounce',
      body: { ...event, event: 'hard_bounce', reason: '550 5.1.1 No such user' },
      events: [{ ...read, type: 'bounced', class: 'hard', reason: '550 5.1.1 No such user' }],
    },
    {
      name: 'a batch, with a soft bounce, a deferral and a delivery',
      body: [
        { ...event, event: 'soft_bounce', reason: 'server is down' },
        { ...event, event: 'deferred', reason: '451 4.7.1 Later' },
        { ...event, event: 'delivered' },
      ],
      events: [
        { ...read, type: 'bounced', class: 'soft', reason: 'server is down' },
        { ...read, type: 'deferred', reason: '451 4.7.1 Later' },
        { ...read, type: 'delivered' },
      ],
    },
    { name: 'what Brevo did not try', ...each(['blocked', 'invalid_email', 'error'], 'rejected') },
    { name: 'complaints under both names', ...each(['spam', 'complaint'], 'complained') },
    {
      name: 'unsubscribes under both names',
      ...each(['unsubscribed', 'unsubscribe'], 'unsubscribed'),
    },
    {
      name: 'opens, clicks and what is unknown as ignored',
      ...each(
        [
          'request',
          'sent',
          'opened',
          'unique_opened',
          'proxy_open',
          'unique_proxy_open',
          'click',
          'list_addition',
          'constructor',
          '',
        ],
        'ignored',
      ),
    },
    {
      name: 'a request, whose reason says nothing',
      body: { ...event, event: 'request', reason: 'sent' },
      events: [{ ...read, type: 'ignored' }],
    },
    {
      name: 'the seconds of an event without milliseconds',
      body: { ...event, event: 'delivered', ts_epoch: undefined },
      events: [{ ...read, type: 'delivered', at: 1_795_694_400_000 }],
    },
  ],
})

test('brevo: an inbound email is refused with what to change', async () => {
  const read = brevoWebhooks.read(Buffer.from('{"items":[{"Uuid":["x"]}]}'))
  await assert.rejects(read, (error: unknown) => {
    assert.ok(error instanceof WebhookError)
    assert.match(error.message, /inbound email of Brevo/)
    return true
  })
})
