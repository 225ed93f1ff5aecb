import { type DeliveryOutcome, outcomes } from '../../src/core/delivery/outcomes.ts'
import { formatNumber, formatShare } from './format.ts'
import { labels, recordWords } from './records.ts'

export const emailWords = {
  ...recordWords('an email'),
  empty: 'No email yet. An email has a subject, HTML and text; it is sent to a contact.',
  search: 'Search by name or subject',
  from: 'From',
  defaultSender: 'Default sender',
  labels: {
    ...labels,
    fromName: 'From: name',
    fromAddress: 'From: address',
    replyToAddress: 'Reply-To',
    customHtml: 'HTML',
    plainText: 'Text',
    headers: 'Headers',
    isTwig: 'Written in Twig',
  },
  help: {
    name: 'For you; recipients do not see it.',
    subject: 'Tokens are replaced, such as {contactfield=firstname|there} and {twigtemplate=1}.',
    fromAddress: 'Without one, the configured sender is used.',
    plainText: 'For programs that show no HTML.',
    isTwig: 'Subject, HTML, text and headers are Twig, with the contact as variables.',
    isPublished: 'An unpublished email is not sent.',
    headers: 'X-Mailyard-Transport names the transport that the email is sent through.',
  },
  header: {
    label: (place: number) => `Name of header ${formatNumber(place)}`,
    value: (place: number) => `Value of header ${formatNumber(place)}`,
    remove: (place: number) => `Remove header ${formatNumber(place)}`,
    add: 'Add a header',
  },
  deleteText:
    'What is deleted can be restored for some time. What was sent stays in the delivery log.',
  usage: {
    title: 'Use',
    outcomes: 'Last deliveries',
    recent: 'Outcomes',
    accepted: (count: number, all: number) => `${formatShare(count, all)} accepted`,
    other: (outcome: DeliveryOutcome, count: number) =>
      `${formatNumber(count)} ${outcomes[outcome].label.toLowerCase()}`,
    about: 'Of the last 1,000 deliveries of 30 days.',
    transport: 'Transport',
    owner: 'The transport of the contact’s owner goes first.',
    deliveries: 'All deliveries',
  },
} as const
