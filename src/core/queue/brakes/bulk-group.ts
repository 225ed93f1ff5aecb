import { type ChosenTransport, defaultTransport } from '../../delivery/index.ts'
import type { QueueMessageRow, QueueRecipientRow } from '../table.ts'

/**
 * The bulk messages of one sender domain through one transport. Those of each brand and Mautic are a group of their own: others may
 * write the same sender.
 */
export interface BulkGroup {
  /** See `DeliveryRow.mautic_id`. */
  mauticId: number
  /** See `DeliveryRow.brand_id`. */
  brand: number
  senderDomain: string
  /** See `noTransport` and `defaultTransport`. */
  transportId: number
}

/** A message as its brake sees it; `sender` is that of the envelope, `brake_id` the brake that it is sent in spite of. */
export type BrakedMessage = Pick<QueueMessageRow, 'lane' | 'sender' | 'mautic_id'> &
  Partial<Pick<QueueRecipientRow, 'brake_id'>>

/** Returns undefined for messages without a brake: transactional ones, and those without a plain sender domain. */
export function groupOf(
  { lane, sender, mautic_id: mauticId }: BrakedMessage,
  { transportId, brand }: ChosenTransport,
): BulkGroup | undefined {
  const senderDomain = lane === 'bulk' ? senderDomainOf(sender) : undefined
  if (senderDomain === undefined) return undefined
  return { mauticId, brand, senderDomain, transportId: transportId ?? defaultTransport }
}

/** Returns the domain of a sender as groups have it; undefined if it is not plain. */
export function senderDomainOf(sender: string): string | undefined {
  const domain = sender.slice(sender.lastIndexOf('@') + 1)
  // The group is a filter of the queue, in which * stands for any text.
  if (!sender.includes('@') || !/^[^\s*]{1,255}$/.test(domain)) return undefined
  // As the database lowers it: SQLite knows ASCII only.
  return domain.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/** Identifies a group in memory. */
export function bulkGroupKey({ mauticId, brand, senderDomain, transportId }: BulkGroup): string {
  return `${mauticId} ${brand} ${transportId} ${senderDomain}`
}

/** The messages of a group in the queue, as a filter of the queue. */
export function filterOf({ mauticId, brand, senderDomain, transportId }: BulkGroup) {
  const sender = `*@${senderDomain}`
  return { lane: 'bulk' as const, mauticId, brands: [brand], transportId, sender }
}
