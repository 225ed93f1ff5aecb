import {
  type DeliveryOutcome,
  deliveryOutcomes,
  outcomes,
} from '../../src/core/delivery/outcomes.ts'
import { counted, formatNumber } from './format.ts'

const outcomeLabels = Object.fromEntries(
  deliveryOutcomes.map((each) => [each, outcomes[each].label]),
) as Readonly<Record<DeliveryOutcome, string>>

/**
 * The words that several screens use. All words of the console stand in this folder, ready for translation: those of a
 * screen in a separate file, which is loaded with the screen. Texts with values are functions.
 */
export const words = {
  product: 'Mailyard',
  loading: 'Loading',
  close: 'Close',
  cancel: 'Cancel',
  save: 'Save',
  change: 'Change',
  remove: 'Remove',
  discard: 'Discard changes',
  delete: 'Delete',
  undo: 'Undo',
  deleted: 'Deleted',
  filters: { clear: 'Clear', more: 'More filters' },
  removeFilter: (filter: string) => `Remove the filter ${filter}`,
  search: 'Search',
  refresh: 'Refresh',
  all: 'All',
  skip: 'Skip to content',
  menu: 'Menu',
  notFound: 'This page does not exist',
  notFoundHelp: (path: string) =>
    `Nothing is at ${path}. Choose a screen in the menu, or press / to find a record.`,
  retry: 'Try again',
  copy: 'Copy',
  show: 'Show',
  hide: 'Hide',
  showValue: (label: string) => `Show: ${label}`,
  copied: 'Copied.',
  notCopied:
    'The browser does not let this page copy. Select the text and press Ctrl+C, or open Mailyard over HTTPS.',
  copyText: (text: string) => `Copy ${text}`,
  leave: {
    title: 'Leave without saving?',
    text: 'You have unsaved changes on this page.',
    stay: 'Stay',
    go: 'Leave',
  },
  noAnswer: 'Mailyard does not answer. Check the connection, then try again.',
  connectionLost:
    'The connection to Mailyard is lost. It is being restored; what you typed is kept.',
  outdated: 'Mailyard was updated. Reload the page to continue.',
  reload: 'Reload',
  /** How the stages of a test end. */
  stages: { running: 'Running', ok: 'Passed', failed: 'Failed', skipped: 'Skipped' },
  session: {
    ended: 'Your session has ended',
    again: 'Log in again to continue where you were. What you typed is kept.',
    isOther: 'Another user has logged in.',
  },
  pageMenu: { title: 'More', apiDocs: 'API documentation', help: 'How to …' },
  curl: {
    none: 'This screen has sent no request that can be repeated.',
    title: 'Copy as curl',
    help: 'Runs the same request in a terminal; curl asks for your password. Secrets are replaced by ********. For a saved transport these keep the stored secret; otherwise put yours in their place.',
    change: 'Last change',
    read: 'Read by this screen',
    copy: (request: string) => `Copy ${request} as curl`,
  },
  answered: (status: number) => `The server answered ${status}.`,
  none: '–',
  noneYet: 'None yet',
  never: 'Never',
  lastSent: 'Last sent',
  oldest: 'oldest',
  more: (count: number) => `and ${formatNumber(count)} more`,
  moreBelow: (count: number) => `And ${formatNumber(count)} more.`,
  showMore: (count: number) => `Show ${formatNumber(count)} more`,
  default: 'Default',
  defaultTransport: 'Default transport',
  theDefaultTransport: 'the default transport',
  transportNumber: (id: number | string) => `Transport ${id}`,
  partOfAddress: 'Address, or a part of it',
  since: 'since',
  until: 'until',
  now: 'now',
  keepIt: 'Keep it',
  keepThem: 'Keep them',
  /** What a button does to the selected records: with their number, where they are several. */
  withNumber: (verb: string, count: number) =>
    count > 1 ? `${verb} ${formatNumber(count)}` : verb,
  /** A secret that is shown once. */
  secret: {
    label: 'Secret',
    of: (name: string) => `The secret of "${name}"`,
    once: 'It is shown this once. Store it now; it cannot be read later.',
    stored: 'I have stored it',
  },
  state: 'State',
  changed: 'Changed',
  attempts: (count: number) => `after ${counted(count, 'attempt')}`,
  settings: {
    title: 'Settings',
    open: (zone: string) => `Settings. Times are shown in ${zone}.`,
    dates: 'Dates and numbers',
    timeZone: 'Time zone',
    help: 'For this browser.',
  },
  keys: {
    title: 'Keys',
    list: [
      ['/', 'Find, also Ctrl K'],
      ['j', 'Next row of a table'],
      ['k', 'Previous row of a table'],
      ['x', 'Select the row'],
      ['Shift + click', 'Select all rows between'],
      ['Enter', 'Open the row'],
      ['Ctrl S', 'Save'],
      ['?', 'This list'],
    ],
  },
  groups: {
    send: 'Send',
    content: 'Content',
    people: 'People',
    watch: 'Watch',
    setUp: 'Set up',
  },
  counts: {
    queue: (count: number) => `${formatNumber(count)} in the queue`,
    uncertain: (count: number) => `${formatNumber(count)} uncertain`,
    findings: (count: number) => counted(count, 'finding'),
  },
  scheme: 'Colours',
  schemes: { system: 'System', light: 'Light', dark: 'Dark' },
  published: 'Published',
  unpublished: 'Unpublished',
  publish: 'Publish',
  unpublish: 'Unpublish',
  table: {
    selectAll: (caption: string) => `${caption}: select all on this page`,
    select: (key: string | number) => `Select ${key}`,
    selected: (count: number) => `${formatNumber(count)} selected`,
    clear: 'Clear selection',
    selectMatches: (count: number) => `Select all ${formatNumber(count)} that match`,
    pages: 'Pages',
    pagesOf: (list: string) => `Pages: ${list}`,
    previous: 'Previous',
    next: 'Next',
    range: (first: number, last: number, total: number) =>
      `${formatNumber(first)}–${formatNumber(last)} of ${formatNumber(total)}`,
  },
  batch: {
    done: (action: string, done: number) => `${action}: ${formatNumber(done)}.`,
    unchanged: 'All of them have this state already.',
    failed: (failed: number, all: number) =>
      `${formatNumber(failed)} of ${formatNumber(all)} failed.`,
    item: (id: number, message: string) => `${formatNumber(id)}: ${message}`,
  },
  picker: {
    placeholder: 'Search',
    nothing: 'Nothing matches.',
    clear: (label: string) => `${label}: choose none`,
  },

  tokens: { remove: (value: string) => `Remove ${value}` },
  outcomes: outcomeLabels,
  route: {
    outcomes: { taken: 'Taken', skipped: 'Skipped', noted: 'Found' },
    sources: {
      named: 'Named in the message',
      owner: 'Owner or sender',
      email: 'Email',
      mautic: 'Mautic’s default',
      default: 'Default',
    },
  },
  sources: { api: 'API', smtp: 'SMTP' },
  login: {
    submit: 'Log in',
    logOut: 'Log out',
    username: 'User name or email',
    password: 'Password',
    help: {
      title: 'First start, or a forgotten password?',
      cases: [
        {
          when: 'Mailyard was started for the first time',
          what: 'Its output has a link to choose the password of admin, and a password. If you followed the README, the password is in the file',
          command: 'data/password',
        },
        {
          when: 'You have forgotten your password',
          what: 'Ask an administrator for a new one; or run, where Mailyard runs:',
          command: 'mailyard users password NAME',
        },
      ],
    },
    setPassword: {
      title: 'Choose a password',
      labels: { password: 'New password', confirm: 'The password again' },
      help: { password: '8 characters or more.' },
      different: 'Both must be the same.',
      submit: 'Save and log in',
    },
  },
  /** The screens, as the menu names them. */
  places: {
    overview: 'Overview',
    transports: 'Transports',
    limits: 'Limits',
    assignments: 'Assignments',
    routing: 'Routing',
    senders: 'Senders',
    templates: 'Templates',
    emails: 'Emails',
    contacts: 'Contacts',
    suppressions: 'Suppressions',
    deliveries: 'Deliveries',
    queue: 'Queue',
    inbox: 'Inbox',
    health: 'Health',
    mautics: 'Mautics',
    webhooks: 'Webhooks',
    access: 'Access',
  },
  find: {
    title: 'Find',
    open: 'Find',
    keys: 'Ctrl K',
    placeholder: 'Record, screen, address, or “new transport”',
    help: 'Arrow keys choose, Enter opens, Escape closes.',
    screens: 'Screens',
    actions: 'Actions',
    /** What people type to add something. */
    adding: 'new create',
    add: {
      transports: 'Add a transport',
      limits: 'Add a limit',
      templates: 'Add a template',
      emails: 'Add an email',
      contacts: 'Add a contact',
      mautics: 'Connect a Mautic',
      webhooks: 'Add a webhook',
    },
    results: 'Results',
    searching: 'Searching…',
    nothing: (text: string) => `Nothing has “${text}” in it.`,
    found: (count: number) => `${formatNumber(count)} found. Arrow keys choose, Enter opens.`,
  },
} as const

/** The steps through a list, the newest first. */
export const nextPagesWords = { newest: 'Newest', older: 'Older' }
