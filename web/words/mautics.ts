import { formatNumber } from './format.ts'
import { labels, loginRuleWords, recordWords } from './records.ts'
import { smtpWords } from './smtp.ts'

export const mauticWords = {
  ...recordWords('a Mautic'),
  new: 'Connect a Mautic',
  saveUntested: 'Save without the test',
  tabs: { state: 'State', settings: 'Settings', reports: 'Reports' },
  ofMailyard: 'that of Mailyard',
  empty:
    'No Mautic is connected. A connected Mautic sends through Mailyard without a plug-in, and its emails and users keep their ids.',
  search: 'Search by name or URL',
  add: 'Connect a Mautic',
  known: 'Emails, users',
  counts: (emails: number, users: number) => `${formatNumber(emails)}, ${formatNumber(users)}`,
  brandHelp: 'Its records and messages belong to this brand.',
  urlExample: 'https://mautic.example.com',
  labels: {
    ...labels,
    url: 'URL of Mautic',
    login: 'Log in to its API with',
    clientId: 'Client ID (public key)',
    clientSecret: 'Client secret (secret key)',
    username: 'User name',
    password: 'Password',
    transport: 'Default transport',
    smtpMode: smtpWords.mode,
    hosts: 'Host names under which API clients reach it',
    roleMap: 'Roles',
    isReporting: 'Put refused and suppressed addresses on its Do not contact list',
    ...loginRuleWords.labels,
    isTagging: 'Tag contacts whose messages are refused: mailyard-refused',
  },
  logins: {
    user: {
      label: 'A user and password',
      help: 'Recommended. In Mautic: a user whose role may view all emails, contacts and users, edit all contacts, view and publish all webhooks, create webhooks, and delete them (Delete Own and Delete Others), and nothing else. Enable HTTP basic auth in the API settings.',
    },
    client: {
      label: 'API credentials',
      help: 'Quick. In Mautic, as an administrator: Settings > API Credentials > New, OAuth 2, with any https address as redirect URI. They have all rights of an administrator, and a webhook that they create has no owner.',
    },
  },
  help: {
    ...loginRuleWords.help,
    networks:
      'Addresses and networks, one on each line: those of Mautic itself, which submits mail, and of API clients at its addresses here. Empty: from everywhere.',
    smtpMode: smtpWords.modeHelp,
    name: 'Part of its addresses: /mautic/name. Lower case letters, digits and hyphens.',
    url: 'Where you open Mautic in a browser.',
    transport:
      'For everything that comes from it, unless its email or owner has another one. Without one, messages wait, unless Mailyard itself has a default transport (MAILYARD_MAILER_DSN).',
    hosts:
      'One on each line. They lead to Mailyard, which serves only the API of this Mautic under them. Mautic keeps its own address for pages, links and tracking.',
    roleMap:
      'Users with a role of Mautic get a role of Mailyard. Others get what their role in Mautic allows.',
    password: 'It has to be entered again if the URL names another host.',
  },
  role: {
    theirs: (number: number) => `Role of Mautic ${formatNumber(number)}`,
    ours: (number: number) => `Role of Mailyard ${formatNumber(number)}`,
    remove: (number: number) => `Remove role ${formatNumber(number)}`,
    add: 'Add a role',
    choose: 'Choose a role',
  },
  inbox: {
    use: 'Try it with the inbox',
    help: 'Captures the messages of this Mautic and sends none.',
    name: 'Inbox',
  },
  deleteTitle: (name: string) => `Disconnect the Mautic "${name}"?`,
  deleteText:
    'Its webhook in Mautic is deleted, its SMTP log-in stops working, and its assignments and everything known of it are deleted. Messages that are still queued take the default transport, and expire if there is none: empty its queue first.',
  connect: {
    next: 'What happens next',
    submit: 'Connect',
    connected: (name: string) => `Mautic "${name}" is connected`,
    stored: (name: string) => `Mautic "${name}" is stored, and not connected yet`,
    steps: {
      dsn: 'Enter the DSN in Mautic',
      headers: 'Optional: two custom headers',
      check: 'Check',
      webhook: 'Create the webhook',
      message: 'Send a test message from Mautic',
    },
    open: 'Open this Mautic',
  },
  dsn: {
    label: 'Mailer DSN',
    once: 'Shown this once. Only a new password shows it again.',
    where: 'In Mautic: Configuration > Email Settings. Where it has a field for each part:',
    path: 'Path',
    options: 'Options',
    empty: 'empty',
  },
  headers: {
    title: 'Custom headers',
    help: 'In Mautic: Configuration > Email Settings > Custom headers. Each message then names its contact and owner, so that nothing has to be looked up. A header here replaces one of the same name in an email.',
    contact: '{contactfield=id}',
    owner: '{contactfield=owner_id}',
  },
  webhook: {
    title: 'Webhook',
    unknown: 'Nothing has come yet',
    about:
      'With it, changes of the Do not contact list are taken over at once. Without it, additions are taken over within a minute, and removals within an hour. Create it again when it was changed, unpublished or deleted in Mautic.',
    create: 'Create the webhook',
    createAgain: 'Create it again',
    labels: {
      url: 'Where Mautic reaches Mailyard',
      acceptsUnproven: 'Only Mautic can reach this address',
    },
    help: {
      url: 'Leave it empty for the public URL of Mailyard.',
      acceptsUnproven: 'Mailyard then does not check that the address leads here.',
    },
    created: (id: number, url: string) => `Webhook ${id} of this Mautic leads to ${url}.`,
    existed: (id: number, url: string) =>
      `Webhook ${id} of this Mautic was there already: it leads to ${url}.`,
    id: 'Id in Mautic',
    address: 'Address',
    lastChange: 'Last change',
    problem: 'It has a problem',
    deleteTitle: 'Delete the webhook in Mautic?',
    deleteText:
      'Additions to the Do not contact list are then taken over within a minute, and removals within an hour.',
  },
  lastMessage: 'Last message',
  status: {
    title: 'Synchronization',
    emails: 'Emails known',
    users: 'Users known',
    read: 'Changes read',
    readAll: 'Everything read',
    problem: 'It cannot be read',
    reinstalled: 'It was reinstalled',
    accept: {
      action: 'Accept and read it again',
      title: 'Read this Mautic again?',
      text: 'What is known of its emails and users is deleted and read again. All their assignments are deleted too, because the ids mean other emails and users now: note them first, and assign the transports again afterwards. What waits is sent through the default transport then, unless you hold it in the queue first.',
    },
  },
  smtp: {
    title: 'SMTP log-in',
    shownOnce: 'shown once; a new one is shown again',
    renew: {
      action: 'New password',
      title: 'Create a new SMTP password?',
      text: 'The old one stops working at once: enter the new DSN in Mautic right after.',
    },
    shown: (name: string) => `The new DSN of "${name}"`,
    done: 'I have copied it',
  },
  refused: 'Refused messages',
}
