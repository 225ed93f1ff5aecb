import { labels } from './records.ts'

export const inboxWords = {
  title: 'Inbox',
  message: 'Message',
  empty:
    'No captured message yet. A transport with the DSN inbox://local captures messages instead of sending them, to try out emails and templates.',
  noMatch: 'No captured message matches.',
  labels: {
    ...labels,
    recipients: 'Recipients',
    time: 'Captured',
  },
  noSubject: 'No subject',
  nullSender: 'None, as of a bounce',
  notSent: 'Captured, not sent',
  remove: {
    title: (subject: string) => `Delete “${subject}”?`,
    text: 'The captured message cannot be restored.',
    done: 'The captured message is deleted.',
  },
  clear: {
    action: 'Delete all',
    title: 'Delete all captured messages?',
    text: 'Those that the filter does not show are deleted too. They cannot be restored.',
  },
  parts: 'Parts of the message',
  tabs: { html: 'HTML', text: 'Text', headers: 'Headers', source: 'Source' },
  frame: 'HTML of the message',
  noHtml: 'The message has no HTML.',
  noText: 'The message has no text.',
  images: 'Load images of other servers',
  imagesHelp: 'They tell the sender that the message was read.',
  downloadSource: 'Download the source',
  cut: (shown: string, total: string) => `The first ${shown} of ${total}; the download has it all.`,
  attachments: 'Attachments',
  attachment: (name: string, type: string, size: string) => `${name} (${type}, ${size})`,
} as const
