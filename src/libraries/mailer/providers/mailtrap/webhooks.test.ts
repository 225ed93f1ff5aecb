import { createHmac } from 'node:crypto'
import { batchOf, means, testProviderWebhooks } from '../../testing/provider-webhooks.case.test.ts'

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
const signingKey = 'a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6'
const post = (events: object[]) => ({ events: events.map((one) => ({ ...event, ...one })) })
const delivery = { ...event, event: 'delivery' }
const unknownUser = '550 5.1.1 No such user'
const limit = 'Your account has reached its daily sending limit.'
const onList = 'Recipient in suppression list. Reason: unsubscription'
const bouncedBefore = 'Recipient in suppression list. Reason: hard bounce'

testProviderWebhooks({
  provider: 'mailtrap',
  read,
  requests: [
    batchOf(post, [
      [
        { event: 'bounce', response: unknownUser, bounce_category: 'badmailbox' },
        means.hard(unknownUser),
      ],
      [{ event: 'bounce', response: 'Policy', bounce_category: 'spam' }, means.soft('Policy')],
      [{ event: 'bounce', response: unknownUser }, means.hard(unknownUser)],
      [
        { event: 'soft bounce', response: '450 4.2.0 Later', response_code: 450 },
        means.deferred('450 4.2.0 Later'),
      ],
      [
        { event: 'suspension', reason: 'Domain not verified' },
        means.deferred('Domain not verified'),
      ],
      [{ event: 'suspension', reason: 'other' }, 'deferred'],
      [{ event: 'suspension', reason: limit }, means.rejected(limit)],
      [{ event: 'reject', reason: onList }, means.rejected(onList)],
      [{ event: 'reject', reason: bouncedBefore }, means.hard(bouncedBefore)],
      [{ event: 'delivery' }, 'delivered'],
      [{ event: 'spam' }, 'complained'],
      [{ event: 'unsubscribe' }, 'unsubscribed'],
      [{ event: 'open' }, 'ignored'],
      [{ event: 'click' }, 'ignored'],
      [{ event: 'valueOf' }, 'ignored'],
    ]),
    [
      `${JSON.stringify(delivery)}\n${JSON.stringify({ ...event, event: 'spam' })}\n`,
      'delivered',
      'complained',
    ],
    [`${JSON.stringify(delivery)}\n`, 'delivered'],
    [`${JSON.stringify(post([delivery]), null, 2)}\n`, 'delivered'],
    [`${JSON.stringify(post([delivery]))}\r\n`, 'delivered'],
    [{ events: [] }],
  ],
  signing: {
    signingKey,
    otherKey: 'a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d7',
    sign: (body) => ({
      body,
      headers: {
        'mailtrap-signature': createHmac('sha256', signingKey).update(body).digest('hex'),
      },
    }),
  },
})
