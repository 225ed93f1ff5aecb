import type { ReplyClass } from '../../src/libraries/mailer/delivery/reply-class.ts'
import { counted, formatNumber } from './format.ts'
import { labels } from './records.ts'

export const deliveryWords = {
  tabs: {
    all: 'All',
    uncertain: (count: number) =>
      count === 0 ? 'Uncertain' : `Uncertain (${formatNumber(count)})`,
  },
  download: 'Download CSV',
  none: 'No delivery yet. Each attempt to send a message is listed here, with the reply of the server.',
  toEmails: 'Send an email',
  noMatch: 'No delivery matches these filters.',
  searchOn: 'Nothing among the newest deliveries. Continue with “Older”.',
  showNew: (count: number) => `Show ${counted(count, 'new delivery', 'new deliveries')}`,
  showMany: (count: number) => `Show more than ${formatNumber(count)} new deliveries`,
  labels: {
    ...labels,
    time: 'Time',
    outcome: 'Outcome',
    event: 'Event',
    class: 'Refused because of',
    source: 'Submitted by',
    member: 'Server',
    reply: 'Reply',
    search: 'Text in reply or reason',
    providerId: 'Id of the provider',
    emailId: 'Email',
    contactId: 'Contact',
  },
  classes: {
    address: 'Address does not exist',
    authentication: 'SPF, DKIM or DMARC',
    relay: 'Not relayed',
    reputation: 'Block list or reputation',
    content: 'Content',
    rate: 'Too many or too fast',
    mailbox: 'Mailbox full or closed',
    size: 'Too large',
    policy: 'Policy',
    system: 'Fault of the server',
    temporary: 'Not now',
    other: 'Another reason',
  } satisfies Record<ReplyClass, string>,
  one: {
    title: (id: number) => `Delivery ${id}`,
    attempts: 'Attempts',
    message: 'Message',
    noAttempts: 'The delivery log has no attempt.',
    route: 'Route',
    captured: 'Message in the inbox',
    suppressions: 'Suppressions of this address',
    others: 'Other messages to this address',
    allOthers: 'Show all',
  },
  uncertain: {
    title: 'Uncertain deliveries',
    explanation:
      'The connection broke after the whole message was sent, so the server may have it. Search the log of the server, then decide. Nothing is sent again until then.',
    mayNot: 'Deciding needs the permission to send emails.',
    lookFor: 'Search the log for',
    lookIn: (server: string | null, time: string) =>
      `Search the log of ${server ?? 'the server'} around ${time} for`,
    decided: (count: number) => counted(count, 'delivery is decided.', 'deliveries are decided.'),
    notDecided: (count: number) =>
      `${formatNumber(count)} are not: their outcome was known already.`,
    accepted: {
      action: 'It arrived',
      title: (count: number) =>
        count === 1 ? 'Did it arrive?' : `Did all ${formatNumber(count)} arrive?`,
      meaning: 'Counts as accepted. The message is never sent again.',
    },
    deferred: {
      action: 'It did not arrive',
      title: (count: number) =>
        count === 1 ? 'Did it not arrive?' : `Did none of the ${formatNumber(count)} arrive?`,
      meaning:
        'Counts as deferred. Messages in the queue are sent again automatically; others can be submitted again. If it did arrive, the recipient gets it twice.',
    },
  },
} as const
