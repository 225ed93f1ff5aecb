import { formatNumber } from './format.ts'

const rows = (count: number) => (count === 1 ? '1 row' : `${formatNumber(count)} rows`)

/** The words of the import of contacts. They are loaded with its screen. */
export const importWords = {
  title: 'Import contacts',
  steps: ['File', 'Columns', 'Check', 'Import'],
  drop: 'Drop a CSV file here, or choose one.',
  choose: 'CSV file',
  notes:
    'Contacts are recognised by their address: one that exists is changed, not doubled. The first row has the names of the columns.',
  reading: (count: number) => `Reading: ${rows(count)}`,
  file: (name: string, count: number) => `${name}: ${rows(count)}`,
  another: 'Choose another file',
  separator: 'Separator',
  separators: { ',': 'Comma', ';': 'Semicolon', '\t': 'Tab', '|': 'Vertical bar' },
  encoding: 'Encoding',
  encodings: {
    'utf-8': 'UTF-8',
    'utf-16le': 'UTF-16 LE',
    'utf-16be': 'UTF-16 BE',
    'windows-1252': 'Windows-1252 (Western)',
  },
  column: 'Column',
  samples: 'Values',
  target: 'Field',
  targetOf: (column: string) => `Field of column ${column}`,
  ignore: 'Do not import',
  owner: 'Owner (id of a user)',
  ownerInvalid: (value: string) => `"${value}" is not the id of a user.`,
  pointsInvalid: (value: string) => `"${value}" is not a whole number.`,
  listHelp:
    'Several tags or segments in one value are separated by comma, semicolon or vertical bar.',
  needsEmail:
    'Choose the column with the email address. Rows without an address are not imported, because nothing tells whether they exist already.',
  twice: (field: string) => `Two columns are imported as ${field}. Choose one of them.`,
  everyRow: 'For every row',
  addTags: 'Add tags',
  addSegments: 'Add to segments',
  check: 'Check the rows',
  checkHelp: 'Nothing is saved yet.',
  checking: (done: number, total: number) => `Checked ${formatNumber(done)} of ${rows(total)}`,
  importing: (done: number, total: number) => `Imported ${formatNumber(done)} of ${rows(total)}`,
  stop: 'Cancel',
  back: 'Change the columns',
  run: (count: number) => `Import ${rows(count)}`,
  goOn: 'Continue',
  progress: 'Progress',
  counts: {
    create: 'New contacts',
    update: 'Changed contacts',
    existing: 'Contacts that existed',
    none: 'Already up to date',
    merged: 'Same address as an earlier row',
    failed: 'Rows with faults',
  },
  done: (count: number) => `The import is complete: ${rows(count)}.`,
  cancelled: (count: number) =>
    `Cancelled. The first ${rows(count)} are imported; continue, or import the same file later: no contact is doubled.`,
  interrupted: (count: number) =>
    `The first ${rows(count)} are imported. Continue when Mailyard can be reached again: no contact is doubled.`,
  checkInterrupted: (count: number) => `The first ${rows(count)} are checked.`,
  faults: 'Rows with faults',
  faultsShown: (shown: number, total: number) =>
    `The first ${formatNumber(shown)} of ${formatNumber(total)} are shown; the file has all of them.`,
  download: 'Download these rows as CSV',
  row: 'Row',
  reason: 'Reason',
  address: 'Address',
  change: 'Change',
  changes: 'Changed contacts',
  changesShown: (shown: number, total: number) =>
    `The first ${formatNumber(shown)} of ${formatNumber(total)} are shown.`,
  merged: (row: number) => `Same address as row ${formatNumber(row)}; both are merged.`,
  noValue: '(empty)',
  noRows:
    'The file has no rows. It needs the names of the columns in the first row, and one contact in each further row.',
  tooManyValues: (count: number, columns: number) =>
    `The row has ${formatNumber(count)} values for ${formatNumber(columns)} columns.`,
  noAddress: 'The row has no email address.',
  openQuote: (row: number) =>
    `Row ${formatNumber(row)} opens a quotation mark that is not closed, or is longer than 100,000 characters. Correct the file, or choose another separator.`,
  contacts: 'Show the contacts',
  more: 'Import another file',
} as const
