import { batchOf, means, testProviderWebhooks } from '../../testing/provider-webhooks.case.test.ts'

/** JSON with an id that a double cannot hold. */
const post = (events: object[]) =>
  JSON.stringify(events.map((one) => ({ ...event, ...one }))).replaceAll(
    '"LARGE"',
    '1152921504606846977',
  )

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

const bounce = (hard_bounce: boolean, error_related_to: string, error: string) => ({
  event: 'bounce',
  hard_bounce,
  error_related_to,
  error,
})
const blocked = (error_related_to: string, error: string) => ({
  event: 'blocked',
  error_related_to,
  error,
})

testProviderWebhooks({
  provider: 'mailjet',
  read,
  requests: [
    batchOf(post, [
      [
        { event: 'sent', mj_message_id: '1152921504606846977', smtp_reply: 'sent (250 OK)' },
        means.delivered('sent (250 OK)'),
      ],
      [bounce(true, 'recipient', 'user unknown'), means.hard('recipient: user unknown')],
      [
        { ...bounce(false, 'recipient', 'quota exceeded'), comment: '452 4.2.2 Mailbox full' },
        means.soft('452 4.2.2 Mailbox full'),
      ],
      [bounce(false, 'domain', 'greylisted'), means.deferred('domain: greylisted')],
      [bounce(true, 'spam', 'content blocked'), means.soft('spam: content blocked')],
      [blocked('mailjet', 'preblocked'), means.rejected('mailjet: preblocked')],
      [blocked('domain', 'typofix'), means.rejected('domain: typofix')],
      [blocked('recipient', 'user unknown'), means.hard('recipient: user unknown')],
      [{ event: 'unsub', mj_list_id: 1 }, 'unsubscribed'],
      [{ event: 'open' }, 'ignored'],
      [{ event: 'click' }, 'ignored'],
      [{ event: 'toString' }, 'ignored'],
    ]),
    [post([{ event: 'spam', source: 'JMRPP' }]).slice(1, -1), 'complained'],
  ],
})
