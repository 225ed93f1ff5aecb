import { formatNumber } from './format.ts'

/** The words of the events of a transport's providers. */
export const transportEventWords = {
  title: 'Events of the provider',
  why: 'Once they are set up, Mailyard knows of bounces, complaints and unsubscribes that come after the provider accepted a message.',
  setUp: 'Set up',
  other: 'Provider behind this server',
  otherLabel: 'Provider',
  otherHelp:
    'It reports what happens to the messages later. For a relay host, a server of your own with Postal, and the mail command.',
  noOther: 'None that reports events',
  states: {
    waiting: 'No event yet',
    works: 'Works',
    problem: 'Problem',
  },
  url: 'Address',
  notPublic: (provider: string) =>
    `${provider} cannot call this address: it leads into a private network, or is not of HTTPS. Set MAILYARD_PUBLIC_URL to the https:// address at which the internet reaches Mailyard.`,
  urlHelp: 'It contains a secret: give it to the provider only.',
  steps: (provider: string) => `What to do at ${provider}`,
  signingKeyHelp: (provider: string) => `It proves that events come from ${provider}.`,
  saved: 'The key is saved.',
  last: 'Last event',
  received: 'Received',
  others: {
    ignored: (count: number) => `${formatNumber(count)} ignored, such as opens and clicks`,
    unknown: (count: number) => `${formatNumber(count)} of messages that Mailyard does not know`,
    refused: (count: number) =>
      `${formatNumber(count)} ${count === 1 ? 'request' : 'requests'} refused`,
  },
  removeTitle: (provider: string) => `Stop receiving the events of ${provider}?`,
  removeText:
    'The address stops working at once. Delete the webhook at the provider, too. Setting it up again gives another address.',
} as const
