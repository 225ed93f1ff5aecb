import { words } from './common.ts'
import { counted, formatNumber } from './format.ts'

/** The words of the screen of assignments. */
export const assignmentWords = {
  intro:
    'Messages of an email are sent through its transport. Messages without an email are sent through the transport of their sender.',
  tabs: { emails: 'Emails', users: 'Users' },
  namespace: 'Assigned emails and users',
  namespaceHelp: 'As the last synchronization has seen them; ids are those in Mautic.',
  search: { emails: 'Search emails', users: 'Search users' },
  empty: { emails: 'No email yet.', users: 'No user yet.' },
  noMatch: 'Nothing matches.',
  names: { emails: 'Email', users: 'User' },
  defaultServer: (server: string) => `Default: ${server}`,
  unpublishedHelp: 'Unpublished: the next step of the route is used.',
  owner: 'Owner’s transport first',
  ownerHelp: 'If the owner of the contact has a transport, it comes first.',
  filter: 'Assigned to',
  anyTransport: 'Any transport',
  byTransport: (name: string) => `Only ${name}`,
  actions: 'Action',
  assignTo: 'Assign the selected to',
  assign: 'Assign',
  unassign: 'Use the default',
  owners: { '': 'Unchanged', first: 'Yes', not: 'No' },
  done: (kind: 'emails' | 'users', count: number, transport: string = words.theDefaultTransport) =>
    `${formatNumber(count)} ${count === 1 ? `${kind.slice(0, -1)} now uses` : `${kind} now use`} ${transport}.`,
  change: (name: string) => `Change the assignment of ${name}`,
  dialog: (name: string) => `Transport of ${name}`,
} as const

/** The words of the screen of routes. */
export const routingWords = {
  tabs: { explain: 'Explain a route', drill: 'Fire drill' },
  explain: {
    intro:
      'Choose what is known of a message. The steps show which transport it is sent through, and why.',
    of: 'Route of',
    email: 'Email',
    contact: 'Contact',
    contactId: 'Id of the contact in Mautic',
    contactIdHelp: 'Its owner in Mautic counts.',
    owner: 'Owner',
    ownerHelp: 'If no contact is chosen.',
    from: 'From address',
    fromHelp: 'If no email is chosen. A user with this address counts as the owner.',
    named: 'Transport that the message names',
    namedHelp: 'The header X-Mailyard-Transport: a name or an id.',
    result: 'Route',
    through: 'It is sent through',
    throughDefault: (server: string | null) =>
      server === null
        ? 'It is sent through the default transport.'
        : `It is sent through the default transport, ${server}.`,
    nothing: 'It is not sent.',
  },
  drill: {
    intro:
      'Mark transports as down; a failover list is down with all its servers. You see which emails and users would be sent through which other transport, or through none. Nothing is changed.',
    of: 'Assigned emails and users',
    down: 'Down',
    add: 'Mark a transport as down',
    remove: (name: string) => `Remove ${name}`,
    run: 'Show what would happen',
    deliveries: (count: number) =>
      counted(
        count,
        'message of the last day would take another route.',
        'messages of the last day would take another route.',
      ),
    through: 'Would be sent through',
    emails: 'Emails',
    users: 'Users',
    messages: 'Messages of the last day',
    email: 'Email',
    domain: 'From domain',
    alignment: 'Alignment',
    why: 'Why',
    now: 'Now through',
    defaultServer: (server: string) => `Default transport: ${server}`,
    none: 'Nothing: not sent',
    owners: 'Several owners',
    nothing: 'Nothing takes another route. What is unpublished is skipped already.',
    counted: (what: string, shown: number, total: number) =>
      shown < total
        ? `${what}: ${formatNumber(shown)} of ${formatNumber(total)}`
        : `${what}: ${formatNumber(total)}`,
  },
} as const
