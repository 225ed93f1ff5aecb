import {
  batchOf,
  means,
  testProviderWebhooks,
  unread,
} from '../../testing/provider-webhooks.case.test.ts'

const event = {
  event_id: '92356927693813856',
  message_id: '000443ee14578172be22',
  raw_rcpt_to: 'Jane@example.net',
  rcpt_to: 'jane@example.net',
  timestamp: '1795694400',
  transmission_id: '65832150921904138',
}
const read = {
  recipient: 'Jane@example.net',
  providerId: '65832150921904138',
  otherIds: ['000443ee14578172be22'],
  at: 1_795_694_400_000,
  eventId: '92356927693813856',
}
const of = (group: string, type: string, more = {}) => ({
  msys: { [group]: { ...event, type, ...more } },
})
const message = (type: string, more = {}) => of('message_event', type, more)
const bounce = (bounce_class: unknown, type = 'bounce') =>
  message(type, { bounce_class, reason: '550 No' })

testProviderWebhooks({
  provider: 'sparkpost',
  read,
  requests: [
    batchOf(
      (events: object[]) => events,
      [
        [message('delivery'), 'delivered'],
        [
          message('delay', { reason: '451 4.7.1 …', raw_reason: '451 4.7.1 Later' }),
          means.deferred('451 4.7.1 Later'),
        ],
        [message('spam_complaint'), 'complained'],
        [bounce('1'), means.soft('550 No')],
        [bounce('10', 'out_of_band'), means.hard('550 No')],
        [bounce('20'), means.soft('550 No')],
        [bounce('22', 'out_of_band'), means.soft('550 No')],
        [bounce('25'), means.rejected('550 No')],
        [bounce('30', 'out_of_band'), means.hard('550 No')],
        [bounce(50), means.soft('550 No')],
        [bounce('60', 'out_of_band'), { type: 'ignored', reason: '550 No' }],
        [bounce('90'), { type: 'unsubscribed', reason: '550 No' }],
        [bounce(undefined, 'out_of_band'), means.soft('550 No')],
        [message('generation_failure', { timestamp: '2026-11-26T12:00:00.000+00:00' }), 'rejected'],
        [of('gen_event', 'generation_rejection'), 'rejected'],
        [of('gen_event', 'generation_failure'), 'rejected'],
        [message('policy_rejection'), 'rejected'],
        [of('unsubscribe_event', 'list_unsubscribe'), 'unsubscribed'],
        [of('unsubscribe_event', 'link_unsubscribe'), 'unsubscribed'],
        [of('track_event', 'initial_open'), 'ignored'],
        [of('relay_event', 'relay_permfail'), 'ignored'],
        [{ msys: null }, { ...unread, type: 'ignored' }],
      ],
    ),
    // The test of the address as no event.
    [[{ msys: {} }]],
    [[7], { ...unread, type: 'ignored' }],
  ],
})
