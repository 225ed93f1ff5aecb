import { AppError } from '../../kit/app-error.ts'
import type { SuppressionReason } from './scope.ts'

/** The values of a row that are read; `dateAdded` is text, and `hint` is a reason if it is a known one. */
export type ImportField =
  | 'address'
  | 'reason'
  | 'hint'
  | 'senderDomain'
  | 'brand'
  | 'source'
  | 'dateAdded'

/** A column of a CSV file. */
export interface ImportColumn {
  field: ImportField
  /** The reason of a row that has a value in this column, if it names none itself. */
  reason: SuppressionReason | undefined
}

/**
 * The columns of a CSV file, in small letters without separators: those of the export, and those of the exports of
 * Mailchimp, SendGrid, Postmark, Mailgun, Brevo, SES, SparkPost, Mandrill, Mailtrap and listmonk.
 */
const columns = new Map<string, ImportColumn>([
  ...columnsOf('address', 'address email emailaddress emailadresse mail useremail recipient'),
  ...columnsOf('reason', 'reason suppressionreason reasoncode status code'),
  ...columnsOf('hint', 'type bouncetype suppressiontype bouncereason contactstatus'),
  ...columnsOf('senderDomain', 'senderdomain'),
  ...columnsOf('brand', 'brand'),
  ...columnsOf('source', 'source'),
  ...columnsOf('dateAdded', 'created createdat dateadded blockedat lastupdatetime timestamp'),
  ...columnsOf('dateAdded', 'unsubtime unsubscribedat', 'unsubscribed'),
  ...columnsOf('dateAdded', 'cleantime bouncedat hardbouncedat', 'bounced'),
  ...columnsOf('dateAdded', 'complainedat', 'complained'),
])

function columnsOf(field: ImportField, names: string, reason?: SuppressionReason) {
  return names.split(' ').map((name): [string, ImportColumn] => [name, { field, reason }])
}

/** Words for reasons, in small letters without separators. The last ones are none: such an address gets emails. */
const words: Readonly<Record<SuppressionReason | 'none', string>> = {
  unsubscribed:
    'unsubscribed unsub unsubscribe unsubscribes unsubscription listunsubscribe unsubscribelink globalunsubscribe groupunsubscribe unsubscribedviaemail unsubscribedviaapi unsubscribedviama optout optedout',
  bounced:
    'bounced bounce bounces bouncerule hard permanent hardbounce hardbounces hardbounced bademailaddress cleaned invalid invalidemail',
  complained:
    'complained complaint complaints spam spamcomplaint spamreport spamreports contactflaggedasspam markedasspam abuse',
  manual:
    'manual custom manualsuppression manualimport manuallyadded manuallydeactivated adminblocked blocklisted blacklisted',
  none: 'subscribed active enabled delivered confirmed soft softbounce softbounces transient deferred',
}

const reasonOf = new Map(
  Object.entries(words).flatMap(([reason, list]) =>
    list.split(' ').map((word) => [word, reason as keyof typeof words]),
  ),
)

/** Finds the columns by their names; undefined for those that are not read. Throws an AppError (`invalid`). */
export function findColumns(names: readonly string[]): (ImportColumn | undefined)[] {
  const matches = names.map((name) => columns.get(columnKey(name)))
  if (matches.some((column) => column?.field === 'address')) return matches
  const message =
    'The first line must have the names of the columns: "address" or "email", and where wanted "reason", "senderDomain", "source" and "created".'
  throw new AppError('invalid', 'csv_without_address', message)
}

/**
 * Translates another system's reason, or the reply of a server. Returns `none` for one that is no reason to suppress the address, and
 * undefined for a free text.
 */
export function translateReason(text: string): SuppressionReason | 'none' | undefined {
  const [, reply] =
    /^\W*(?:(?:smtp|error|bounced?)\W+)?([45])(?:\d\d|\.\d{1,3}\.\d{1,3})\b/i.exec(text) ?? []
  if (reply !== undefined) return reply === '5' ? 'bounced' : 'none'
  return reasonOf.get(columnKey(text))
}

function columnKey(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, '')
}

const isoDate =
  /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|UTC|[+-]\d\d(?::?\d\d)?)?)?$/i
const mailDate = /^(?:[A-Z][a-z]{2}, )?\d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d/

/**
 * Reads a date: ISO 8601, with a blank for the `T` as well, a date of an email, or seconds or milliseconds since 1970. Without a time zone
 * it is UTC.
 *
 * @returns Milliseconds since the epoch; undefined if the text is no such date.
 */
export function parseImportDate(text: string): number | undefined {
  if (/^\d{9,10}(\.\d+)?$/.test(text)) return Math.trunc(Number(text) * 1_000)
  if (/^\d{12,13}$/.test(text)) return Number(text)
  const [, day, clock = '00:00', zone = 'Z'] = isoDate.exec(text) ?? []
  if (day === undefined && !mailDate.test(text)) return undefined
  const iso = `${day}T${clock}${zone.replace(/utc/i, 'Z').replace(/^.\d\d$/, '$&:00')}`
  const time = Date.parse(day === undefined ? text : iso)
  if (Number.isNaN(time)) return undefined
  // Date.parse takes 30 February for 1 March.
  return day === undefined || new Date(day).toISOString().startsWith(day) ? time : undefined
}
