import { AppError } from '../kit/app-error.ts'
import type { SuppressionReason } from './table.ts'

/** The values of a row that are read; `dateAdded` is text. */
export type ImportField = 'address' | 'reason' | 'senderDomain' | 'source' | 'dateAdded'

/** A column of a CSV file. */
export interface ImportColumn {
  field: ImportField
  /** The reason of a row that has a value in this column, if it names none itself. */
  reason?: SuppressionReason
}

/**
 * The columns of a CSV file, in small letters without separators: those of the export, and those of the exports of
 * Mailchimp, SendGrid, Postmark and Mailgun.
 */
const columns: Readonly<Record<string, ImportColumn>> = {
  address: { field: 'address' },
  email: { field: 'address' },
  emailaddress: { field: 'address' },
  recipient: { field: 'address' },
  reason: { field: 'reason' },
  suppressionreason: { field: 'reason' },
  senderdomain: { field: 'senderDomain' },
  source: { field: 'source' },
  created: { field: 'dateAdded' },
  createdat: { field: 'dateAdded' },
  dateadded: { field: 'dateAdded' },
  unsubtime: { field: 'dateAdded', reason: 'unsubscribed' },
  cleantime: { field: 'dateAdded', reason: 'bounced' },
}

/** Other words for reasons, in small letters without separators. */
const reasons: Readonly<Record<string, SuppressionReason>> = {
  unsubscribe: 'unsubscribed',
  unsubscribes: 'unsubscribed',
  bounce: 'bounced',
  bounces: 'bounced',
  hardbounce: 'bounced',
  complaint: 'complained',
  complaints: 'complained',
  spam: 'complained',
  spamcomplaint: 'complained',
  spamreport: 'complained',
  manualsuppression: 'manual',
}

/** Finds the columns by their names; undefined for those that are not read. Throws an AppError (`invalid`). */
export function findColumns(names: readonly string[]): (ImportColumn | undefined)[] {
  const matches = names.map((name) => lookUp(columns, name))
  if (matches.some((column) => column?.field === 'address')) return matches
  const message =
    'The first line must have the names of the columns: "address" or "email", and where wanted "reason", "senderDomain", "source" and "created".'
  throw new AppError('invalid', 'csv_without_address', message)
}

/** Translates another system's reason; returns what it does not know as it is. SendGrid has the reply of the server. */
export function translateReason(text: string): string {
  if (/^(?:5\d\d|5\.\d{1,3}\.\d{1,3})\b/.test(text)) return 'bounced'
  return lookUp(reasons, text) ?? text
}

function lookUp<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  const key = name.toLowerCase().replaceAll(/[^a-z]/g, '')
  return Object.hasOwn(table, key) ? table[key] : undefined
}

const isoDate = /^\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?$/
const zonedDate = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)? ?(?:Z|UTC|[+-]\d\d:?\d\d)$/i
const mailDate = /^(?:[A-Z][a-z]{2}, )?\d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d/

/**
 * Reads a date: ISO 8601, with a blank for the `T` as well, a date of an email, or seconds since 1970. Without a time zone
 * it is UTC.
 *
 * @returns Milliseconds since the epoch; undefined if the text is no such date.
 */
export function parseImportDate(text: string): number | undefined {
  if (/^\d{9,10}$/.test(text)) return Number(text) * 1_000
  const iso = text.replace(' ', 'T')
  const time = isoDate.test(text)
    ? Date.parse(iso.length > 10 ? `${iso}Z` : iso)
    : zonedDate.test(text)
      ? Date.parse(iso.replace(/ ?UTC$/i, 'Z').replace(' ', ''))
      : mailDate.test(text)
        ? Date.parse(text)
        : Number.NaN
  return Number.isNaN(time) ? undefined : time
}
