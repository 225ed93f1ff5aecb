import { formatNumber } from './format.ts'

const rows = (count: number) => (count === 1 ? '1 address' : `${formatNumber(count)} addresses`)

const bounces = (count: number) => (count === 1 ? '1 bounce' : `${formatNumber(count)} bounces`)

/** The words of the screen of suppressions. */
export const suppressionWords = {
  title: 'Suppressions',
  task: 'What to do when an email did not arrive',
  empty:
    'No address is suppressed. Addresses that unsubscribe or bounce are added by themselves; such addresses get no emails.',
  noMatch: 'No suppression matches.',
  bounces: 'Show the bounces',
  search: 'Search by address, sender domain or source',
  add: 'Add an address',
  import: 'Import CSV',
  export: 'Export CSV',
  filter: 'Reason',
  every: 'Every reason',
  address: 'Address',
  reason: 'Reason',
  scope: 'Emails from',
  everySender: 'Every sender',
  source: 'Source',
  transport: 'Transport',
  defaultTransport: 'Default transport',
  linked: {
    address: (address: string) => `Address: ${address}`,
    broadcastId: (id: string) => `Broadcast: ${id}`,
    deliveryId: (id: string) => `Delivery: ${id}`,
  },
  since: 'Since',
  by: (name: string) => `by ${name}`,
  reasons: {
    unsubscribed: 'Unsubscribed',
    bounced: 'Bounced',
    complained: 'Complained',
    manual: 'Added by a person',
  },
  help: {
    reason:
      'Bounced and complained stop every email. The others stop broadcasts and other bulk email.',
    scope: 'A domain such as example.com. Leave it empty for every sender.',
    source: 'Where it comes from, for example an old system.',
    file: 'UTF-8. The first line has the names of the columns: address, and where you have them reason, senderDomain, source and created. Exports of Mailchimp, SendGrid, Postmark and Mailgun work as they are.',
  },
  addTitle: 'Suppress an address',
  added: (address: string) => `${address} is suppressed.`,
  remove: {
    several: (count: number) =>
      `Delete ${count === 1 ? '1 suppression' : `${formatNumber(count)} suppressions`}?`,
    text: 'The addresses get emails again. Delete an unsubscription only if the recipient has asked for it. Reports of them to a Mautic are taken back.',
  },
  undo: {
    action: 'Undo bounces…',
    title: 'Undo bounces',
    broadcast: (id: string) => `broadcast ${id}`,
    transport: (name: string) => `“${name}”`,
    delivery: (id: string) => `delivery ${id}`,
    effect: (foundBy: readonly string[]) =>
      `All bounces that ${foundBy.join(' and ')} found are deleted, whatever else the list is filtered by. The addresses get emails again.`,
    reports:
      'Reports of them to a Mautic are taken back: the contacts are taken off “Do not contact”, unless the entry was changed in Mautic.',
    addedSince: 'Added since',
    addedSinceHelp: 'Empty for all of them.',
    confirm: (count: number | undefined) =>
      count === undefined ? 'Undo' : `Undo ${bounces(count)}`,
    done: (count: number) => `Undone: ${bounces(count)}.`,
  },
  importTitle: 'Import suppressions',
  file: 'CSV file',
  importReason: 'Reason of rows without one',
  runImport: 'Import',
  imported: (created: number, updated: number) =>
    `${rows(created)} added, ${formatNumber(updated)} changed.`,
  failed: (count: number) => `${rows(count)} not imported.`,
  fault: (row: number, error: string) => `Line ${formatNumber(row)}: ${error}`,
  ofContact: {
    title: 'This address is suppressed',
    one: (reason: string, scope: string, date: string) => `${reason} · ${scope} · since ${date}`,
    link: 'Show its suppressions',
  },
}
