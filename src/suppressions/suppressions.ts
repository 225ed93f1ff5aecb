import { presentStamps } from '../http/index.ts'
import { AppError } from '../kit/app-error.ts'
import type { Clock } from '../kit/clock.ts'
import { openResource, type Resource } from '../resource/index.ts'
import { openRecordStore, type Storage } from '../storage/index.ts'
import { scopeOf, toColumns } from './columns.ts'
import { createFindSuppressions, type FindSuppressions } from './find-suppressions.ts'
import { type SuppressionInput, type SuppressionItem, suppressionFields } from './schema.ts'
import { identityKey } from './scope.ts'
import type { SuppressionRow } from './table.ts'
import { openWriter, type SuppressionWriter } from './write-suppressions.ts'

/** The addresses that get no emails, and why. */
export interface Suppressions
  extends Resource<SuppressionRow, SuppressionItem, SuppressionInput>,
    SuppressionWriter {
  /** Finds the suppressions that apply to the recipients of a message. */
  findSuppressions: FindSuppressions
}

export interface SuppressionsOptions {
  storage: Storage
  clock: Clock
}

/** Opens the suppressions. Creating one that exists, for the same address and scope, changes that one. */
export function openSuppressions({ storage, clock }: SuppressionsOptions): Suppressions {
  const store = openRecordStore<SuppressionRow>(storage, {
    table: 'suppressions',
    nameColumn: 'address_key',
    fields: suppressionFields,
    identityColumn: 'identity_key',
  })
  const { findSuppressions, noteAdded } = createFindSuppressions(storage)
  const resource = openResource<SuppressionRow, SuppressionItem, SuppressionInput>({
    storage,
    clock,
    store,
    area: 'contact',
    notFound: () => new AppError('not_found', 'suppression_not_found', 'Suppression not found'),
    identity: {
      name: 'address and scope',
      of: ({ address, senderDomain }) =>
        typeof address === 'string' ? identityKey(address, scopeOf(senderDomain)) : null,
      taken: (id) => {
        const message = `Suppression ${id} has the same address and scope. Change that one, or delete it first.`
        return new AppError('conflict', 'suppression_exists', message)
      },
      merge: (input) => input,
    },
    toInput: ({ address, reason, sender_domain, source }) => {
      return { address, reason, senderDomain: sender_domain, source }
    },
    prepare: ({ input }) => ({ columns: toColumns(input) }),
    afterWrite: async () => noteAdded(),
    present: (rows) => rows.map(presentSuppression),
  })
  return { ...resource, ...openWriter({ storage, clock, noteAdded }), findSuppressions }
}

function presentSuppression(row: SuppressionRow): SuppressionItem {
  const { isPublished: _, ...stamps } = presentStamps(row)
  return {
    id: row.id,
    address: row.address,
    reason: row.reason,
    senderDomain: row.sender_domain,
    source: row.source,
    ...stamps,
  }
}
