import {
  means,
  testProviderWebhooks,
  unread,
  type WebhookCase,
} from '../../testing/provider-webhooks.case.test.ts'

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
  ...unread,
  recipient: 'jane@example.net',
  providerId: messageId,
  at: Date.parse('2026-11-26T12:00:00Z'),
}

/** The types of a bounce, and what each is. */
const bounceTypes: [type: string, read: WebhookCase[1]][] = [
  ['HardBounce', { type: 'bounced', class: 'hard' }],
  ['SoftBounce', { type: 'bounced', class: 'soft' }],
  ['Blocked', { type: 'bounced', class: 'soft' }],
  ['SpamNotification', { type: 'bounced', class: 'soft' }],
  ['VirusNotification', { type: 'bounced', class: 'soft' }],
  ['Undeliverable', { type: 'bounced', class: 'soft' }],
  ['Transient', 'deferred'],
  ['DnsError', 'deferred'],
  ['BadEmailAddress', 'rejected'],
  ['ManuallyDeactivated', 'rejected'],
  ['SMTPApiError', 'rejected'],
  ['InactiveRecipient', 'rejected'],
  ['Unsubscribe', 'unsubscribed'],
  ['AutoResponder', 'ignored'],
  ['ChallengeVerification', 'ignored'],
  ['Subscribe', 'ignored'],
  ['Unknown', 'ignored'],
]

const otherRecords = ['Open', 'Click', 'Inbound', 'constructor']

testProviderWebhooks({
  provider: 'postmark',
  read,
  requests: [
    ...bounceTypes.map(([type, read]): WebhookCase => [bounce(type), read]),
    [
      { ...bounce('SoftBounce'), Details: '' },
      means.soft('The server was unable to deliver your message.'),
    ],
    [{ ...bounce('SpamComplaint'), RecordType: 'SpamComplaint' }, 'complained'],
    [
      {
        RecordType: 'Delivery',
        MessageID: messageId,
        Recipient: 'jane@example.net',
        DeliveredAt: bouncedAt,
        Details: 'smtp;250 2.0.0 OK',
      },
      { type: 'delivered', reason: 'smtp;250 2.0.0 OK', eventId: null },
    ],
    // A suppression because of a bounce.
    [change('HardBounce'), { ...changed, type: 'bounced', class: 'hard' }],
    // A suppression because of a complaint.
    [change('SpamComplaint'), { ...changed, type: 'complained' }],
    [change('ManualSuppression'), { ...changed, type: 'unsubscribed' }],
    // The end of a suppression as nothing.
    [change(null, false), { ...changed, type: 'ignored' }],
    ...otherRecords.map(
      (type): WebhookCase => [
        { RecordType: type, MessageID: messageId, Recipient: 'jane@example.net' },
        { ...changed, type: 'ignored', at: null },
      ],
    ),
  ],
})
