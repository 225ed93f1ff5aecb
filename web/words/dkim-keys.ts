import { words } from './common.ts'
import { recordWords } from './records.ts'

export const keyWords = {
  ...recordWords('a DKIM key'),
  intro:
    'Mailyard signs the messages of these domains, where they are sent through SMTP. Providers with an HTTP API sign messages themselves.',
  add: 'Add a key',
  search: 'Search domains',
  empty:
    'No key yet. A DKIM key signs the messages of one From domain, so that receivers believe it through your own servers.',
  noBrand: 'Log-ins without a brand',
  labels: {
    domain: 'From domain',
    brand: 'Signs messages of',
    algorithm: 'Algorithm',
    selector: 'Selector',
    privateKey: 'Private key (PEM)',
    isImport: 'Import a private key that you have',
    isPublished: words.published,
  },
  help: {
    domain: 'Exactly this domain, not its subdomains.',
    brand: 'The key signs these messages, and nothing else. Each brand needs a key of its own.',
    algorithm: 'Every receiver verifies RSA. Gmail and Outlook.com do not verify Ed25519.',
    selector: 'The first part of the name of the record. Leave it empty for one with the month.',
    privateKey: 'It is stored encrypted, and never shown again.',
    isImport:
      'For example the key of a mail server, whose record is published already. Enter its selector too.',
    isPublished: 'Without it, messages of this domain are no longer signed by Mailyard, at once.',
  },
  algorithms: { rsa: 'RSA, 2048 bits', ed25519: 'Ed25519' },
  algorithmNames: { rsa: 'RSA', ed25519: 'Ed25519' },
  create: 'Create the key',
  about: {
    title: 'How it works',
    points: [
      'Mailyard creates the key and shows the DNS record to publish.',
      'Once the record is found, messages with this domain in From are signed, for the log-ins that you choose.',
      'Only messages through SMTP transports are signed: providers with an HTTP API build messages again and sign them themselves.',
      'A transport with “dkim=off” in its DSN is not signed.',
    ],
  },
  record: 'DNS record to publish',
  recordHelp: 'Paste name and value into the form of your DNS provider, the value in one piece.',
  zone: 'As a line of a zone file',
  published: 'The record is in DNS. Leave it there while the key is used.',
  checkNow: 'Check now',
  checkedNow: 'The record was looked up.',
  facts: {
    added: 'Created',
    checked: 'Last look-up',
    active: 'First found',
  },
  notYet: 'Not yet',
  sender: 'See the transports of this domain',
  replace: {
    title: 'Replace this key',
    steps: [
      'Create another key. It is not used yet.',
      'Publish its record, beside that of this key.',
      'Publish the key here: it takes the place of this one, as soon as its record is in DNS.',
      'Leave the record of this key in DNS for a week, because messages on their way need it. Then delete this key.',
    ],
    action: 'Create another key',
  },
  deleteText:
    'Messages of this domain are no longer signed by Mailyard, at once. The private key cannot be restored. Leave the record in DNS for a week: messages on their way need it.',
} as const
