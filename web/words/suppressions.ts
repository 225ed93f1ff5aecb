import { counted, formatNumber } from './format.ts'

const rows = (count: number) => counted(count, 'address', 'addresses')

const suppressions = (count: number) => counted(count, 'suppression')

/** The words of the screen of suppressions. */
export const suppressionWords = {
  title: 'Suppressions',
  empty:
    'No address is suppressed. Addresses that unsubscribe or bounce are added automatically; such addresses get no emails.',
  noMatch: 'No suppression matches.',
  bounces: 'Show the bounces',
  search: 'Search by address, sender domain or source',
  add: 'Add an address',
  import: 'Import CSV',
  export: 'Export CSV',
  every: 'Every reason',
  everySender: 'Every sender',
  delivery: 'Delivery',
  since: 'Since',
  by: (name: string) => `by ${name}`,
  labels: {
    address: 'Address',
    reason: 'Reason',
    senderDomain: 'Emails from',
    source: 'Source',
  },
  help: {
    reason: 'Bounced and complained stop every email. The others stop bulk email.',
    senderDomain: 'A domain such as example.com. Leave it empty for every sender.',
    source: 'Where it comes from, for example an old system.',
  },
  reasons: {
    unsubscribed: 'Unsubscribed',
    bounced: 'Bounced',
    complained: 'Complained',
    manual: 'Added manually',
  },
  addTitle: 'Suppress an address',
  added: (address: string) => `${address} is suppressed.`,
  deleteMatching: {
    action: 'Delete all that match…',
    title: 'Delete suppressions',
    effect:
      'The addresses get emails again. Delete an unsubscription only if the recipient has asked for it.',
    reports:
      'Reports of them to a Mautic are taken back: the contacts are taken off “Do not contact”, unless the entry was changed in Mautic.',
    addedSince: 'Added since',
    addedSinceHelp: 'Empty for all of them.',
    keep: 'Keep them',
    confirm: (count: number | undefined) =>
      count === undefined ? 'Delete' : `Delete ${suppressions(count)}`,
    done: (count: number) => `Deleted: ${suppressions(count)}.`,
  },
  importTitle: 'Import suppressions',
  file: 'CSV file',
  fileHelp:
    'UTF-8. The first line has the names of the columns: address, and where you have them reason, senderDomain, source and created. Exports of Mailchimp, SendGrid, Postmark and Mailgun work as they are.',
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
    action: 'Unsuppress',
    keep: 'Keep it',
    question: (address: string) => `Send to ${address} again?`,
    effect: {
      unsubscribed:
        'The address gets bulk email again. Do this only if the recipient has asked for it.',
      bounced: 'The address gets every email again. If it still does not exist, it bounces again.',
      complained:
        'The address gets every email again. Do this only if the recipient has asked for it: a second complaint harms the sender.',
      manual: 'The address gets bulk email again.',
    },
    reported: (names: readonly string[]) =>
      `It was reported to ${names.join(', ')}. The report is taken back: the contact leaves “Do not contact” there, unless the entry was changed in Mautic.`,
    done: (address: string) => `${address} gets emails again.`,
  },
}
