import { formatNumber } from './format.ts'
import { labels, recordWords } from './records.ts'

export const webhookWords = {
  ...recordWords('a webhook'),
  search: 'Search by name',
  empty:
    'No webhook yet. A webhook notifies another program or a chat: that a transport fails, messages bounce, a brake holds.',
  labels: {
    ...labels,
    format: 'What it sends',
    url: 'URL of the receiver',
    events: 'Events',
  },
  help: { isPublished: 'An unpublished webhook gets nothing.' },
  urlExample: 'https://example.com/mailyard',
  formats: {
    standard: {
      label: 'Signed events, for a program',
      short: 'Program',
      help: 'JSON with a signature, as Standard Webhooks describes it.',
      about: 'Each event as JSON, signed as Standard Webhooks. For your own software.',
      url: undefined,
    },
    chat: {
      label: 'Sentences, for a chat',
      short: 'Chat',
      help: 'At most one message an hour for each cause.',
      about: 'A sentence in a channel of Slack, Mattermost or the like: what happened, what to do.',
      url: 'The address of an incoming webhook of Slack, Mattermost or another chat that takes {"text": "…"}.',
    },
  },
  about: { title: 'Two kinds' },
  groups: {
    deliveries: 'Deliveries and addresses',
    sending: 'Transports, limits and the queue',
    others: 'Connections',
  },
  chosen: 'Events',
  chosenCount: (count: number, all: number) =>
    count === all ? `All ${formatNumber(all)}` : `${formatNumber(count)} of ${formatNumber(all)}`,
  dead: 'It is not called any more. It is called again after an edit, a successful test, or “Send now” of a message.',
  lastSuccess: 'Last success',
  waiting: 'Waiting',
  tabs: { settings: 'Settings', messages: 'Messages' },
  everyBrand: 'The events of all brands',
  deleteText: 'Messages that wait for it are deleted too.',
  test: {
    title: 'Test',
    help: 'Sends a message of the type webhook.test now, with the saved values.',
    send: 'Send a test',
  },
  secret: {
    help: 'Signs what is sent. It was shown once, when the webhook was created.',
    rotate: {
      action: 'New secret',
      title: 'Create a new secret?',
      text: 'It is shown once. For 24 hours, what is sent is signed with both: give the receiver the new one in that time.',
    },
    verify:
      'The receiver verifies the headers webhook-id, webhook-timestamp and webhook-signature with this secret. A library of Standard Webhooks does it, in most languages:',
    code: "import { Webhook } from 'standardwebhooks'\n\nnew Webhook(secret).verify(body, headers)",
    libraries: 'Libraries of Standard Webhooks',
  },
} as const
