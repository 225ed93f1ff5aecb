import type { DeliveryOutcome } from '../../src/core/delivery/outcomes.ts'
import { words } from './common.ts'
import { formatNumber, formatShare } from './format.ts'
import { labels, recordWords } from './records.ts'

/** The words of the screens of emails. */
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
      `${formatNumber(count)} ${words.outcomes[outcome].toLowerCase()}`,
    about: 'Of the last 1,000 deliveries of 30 days.',
    transport: 'Transport',
    owner: 'The transport of the contact’s owner goes first.',
    unpublished: 'It is unpublished, so that the next step of the route is used.',
    deliveries: 'All deliveries',
  },
  tokens: {
    includes: 'Includes',
    noTemplate: (id: string) => `There is no template ${id}.`,
    unpublished: (name: string) => `Template “${name}” is unpublished, so that it prints nothing.`,
    keys: 'Type { for tokens and templates. Ctrl+Space completes, Ctrl+F searches.',
  },
  preview: {
    title: 'Preview',
    contact: 'As this contact gets it',
    contactHelp: 'Without one, the fallbacks of the fields are shown.',
    example: 'An example contact',
    subject: 'Subject',
    from: 'From',
    to: 'To',
    route: 'Transport',
    defaultTransport: 'The default transport',
    html: 'HTML',
    text: 'Text',
    noHtml: 'The email has no HTML.',
    noText: 'The email has no text.',
    frame: 'The email as HTML',
    error: (message: string, template: string | null, line: number, column: number) =>
      `${template === null ? '' : `Template ${template}, `}line ${line}, column ${column}: ${message}`,
  },
  send: {
    toContact: 'Send to this contact',
    chooseContact: 'Choose a contact to send the email to it.',
    confirm: (name: string, to: string) => `Send “${name}” to ${to}?`,
    confirmText: 'The contact gets the email at once, as it is saved.',
    confirmAction: 'Send',
    toMe: 'Send a test to yourself',
    toMeHelp: (address: string) => `To ${address}, with the values of the form, saved or not.`,
    noAddress: 'Your user has no email address that a test could be sent to.',
    accepted: (to: string) => `The transport accepted the message to ${to}.`,
    queued: (to: string, reason: string | null) =>
      `The message to ${to} is stored, not sent: ${reason ?? 'the server has not answered yet'}. Mailyard tries again; see the queue.`,
    unsaved: 'Save the email to send it to a contact.',
    unpublished: 'Publish the email to send it to a contact.',
  },
} as const
