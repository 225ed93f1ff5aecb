import { createHmac } from 'node:crypto'
import { testProviderWebhooks } from '../../testing/provider-webhooks.case.test.ts'

const event = {
  timestamp: 1_795_694_400,
  sending_stream: 'transactional',
  message_id: '1df37d17-0286-4d8b-8edf-bc4ec5be86e6',
  email: 'jane@example.net',
  event_id: 'bede7236-2284-43d6-a953-1fdcafd0fdbc',
}
const read = {
  recipient: 'jane@example.net',
  providerId: '1df37d17-0286-4d8b-8edf-bc4ec5be86e6',
  at: 1_795_694_400_000,
  eventId: 'bede7236-2284-43d6-a953-1fdcafd0fdbc',
}
const delivery = { ...event, event: 'delivery' }
const unknownUser = '550 5.1.1 No such user'
const limit = 'Your account has reached its daily sending limit.'
const onList = 'Recipient in suppression list. Reason: unsubscription'
const bouncedBefore = 'Recipient in suppression list. Reason: hard bounce'

testProviderWebhooks({
  provider: 'mailtrap',
  requests: [
    {
      name: 'bounces of the address, and of the message',
      body: {
        events: [
          { ...event, event: 'bounce', response: unknownUser, bounce_category: 'badmailbox' },
          { ...event, event: 'bounce', response: 'Local policy', bounce_category: 'spam' },
          { ...event, event: 'bounce', response: unknownUser },
        ],
      },
      events: [
        { ...read, type: 'bounced', class: 'hard', reason: unknownUser },
        { ...read, type: 'bounced', class: 'soft', reason: 'Local policy' },
        { ...read, type: 'bounced', class: 'hard', reason: unknownUser },
      ],
    },
    {
      name: 'what Mailtrap tries again as deferred',
      body: {
        events: [
          { ...event, event: 'soft bounce', response: '450 4.2.0 Later', response_code: 450 },
          { ...event, event: 'suspension', reason: 'Domain not verified' },
          { ...event, event: 'suspension', reason: 'other' },
        ],
      },
      events: [
        { ...read, type: 'deferred', reason: '450 4.2.0 Later' },
        { ...read, type: 'deferred', reason: 'Domain not verified' },
        { ...read, type: 'deferred' },
      ],
    },
    {
      name: 'what Mailtrap does not send',
      body: {
        events: [
          { ...event, event: 'suspension', reason: limit },
          { ...event, event: 'reject', reason: onList },
          { ...event, event: 'reject', reason: bouncedBefore },
        ],
      },
      events: [
        { ...read, type: 'rejected', reason: limit },
        { ...read, type: 'rejected', reason: onList },
        { ...read, type: 'bounced', class: 'hard', reason: bouncedBefore },
      ],
    },
    {
      name: 'deliveries, complaints and unsubscribes, and the rest as ignored',
      body: {
        events: ['delivery', 'spam', 'unsubscribe', 'open', 'click', 'valueOf'].map((name) => ({
          ...event,
          event: name,
        })),
      },
      events: [
        { ...read, type: 'delivered' },
        { ...read, type: 'complained' },
        { ...read, type: 'unsubscribed' },
        { ...read, type: 'ignored' },
        { ...read, type: 'ignored' },
        { ...read, type: 'ignored' },
      ],
    },
    {
      name: 'JSON Lines',
      body: `${JSON.stringify(delivery)}\n${JSON.stringify({ ...event, event: 'spam' })}\n`,
      contentType: 'application/jsonlines',
      events: [
        { ...read, type: 'delivered' },
        { ...read, type: 'complained' },
      ],
    },
    {
      name: 'one line of JSON Lines',
      body: `${JSON.stringify(delivery)}\n`,
      events: [{ ...read, type: 'delivered' }],
    },
    {
      name: 'JSON of several lines, and JSON with a line end',
      body: `${JSON.stringify({ events: [delivery] }, null, 2)}\n`,
      events: [{ ...read, type: 'delivered' }],
    },
    {
      name: 'JSON with a line end',
      body: `${JSON.stringify({ events: [delivery] })}\r\n`,
      events: [{ ...read, type: 'delivered' }],
    },
    { name: 'an empty batch', body: { events: [] }, events: [] },
  ],
  signing: {
    signingKey: 'a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6',
    otherKey: 'a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d7',
    sign: (body) => ({
      body,
      headers: {
        'mailtrap-signature': createHmac('sha256', 'a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6')
          .update(body)
          .digest('hex'),
      },
    }),
  },
})
