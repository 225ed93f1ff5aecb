import { emailKey, searchTextOf } from '../../kit/normalize-for-search.ts'
import type { OwnColumns } from '../../platform/storage/index.ts'
import type { SuppressionInput } from './schema.ts'
import { identityKey, normalizeDomain } from './scope.ts'
import type { SuppressionRow } from './table.ts'

/** What found a bounce. */
export type Evidence = Pick<SuppressionRow, 'transport_id' | 'delivery_id'>

const noEvidence: Evidence = { transport_id: null, delivery_id: null }

/** The columns for the values of a suppression. */
export function toColumns(
  input: SuppressionInput,
  { transport_id, delivery_id }: Evidence = noEvidence,
): OwnColumns<SuppressionRow> {
  const address = input.address.trim()
  const senderDomain = scopeOf(input.senderDomain)
  const source = input.source?.trim() || null
  return {
    address,
    address_key: emailKey(address),
    sender_domain: senderDomain,
    identity_key: identityKey(address, senderDomain),
    reason: input.reason ?? 'manual',
    source,
    transport_id,
    delivery_id,
    is_published: true,
    search_text: searchTextOf(address, senderDomain, source),
  }
}

/** The sender domain of a request as it is stored; null for every sender. */
export function scopeOf(senderDomain: string | null | undefined): string | null {
  return senderDomain?.trim() ? normalizeDomain(senderDomain) : null
}
