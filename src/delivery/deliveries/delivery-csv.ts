import { formatCsvLine } from '../../kit/csv.ts'
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
  'broadcastId',
  'sender',
  'recipient',
  'transportId',
  'transport',
  'member',
  'outcome',
  'isPermanent',
  'reply',
  'reason',
  'messageId',
  'providerId',
] as const satisfies readonly (keyof DeliveryItem)[]

/** The first line: the names of the columns. */
export const csvHeader = formatCsvLine(columns)

/** Formats deliveries as lines of CSV. */
export function formatCsv(deliveries: readonly DeliveryItem[]): string {
  return deliveries
    .map((delivery) => formatCsvLine(columns.map((column) => delivery[column])))
    .join('')
}
