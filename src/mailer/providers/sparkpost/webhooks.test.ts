import { testProviderWebhooks } from '../../testing/provider-webhooks.case.test.ts'

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
const message = (type: string, more = {}) => ({
  msys: { message_event: { ...event, type, ...more } },
})

testProviderWebhooks({
  provider: 'sparkpost',
  requests: [
    {
      name: 'deliveries, delays and complaints of a batch in order',
      body: [
        message('delivery'),
        message('delay', { reason: '451 4.7.1 …', raw_reason: '451 4.7.1 Later' }),
        message('spam_complaint'),
      ],
      events: [
        { ...read, type: 'delivered' },
        { ...read, type: 'deferred', reason: '451 4.7.1 Later' },
        { ...read, type: 'complained' },
      ],
    },
    {
      name: 'the classes of bounces',
      body: ['1', '10', '20', '22', '25', '30', 50, '60', '90', undefined].map(
        (bounce_class, index) =>
          message(index % 2 === 0 ? 'bounce' : 'out_of_band', { bounce_class, reason: '550 No' }),
      ),
      events: (
        [
          ['bounced', 'soft'],
          ['bounced', 'hard'],
          ['bounced', 'soft'],
          ['bounced', 'soft'],
          ['rejected', null],
          ['bounced', 'hard'],
          ['bounced', 'soft'],
          ['ignored', null],
          ['unsubscribed', null],
          ['bounced', 'soft'],
        ] as const
      ).map(([type, severity]) => ({ ...read, type, class: severity, reason: '550 No' })),
    },
    {
      name: 'the date of a failure to generate a message',
      body: message('generation_failure', { timestamp: '2026-11-26T12:00:00.000+00:00' }),
      events: [{ ...read, type: 'rejected' }],
    },
    {
      name: 'events of other groups',
      body: [
        { msys: { gen_event: { ...event, type: 'generation_rejection' } } },
        { msys: { gen_event: { ...event, type: 'generation_failure' } } },
        { msys: { message_event: { ...event, type: 'policy_rejection' } } },
        { msys: { unsubscribe_event: { ...event, type: 'list_unsubscribe' } } },
        { msys: { unsubscribe_event: { ...event, type: 'link_unsubscribe' } } },
        { msys: { track_event: { ...event, type: 'initial_open' } } },
        { msys: { relay_event: { ...event, type: 'relay_permfail' } } },
      ],
      events: [
        { ...read, type: 'rejected' },
        { ...read, type: 'rejected' },
        { ...read, type: 'rejected' },
        { ...read, type: 'unsubscribed' },
        { ...read, type: 'unsubscribed' },
        { ...read, type: 'ignored' },
        { ...read, type: 'ignored' },
      ],
    },
    { name: 'the test of the address as no event', body: [{ msys: {} }], events: [] },
    {
      name: 'what is no event as nothing',
      body: [{ msys: null }, 7],
      events: [{ type: 'ignored' }, { type: 'ignored' }],
    },
  ],
})
