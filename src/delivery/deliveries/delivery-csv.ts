import { type CsvValue, formatCsvLine } from '../../kit/csv.ts'
import type { DeliveryItem } from './delivery-item.ts'

/** The columns of the export: the members of a delivery, but for its trace. */
const columns = [
  'id',
  'date',
  'durationMs',
  'source',
  'caller',
  'emailId',
  'contactId',
  'sender',
  'recipient',
  'transportId',
  'transport',
  'member',
  'outcome',
  'reply',
  'reason',
  'messageId',
  'providerId',
  'mautic',
  'subject',
  'event',
] as const satisfies readonly (keyof DeliveryItem)[]

/** The first line: the names of the columns. */
export const csvHeader = formatCsvLine(columns)

function cellOf(value: DeliveryItem[(typeof columns)[number]]): CsvValue {
  return typeof value === 'object' ? (value?.name ?? null) : value
}

/** Formats deliveries as lines of CSV. */
export function formatCsv(deliveries: readonly DeliveryItem[]): string {
  return deliveries
    .map((delivery) => formatCsvLine(columns.map((column) => cellOf(delivery[column]))))
    .join('')
}
