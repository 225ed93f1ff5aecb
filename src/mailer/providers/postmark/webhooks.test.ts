import { testProviderWebhooks } from '../../testing/provider-webhooks.case.test.ts'

const messageId = '8a3f1c52-1d1f-4b4e-9d6e-2f8c0c5a7b11'
const bouncedAt = '2026-11-26T14:00:00.1234567+02:00'

/** A bounce and what is read of it. */
const bounce = (type: string) => ({
  RecordType: 'Bounce',
  MessageStream: 'outbound',
  ID: 4_323_372_036,
  Type: type,
  MessageID: messageId,
  Description: 'The server was unable to deliver your message.',
  Details: 'smtp;550 5.1.1 No such user',
  Email: 'jane@example.net',
  BouncedAt: bouncedAt,
})
const read = {
  recipient: 'jane@example.net',
  providerId: messageId,
  at: Date.parse('2026-11-26T12:00:00.123Z'),
  reason: 'smtp;550 5.1.1 No such user',
  eventId: '4323372036',
}

/** A change of the suppressions and what is read of it. */
const change = (reason: string | null, isSuppressed = true) => ({
  RecordType: 'SubscriptionChange',
  MessageID: messageId,
  ChangedAt: '2026-11-26T12:00:00Z',
  Recipient: 'jane@example.net',
  Origin: 'Recipient',
  SuppressSending: isSuppressed,
  SuppressionReason: reason,
})
const changed = {
  recipient: 'jane@example.net',
  providerId: messageId,
  at: Date.parse('2026-11-26T12:00:00Z'),
}

const softTypes = [
  'SoftBounce',
  'Blocked',
  'SpamNotification',
  'VirusNotification',
  'Undeliverable',
]

const deferredTypes = ['Transient', 'DnsError']

const rejectedTypes = [
  'BadEmailAddress',
  'ManuallyDeactivated',
  'SMTPApiError',
  'InactiveRecipient',
]

const ignoredTypes = ['AutoResponder', 'ChallengeVerification', 'Subscribe', 'Unknown']

const otherRecords = ['Open', 'Click', 'Inbound', 'constructor']

testProviderWebhooks({
  provider: 'postmark',
  requests: [
    {
      name: 'a hard bounce',
      body: bounce('HardBounce'),
      events: [{ ...read, type: 'bounced', class: 'hard' }],
    },
    {
      name: 'a bounce without details',
      body: { ...bounce('SoftBounce'), Details: '' },
      events: [
        {
          ...read,
          type: 'bounced',
          class: 'soft',
          reason: 'The server was unable to deliver your message.',
        },
      ],
    },
    ...softTypes.map((type) => ({
      name: `${type} as a soft bounce`,
      body: bounce(type),
      events: [{ ...read, type: 'bounced' as const, class: 'soft' as const }],
    })),
    ...deferredTypes.map((type) => ({
      name: `${type} as a deferral`,
      body: bounce(type),
      events: [{ ...read, type: 'deferred' as const }],
    })),
    ...rejectedTypes.map((type) => ({
      name: `${type} as a rejection`,
      body: bounce(type),
      events: [{ ...read, type: 'rejected' as const }],
    })),
    ...ignoredTypes.map((type) => ({
      name: `${type} as nothing`,
      body: bounce(type),
      events: [{ ...read, type: 'ignored' as const }],
    })),
    {
      name: 'a request to unsubscribe by mail',
      body: bounce('Unsubscribe'),
      events: [{ ...read, type: 'unsubscribed' }],
    },
    {
      name: 'a complaint',
      body: { ...bounce('SpamComplaint'), RecordType: 'SpamComplaint' },
      events: [{ ...read, type: 'complained' }],
    },
    {
      name: 'a delivery',
      body: {
        RecordType: 'Delivery',
        MessageID: messageId,
        Recipient: 'jane@example.net',
        DeliveredAt: bouncedAt,
        Details: 'smtp;250 2.0.0 OK',
      },
      events: [{ ...read, type: 'delivered', reason: 'smtp;250 2.0.0 OK', eventId: null }],
    },
    {
      name: 'an address that may not be sent to because of a bounce',
      body: change('HardBounce'),
      events: [{ ...changed, type: 'bounced', class: 'hard' }],
    },
    {
      name: 'an address that may not be sent to because of a complaint',
      body: change('SpamComplaint'),
      events: [{ ...changed, type: 'complained' }],
    },
    {
      name: 'an unsubscription',
      body: change('ManualSuppression'),
      events: [{ ...changed, type: 'unsubscribed' }],
    },
    {
      name: 'an address that may be sent to again as nothing',
      body: change(null, false),
      events: [{ ...changed, type: 'ignored' }],
    },
    ...otherRecords.map((type) => ({
      name: `${type} as nothing`,
      body: { RecordType: type, MessageID: messageId, Recipient: 'jane@example.net' },
      events: [{ ...changed, type: 'ignored' as const, at: null }],
    })),
  ],
})
