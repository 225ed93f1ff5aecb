/** The words of the screens of DKIM keys. */
export const keyWords = {
  title: 'DKIM keys',
  intro:
    'Mailyard signs the messages of these domains, where they are sent through SMTP. Providers with an HTTP API sign messages themselves.',
  add: 'Add a key',
  new: 'New DKIM key',
  search: 'Search domains',
  empty:
    'No key yet. A DKIM key signs the messages of one From domain, so that receivers believe it through your own servers.',
  noMatch: 'No key matches.',
  saved: (domain: string) => `The key of ${domain} is created. Publish its record.`,
  domain: 'From domain',
  selector: 'Selector',
  algorithm: 'Algorithm',
  state: 'State',
  checked: 'Last look-up',
  states: {
    waiting: 'Waiting for its record',
    active: 'Active',
    missing: 'Record missing',
    unpublished: 'Unpublished',
  },
  meanings: {
    waiting:
      'Publish the record of this key. Mailyard looks it up regularly, and signs messages as soon as it is found.',
    active: 'Messages of this domain are signed.',
    missing:
      'The record is gone or wrong, so no message is signed. Publish it again; Mailyard looks it up regularly.',
    unpublished: 'No message is signed with this key until it is published again.',
  },
  rotating: 'Rotation under way',
  labels: {
    domain: 'From domain',
    algorithm: 'Algorithm',
    selector: 'Selector',
    privateKey: 'Private key (PEM)',
  },
  help: {
    domain: 'Exactly this domain, not its subdomains. A domain has one key.',
    algorithm: 'Every receiver verifies RSA. Gmail and Outlook.com do not verify Ed25519.',
    selector: 'The first part of the name of the record. Leave it empty for one with the month.',
    privateKey: 'It is stored encrypted, and never shown again.',
  },
  algorithms: { rsa: 'RSA, 2048 bits', ed25519: 'Ed25519' },
  algorithmNames: { rsa: 'RSA', ed25519: 'Ed25519' },
  isImport: 'Import a private key that you have',
  isImportHelp:
    'For example the key of a mail server, whose record is published already. Enter its selector too.',
  create: 'Create the key',
  about: {
    title: 'How it works',
    points: [
      'Mailyard creates the key and shows the DNS record to publish.',
      'Once the record is found, messages with this domain in From are signed.',
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
  rotate: {
    action: 'Rotate',
    title: (domain: string) => `Rotate the key of ${domain}?`,
    text: 'Mailyard creates the next key, whose record you publish. The current key signs until that record is found; then the next one takes its place. No message is left unsigned.',
    started: 'The next key is created. Publish its record.',
  },
  next: {
    title: 'Next key',
    help: 'Publish this record too. It replaces the current key as soon as it is found.',
    cancel: 'Cancel the rotation',
    cancelTitle: 'Cancel the rotation?',
    cancelText:
      'The next key is deleted, and the current one stays. Remove the record of the next one from DNS if it is there.',
    cancelled: 'The rotation is cancelled.',
  },
  removable: {
    title: 'Records of replaced keys',
    help: 'Messages on their way may still need them. Remove each from DNS after its date.',
    now: 'You can remove it now.',
    from: 'You can remove it from this time on:',
  },
  unpublish: {
    title: (domain: string) => `Unpublish the key of ${domain}?`,
    text: 'Messages of this domain are no longer signed by Mailyard, at once. The key and its record stay, and you can publish it again.',
    done: 'The key is unpublished. No message is signed with it.',
  },
  publishDone: 'The key is published.',
  deleteTitle: (domain: string) => `Delete the key of ${domain}?`,
  deleteText:
    'Messages of this domain are no longer signed by Mailyard, at once. The private key cannot be restored. Leave the record in DNS for a week: messages on their way need it.',
} as const
