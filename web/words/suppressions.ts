import { counted, formatNumber } from './format.ts'

const rows = (count: number) => counted(count, 'address', 'addresses')

export const suppressionWords = {
  title: 'Suppressions',
  empty:
    'No address is suppressed. Addresses that unsubscribe or bounce are added automatically; such addresses get no emails.',
  noMatch: 'No suppression matches.',
  search: 'Search by address, sender domain or source',
  add: 'Add an address',
  import: 'Import CSV',
  export: 'Export CSV',
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
  deleteMatching: 'Delete all that match…',
  importTitle: 'Import suppressions',
  file: 'CSV file',
  chooseFile: 'Drop a file here, or click to choose one',
  fileHelp:
    'UTF-8. The first line has the names of the columns: address, and where you have them reason, senderDomain, source and created. Exports of Mailchimp, SendGrid, Postmark and Mailgun work as they are.',
  importReason: 'Reason of rows without one',
  runImport: 'Import',
  imported: (created: number, updated: number) =>
    `${rows(created)} added, ${formatNumber(updated)} changed.`,
  failed: (count: number) => `${rows(count)} not imported.`,
  fault: (row: number, error: string) => `Line ${formatNumber(row)}: ${error}`,
}
