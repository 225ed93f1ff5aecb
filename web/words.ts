import { type DeliveryOutcome, deliveryOutcomes, outcomes } from '../src/delivery/outcomes.ts'
import { formatNumber } from './lib/format.ts'
import { accessWords } from './words/access.ts'
import { contactWords } from './words/contacts.ts'
import { deliveryWords } from './words/deliveries.ts'
import { emailWords } from './words/emails.ts'
import { healthWords } from './words/health.ts'
import { assignmentWords, routingWords } from './words/routing.ts'
import { templateWords } from './words/templates.ts'
import { transportWords } from './words/transports.ts'

const outcomeLabels = Object.fromEntries(
  deliveryOutcomes.map((each) => [each, outcomes[each].label]),
) as Readonly<Record<DeliveryOutcome, string>>

/**
 * All words of the console, in one catalogue, ready for translation: first those that several screens use, then a part
 * for each screen. Texts with values are functions.
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
  refusedDeliveries: 'Show the refused deliveries',
  removeFilter: (filter: string) => `Remove the filter ${filter}`,
  search: 'Search',
  refresh: 'Refresh',
  all: 'All',
  skip: 'Skip to content',
  menu: 'Menu',
  notFound: 'This page does not exist',
  retry: 'Try again',
  copy: 'Copy',
  show: 'Show',
  hide: 'Hide',
  showValue: (label: string) => `Show: ${label}`,
  copied: 'Copied.',
  copyText: (text: string) => `Copy ${text}`,
  unsaved: 'You have unsaved changes. Leave this page?',
  noAnswer: 'Mailyard does not answer. Check the connection, then try again.',
  connectionLost:
    'The connection to Mailyard is lost. It is being restored; what you typed is kept.',
  outdated: 'Mailyard was updated. Reload the page to continue.',
  reload: 'Reload',
  session: {
    ended: 'Your session has ended',
    again: 'Log in again to continue where you were. What you typed is kept.',
    isOther: 'Another user has logged in.',
  },
  curl: {
    title: 'Copy as curl',
    help: 'Runs the same request in a terminal; curl asks for your password. Secrets are replaced by ********. For a saved transport these keep the stored secret; otherwise put yours in their place.',
    change: 'Last change',
    read: 'Read by this screen',
    copy: (request: string) => `Copy ${request} as curl`,
  },
  answered: (status: number) => `The server answered ${status}.`,
  none: '–',
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
    pages: 'Pages',
    pagesOf: (list: string) => `Pages: ${list}`,
    previous: 'Previous',
    next: 'Next',
    range: (first: number, last: number, total: number) =>
      `${formatNumber(first)}–${formatNumber(last)} of ${formatNumber(total)}`,
  },
  batch: {
    done: (action: string, done: number) => `${action}: ${formatNumber(done)}.`,
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
  sources: { api: 'API', broadcast: 'Broadcast', smtp: 'SMTP' },
  login: {
    title: 'Log in',
    submit: 'Log in',
    logOut: 'Log out',
    username: 'User name or email',
    password: 'Password',
    setPassword: {
      title: 'Choose a password',
      password: 'New password',
      confirm: 'The password again',
      help: '8 characters or more.',
      different: 'Both must be the same.',
      submit: 'Save and log in',
    },
  },
  overview: {
    title: 'Overview',
    nothing: 'The screens that you may view are in the menu.',
    outcomes: {
      title: 'Messages by outcome',
      range: 'Time',
      ranges: { hour: 'Hour', day: 'Day', week: 'Week' },
      chart: 'Chart of the messages by outcome. The table below has its numbers.',
      table: 'Show as a table',
      time: 'Since',
    },
    failing: {
      title: 'Failing transports',
      all: 'Failed tests',
      none: 'No transport failed in the last hour, and no test has failed.',
      noReason: 'The reason is not shown to you.',
    },
    uncertain: {
      title: 'Waiting for a decision',
      all: 'Decide',
      none: 'No delivery is uncertain.',
    },
    broadcasts: {
      title: 'Running broadcasts',
      all: 'All broadcasts',
      none: 'No broadcast is running.',
      progress: (done: string, total: string) => `${done} of ${total}`,
    },
    refusals: {
      title: 'Latest refusals',
      all: 'All refusals',
      none: 'No message was refused.',
    },
    steps: {
      intro: 'Nothing has been sent yet. Three steps to the first message:',
      done: 'Done',
      add: {
        title: 'Add a transport',
        text: 'A mail server or a provider that Mailyard sends through.',
        action: 'Add a transport',
      },
      test: {
        title: 'Test it',
        text: 'A test message shows each stage, and what to do if one fails.',
        action: 'Test the transport',
      },
      send: {
        title: 'Send',
        text: 'Write an email, assign the transport, and send it to a contact or a segment.',
        action: 'Choose an email',
      },
    },
  },
  transports: transportWords,
  assignments: assignmentWords,
  routing: routingWords,
  emails: emailWords,
  contacts: contactWords,
  templates: templateWords,
  // All other words of these screens are loaded with them: words/broadcasts.ts, words/inbox.ts.
  broadcasts: { title: 'Broadcasts' },
  suppressions: { title: 'Suppressions' },
  limits: { title: 'Limits' },
  mautics: { title: 'Mautics' },
  deliveries: deliveryWords,
  queue: { title: 'Queue' },
  inbox: { title: 'Inbox' },
  access: accessWords,
  health: healthWords,
  find: {
    title: 'Find',
    open: 'Find',
    keys: 'Ctrl K',
    placeholder: 'Transport, template, email, contact, or an address',
    help: 'Arrow keys choose, Enter opens, Escape closes.',
    screens: 'Screens',
    results: 'Results',
    searching: 'Searching…',
    nothing: (text: string) => `Nothing has “${text}” in it.`,
    found: (count: number) => `${formatNumber(count)} found. Arrow keys choose, Enter opens.`,
  },
} as const
