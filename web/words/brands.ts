import { labels, recordWords } from './records.ts'

export const brandWords = {
  ...recordWords('a brand'),
  add: 'New brand',
  brand: 'Brand',
  shown: 'Shown brand',
  all: 'All brands',
  none: 'None: all brands use it',
  choose: 'Choose a brand',
  number: (id: number | string) => `Brand ${id}`,
  empty:
    'No brand yet. A brand is whose mail it is: its From domains, transports, templates and people. Users with brands see these only.',
  deleteText: 'A brand that a record, user or Mautic still has cannot be deleted.',
  labels: {
    ...labels,
    domains: 'From domains and addresses',
    color: 'Color',
  },
  help: {
    domains:
      'One on each line, and each subdomain too. Log-ins of the brand send as these only. Empty: as any.',
    color: 'Of its dot in lists.',
    isPublished: 'Log-ins of an unpublished brand send nothing.',
  },
  anySender: 'Any',
  steps: {
    title: 'Next steps',
    help: 'You can leave and come back: this page knows what is done.',
    done: 'Done',
    transport: 'Add a transport',
    test: 'Test it',
    login: 'Connect a Mautic, or add a log-in',
    mautic: 'Connect a Mautic',
    user: 'Add a user',
    client: 'Add an OAuth client',
  },
  cards: {
    today: 'Mail of today',
    nothing: 'Nothing was sent today.',
    domains: 'Alignment of its domains',
    noDomains: 'It sends as any domain.',
    notSeen: 'No message yet. Open it to check the domain.',
    noTransports: 'It has no transport of its own.',
    noLimits: 'It has no limit of its own.',
    logins: 'Mautics and OAuth clients',
    noLogins: 'It has none of its own.',
    people: 'People',
    noPeople: 'No user has it among their brands. Users without brands see it, too.',
    all: 'All',
  },
} as const
