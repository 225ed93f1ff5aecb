import { testProviderWebhooks } from '../../testing/provider-webhooks.case.test.ts'

/** JSON with an id that a double cannot hold. */
const withLargeId = (...events: object[]) =>
  JSON.stringify(events).replaceAll('"LARGE"', '1152921504606846977')

const event = {
  time: 1_795_694_400,
  MessageID: 'LARGE',
  Message_GUID: '5577705c-024a-472d-8918-29ef81a64738',
  email: 'jane@example.net',
  mj_campaign_id: 0,
  mj_contact_id: 1000,
  customcampaign: '',
  Payload: '',
}
const read = {
  recipient: 'jane@example.net',
  providerId: '1152921504606846977',
  otherIds: ['5577705c-024a-472d-8918-29ef81a64738'],
  at: 1_795_694_400_000,
}

testProviderWebhooks({
  provider: 'mailjet',
  requests: [
    {
      name: 'deliveries, with all digits of the id',
      body: withLargeId({
        ...event,
        event: 'sent',
        mj_message_id: '1152921504606846977',
        smtp_reply: 'sent (250 2.0.0 OK)',
      }),
      events: [{ ...read, type: 'delivered', reason: 'sent (250 2.0.0 OK)' }],
    },
    {
      name: 'a single event',
      body: withLargeId({ ...event, event: 'spam', source: 'JMRPP' }).slice(1, -1),
      events: [{ ...read, type: 'complained' }],
    },
    {
      name: 'hard and soft bounces, and what is tried again',
      body: withLargeId(
        {
          ...event,
          event: 'bounce',
          hard_bounce: true,
          error_related_to: 'recipient',
          error: 'user unknown',
        },
        {
          ...event,
          event: 'bounce',
          hard_bounce: false,
          error_related_to: 'recipient',
          error: 'quota exceeded',
          comment: '452 4.2.2 Mailbox full',
        },
        {
          ...event,
          event: 'bounce',
          hard_bounce: false,
          error_related_to: 'domain',
          error: 'greylisted',
        },
        {
          ...event,
          event: 'bounce',
          hard_bounce: true,
          error_related_to: 'spam',
          error: 'content blocked',
        },
      ),
      events: [
        { ...read, type: 'bounced', class: 'hard', reason: 'recipient: user unknown' },
        { ...read, type: 'bounced', class: 'soft', reason: '452 4.2.2 Mailbox full' },
        { ...read, type: 'deferred', reason: 'domain: greylisted' },
        { ...read, type: 'bounced', class: 'soft', reason: 'spam: content blocked' },
      ],
    },
    {
      name: 'what Mailjet did not try, and why',
      body: withLargeId(
        { ...event, event: 'blocked', error_related_to: 'mailjet', error: 'preblocked' },
        { ...event, event: 'blocked', error_related_to: 'domain', error: 'typofix' },
        { ...event, event: 'blocked', error_related_to: 'recipient', error: 'user unknown' },
      ),
      events: [
        { ...read, type: 'rejected', reason: 'mailjet: preblocked' },
        { ...read, type: 'rejected', reason: 'domain: typofix' },
        { ...read, type: 'bounced', class: 'hard', reason: 'recipient: user unknown' },
      ],
    },
    {
      name: 'unsubscribes, and the rest as ignored',
      body: withLargeId(
        { ...event, event: 'unsub', mj_list_id: 1 },
        { ...event, event: 'open' },
        { ...event, event: 'click' },
        { ...event, event: 'toString' },
      ),
      events: [
        { ...read, type: 'unsubscribed' },
        { ...read, type: 'ignored' },
        { ...read, type: 'ignored' },
        { ...read, type: 'ignored' },
      ],
    },
  ],
})
