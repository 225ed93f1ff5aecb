import type { openDialog } from '../lib/shown.ts'

/** A place or what the shell does, by the words that people look for it with. */
export interface Entry {
  name: string
  /** What tells a record from others of its name. */
  detail?: string
  /** Words that its name does not have. */
  words?: string
  /** The reader needs all of these permissions. */
  needs?: readonly string[]
  href?: string
  /** What the shell does, for an entry without a place. */
  does?: NonNullable<typeof openDialog.value> | 'logOut'
}

const transportsView = 'multipleTransports:view'
const queueEdit = 'queue:view queue:edit'

/** `needs` are separated by spaces. */
function entry(name: string, href: string, needs: string, words = ''): Entry {
  return { name, href, needs: needs.split(' ').filter(Boolean), words }
}

const add = (name: string, href: string, need: string, words = '') =>
  entry(name, href, need, `add new create ${words}`)

/** What can be done. */
export const actions: readonly Entry[] = [
  add('Add a transport', '/transports/new', 'multipleTransports:create', 'provider smtp'),
  add('Add a limit', '/limits/new', 'multipleTransports:create', 'rate quota'),
  add('Add a template', '/templates/new', 'twigtemplates:create'),
  add('Add an email', '/emails/new', 'email:create'),
  add('Add a contact', '/contacts/new', 'contact:create'),
  add('New brand', '/brands/new', 'brand:create'),
  // Administrators of a connected Mautic may do everything.
  add('Connect a Mautic', '/mautics/new', '*'),
  add('Add a webhook', '/webhooks/new', 'api:create', 'notification'),
  add('Add a user', '/access/users/new', 'user:create', 'colleague account invite'),
  add('Add a role', '/access/roles/new', 'user:create', 'permissions rights'),
  add('Add an OAuth client', '/access/clients/new', 'api:create', 'key token'),
  add('Create a DKIM key', '/senders/keys/new', 'multipleTransports:create', 'sign'),
  entry('Send a test', '/transports', 'multipleTransports:edit', 'try transport'),
  entry('Hold, release or retry messages', '/queue', queueEdit, 'stop pause send now'),
  entry('Fire drill', '/routing?view=drill', transportsView, 'outage what if transport is down'),
  entry('Explain a route', '/routing', 'email:view contact:view', 'why which transport'),
  entry('Assign emails to a transport', '/assignments', transportsView, 'move brand users'),
  entry('Decide uncertain deliveries', '/deliveries?outcome=uncertain', 'email:view', 'settle'),
  entry('Suppress an address', '/suppressions', 'contact:edit', 'block do not contact'),
  { name: 'Log out', words: 'sign out leave', does: 'logOut' },
]

/** Where something is set or shown inside of a screen. */
export const settings: readonly Entry[] = [
  entry('Limits: Warm-up', '/limits', transportsView, 'start slowly new ip'),
  entry('Transports: Failover', '/transports/new', 'multipleTransports:create', 'round robin'),
  entry('Transports: Deleted', '/transports?view=deleted', transportsView, 'restore'),
  entry('Emails: Deleted', '/emails?view=deleted', 'email:view', 'restore'),
  entry('Senders: DKIM keys', '/senders/keys', transportsView, 'sign rotate'),
  entry('Senders: SPF, DKIM and DMARC', '/senders', transportsView, 'alignment dns records'),
  entry('Queue: Brakes', '/queue', 'queue:view', 'bulk stopped'),
  entry('Access: Users', '/access', 'user:view', 'password colleagues'),
  entry('Access: Roles', '/access/roles', 'user:view', 'permissions rights'),
  entry('Access: OAuth clients', '/access/clients', 'api:view', 'keys tokens'),
  entry('Access: Sessions', '/access/sessions', '', 'log-ins browsers'),
  entry('Health: Settings in force', '/health', '*', 'configuration environment variables'),
  entry('Health: Version, database, processes', '/health', '*', 'size'),
  { name: 'Colours, dates, time zone', words: 'settings browser dark light', does: 'settings' },
  { name: 'Keys', words: 'keyboard shortcuts', does: 'keys' },
]

/** Words beside a verb that name nothing. */
export const fillers = ['a', 'an', 'the', 'messages', 'of', 'through', 'transport']

/** What can be done with a transport whose name follows a verb. It leads to where one confirms. */
export const deeds: readonly {
  verbs: readonly string[]
  needs: string
  nameOf: (transport: string) => string
  hrefOf: (id: string) => string
}[] = [
  {
    verbs: ['hold', 'release', 'pause', 'stop', 'retry'],
    needs: queueEdit,
    nameOf: (transport) => `Hold or release the messages of ${transport}`,
    hrefOf: (id) => `/queue?transportId=${id}`,
  },
  {
    verbs: ['test', 'send', 'try'],
    needs: 'multipleTransports:edit',
    nameOf: (transport) => `Send a test through ${transport}`,
    hrefOf: (id) => `/transports/${id}`,
  },
  {
    verbs: ['assign', 'move'],
    needs: 'multipleTransports:edit',
    nameOf: (transport) => `Assign emails and users of ${transport}`,
    hrefOf: (id) => `/assignments?transport=${id}`,
  },
]
