import { emailKey } from '../../kit/normalize-for-search.ts'
import type { OwnColumns } from '../../platform/storage/index.ts'
import { type SuppressionInput, suppressionRecord } from './schema.ts'
import { identityKey } from './scope.ts'
import type { SuppressionRow } from './table.ts'

/** What found a bounce. */
export type Evidence = Pick<SuppressionRow, 'transport_id' | 'delivery_id'>

const noEvidence: Evidence = { transport_id: null, delivery_id: null }

/** The columns for the values of a suppression. */
export function toColumns(
  input: SuppressionInput,
  { transport_id, delivery_id }: Evidence = noEvidence,
): OwnColumns<SuppressionRow> {
  const columns = suppressionRecord.toColumns(input)
  return {
    ...columns,
    address_key: emailKey(columns.address),
    identity_key: identityKey(columns.address, {
      brand: columns.brand_id,
      senderDomain: columns.sender_domain,
    }),
    transport_id,
    delivery_id,
    is_published: true,
  }
}
