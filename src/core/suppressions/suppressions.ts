import Type from 'typebox'
import { AppError } from '../../kit/app-error.ts'
import type { BatchItemResult } from '../../kit/batch-item-result.ts'
import { type Caller, noBrand, owns } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import { Hook } from '../../kit/hooks.ts'
import type { Log } from '../../kit/log.ts'
import { emailKey } from '../../kit/normalize-for-search.ts'
import { validationError } from '../../platform/http/index.ts'
import {
  brandAccess,
  type Entry,
  type ListExtra,
  openResource,
  type Resource,
} from '../../platform/resource/index.ts'
import {
  type Filter,
  type ListQuery,
  openRecordStore,
  type RecordStore,
  type Storage,
} from '../../platform/storage/index.ts'
import { brandData, type EventSink, type PublishedEvent } from '../published/index.ts'
import { toColumns } from './columns.ts'
import { createFindSuppressions, type FindSuppressions } from './find-suppressions.ts'
import {
  type SuppressionInput,
  type SuppressionItem,
  suppressionFields,
  suppressionRecord,
} from './schema.ts'
import { identityKey, type SuppressionReason, scopeOf, twoScopes } from './scope.ts'
import type { SuppressionRow, SuppressionTables } from './table.ts'
import {
  type NoteAdded,
  type NoteRemoved,
  type OnCreated,
  openWriter,
  type SuppressionWriter,
} from './write-suppressions.ts'

/** The addresses that get no emails, and why. */
export interface Suppressions
  extends Resource<SuppressionRow, SuppressionItem, SuppressionInput>,
    SuppressionWriter {
  /** Finds the suppressions that apply to the recipients of a message. */
  findSuppressions: FindSuppressions
  /** The brand of what a caller adds, who may name one. Throws an AppError (`invalid`, `forbidden`, `not_found`). */
  brandOf(input: SuppressionInput, caller: Caller): Promise<number | null | undefined>
  readonly hooks: SuppressionHooks
  /** The member `reportedTo` of a list. */
  reportedTo: ListExtra
}

export interface SuppressionsOptions {
  storage: Storage
  clock: Clock
  log: Log
  /** Hears of those that did not exist. */
  published: EventSink
}

interface SuppressionHooks {
  /** Suppressions were added or changed. In a transaction it writes in it. */
  added: Hook<Parameters<NoteAdded>>
  /** A transaction is committed in which suppressions were added. */
  committed: Hook<[]>
  /** Suppressions were deleted: what was reported can be taken back. With the addresses that have no other one for the same reason. */
  removed: Hook<Parameters<NoteRemoved>>
  /** Finds the Mautics that were notified of suppressions, in the order of the suppressions. */
  notified: Hook<Parameters<FindNotified>, Awaited<ReturnType<FindNotified>>>
}

/** Opens the suppressions. Creating one that exists, for the same address and scope, changes that one. */
export function openSuppressions(options: SuppressionsOptions): Suppressions {
  const { storage, clock, published } = options
  const hooks: SuppressionHooks = {
    added: new Hook(),
    committed: new Hook(),
    removed: new Hook(),
    notified: new Hook(),
  }
  const store = openRecordStore<SuppressionRow>(storage, {
    table: 'suppressions',
    nameColumn: 'address_key',
    fields: suppressionFields,
    identityColumn: 'identity_key',
  })
  const access = brandAccess<SuppressionRow, SuppressionInput>({ label: 'Suppression', storage })
  const { findSuppressions, noteAdded: noteAnyAdded } = createFindSuppressions(storage, clock)
  const onAdded = createOnAdded(options, hooks)
  const onCreated: OnCreated = async (created, tx) => {
    if (created.length === 0 || !published.wants('suppression.created')) return
    await published.publish(tx, created.map(describeCreated))
  }
  const noteRemoved = createNoteRemoved(options, hooks)
  const noteAdded: NoteAdded = async (added, tx) => {
    noteAnyAdded()
    await onAdded(added, tx)
  }
  const noteCommitted = () => {
    noteAnyAdded()
    hooks.committed.tell()
    published.notify()
  }
  const resource = openResource<SuppressionRow, SuppressionItem, SuppressionInput>({
    clock,
    store,
    area: 'contact',
    notFound: () => new AppError('not_found', 'suppression_not_found', 'Suppression not found'),
    access,
    identity: {
      name: 'address and scope',
      of: ({ address, senderDomain, brand }) =>
        typeof address === 'string'
          ? identityKey(address, { brand: brand ?? noBrand, senderDomain: scopeOf(senderDomain) })
          : null,
      taken: (id) => {
        const message = `Suppression ${id} has the same address and scope. Change that one, or delete it first.`
        return new AppError('conflict', 'suppression_exists', message)
      },
    },
    toInput: suppressionRecord.toValues,
    prepare({ input, current }) {
      if (input.brand && scopeOf(input.senderDomain) !== null)
        throw validationError({ senderDomain: [twoScopes] })
      return { columns: toColumns(input, current) }
    },
    present: (rows, caller) =>
      rows.map((row) => presentSuppression(row, caller.can('multipleTransports:view'))),
    hooks: {
      async afterWrite(tx, { rows, before }) {
        if (before === undefined) await onCreated(rows.map(suppressionRecord.toValues), tx)
      },
      // Only now others see it.
      afterCommit: (change, results) =>
        (change === 'saved' ? noteAdded : noteRemoved)(itemsOf(results)),
    },
  })
  return {
    ...resource,
    hooks,
    list(query, caller) {
      if (isByTransport(query)) needTransportsView(caller)
      return resource.list(query, caller)
    },
    reportedTo: createReportedTo(store, hooks),
    ...openWriter({ storage, clock, noteAdded, noteCommitted, onCreated, noteRemoved }),
    findSuppressions,
    brandOf: async (input, caller) =>
      (await access.withBrand({ input, current: undefined, caller })).brand,
  }
}

/** Throws an AppError (`forbidden`) for callers who may not see which transport found a bounce. */
function needTransportsView(caller: Caller): void {
  if (caller.can('multipleTransports:view')) return
  const message = 'You do not have permission to view transports (multipleTransports:view).'
  throw new AppError('forbidden', 'permission_denied', message)
}

/** Whether a list is filtered or ordered by the transport, so that the result would reveal it. */
function isByTransport({ filter, order }: Pick<ListQuery, 'filter' | 'order'>): boolean {
  return order.some(({ field }) => field === 'transportId') || namesTransport(filter)
}

function namesTransport(filter: Filter): boolean {
  if ('field' in filter) return filter.field === 'transportId'
  return 'of' in filter && [filter.of].flat().some(namesTransport)
}

function itemsOf(results: readonly BatchItemResult<Entry<SuppressionItem>>[]): SuppressionItem[] {
  return results.flatMap((result) => (result.ok ? [result.value.item] : []))
}

/** What is committed stays written if others cannot be notified of it. */
function createOnAdded(
  { log, published }: SuppressionsOptions,
  hooks: SuppressionHooks,
): NoteAdded {
  return async (added, tx) => {
    if (added.length === 0) return
    if (tx !== undefined) {
      await hooks.added.call(added, tx)
      return
    }
    if (published.wants('suppression.created')) published.notify()
    try {
      await hooks.added.call(added)
    } catch (err) {
      log.error({ err, count: added.length }, 'suppressions not reported')
    }
  }
}

/**
 * Takes back what others were notified of, where the address is not suppressed for the same reason in another scope. What is
 * deleted stays deleted if others cannot be notified of it.
 */
function createNoteRemoved(
  { storage, log }: SuppressionsOptions,
  hooks: SuppressionHooks,
): NoteRemoved {
  return async (removed) => {
    if (removed.length === 0) return
    const keys = new Set(removed.map(({ address }) => emailKey(address)))
    const keyOf = ({ address, reason }: (typeof removed)[number]) =>
      `${reason} ${emailKey(address)}`
    const others = await storage
      .tables<SuppressionTables>()
      .selectFrom('suppressions')
      .select(['address_key', 'reason', 'brand_id'])
      .where('address_key', 'in', [...keys])
      .execute()
    const remaining = Map.groupBy(others, (row) => `${row.reason} ${row.address_key}`)
    const ended = removed.flatMap((each) => {
      const { address, reason, brand = noBrand } = each
      const brandsLeft = (remaining.get(keyOf(each)) ?? []).map((row) => row.brand_id)
      // Those without a brand were reported to all.
      if (brandsLeft.includes(noBrand) || brandsLeft.includes(brand ?? noBrand)) return []
      return { address, reason, brand, brandsLeft }
    })
    if (ended.length === 0) return
    try {
      await hooks.removed.call(ended)
    } catch (err) {
      log.error({ err, count: ended.length }, 'reports of suppressions not taken back')
    }
  }
}

function describeCreated(created: Parameters<OnCreated>[0][number]): PublishedEvent {
  const { address, reason, senderDomain, source, brand } = created
  const ofBrand = brandData(brand ?? noBrand)
  const data = { ...ofBrand, address, reason, senderDomain: senderDomain || null, source }
  return { type: 'suppression.created', data, cause: reason }
}

function presentSuppression(row: SuppressionRow, seesTransports: boolean): SuppressionItem {
  return suppressionRecord.present(row, {
    transportId: seesTransports ? row.transport_id : null,
    deliveryId: row.delivery_id,
  })
}

/** A Mautic that was notified of a suppression. */
interface NotifiedMautic {
  id: number
  name: string
  brand: number
}

/** Finds the Mautics that were notified of suppressions, in the order of the suppressions. */
type FindNotified = (
  suppressions: readonly { address: string; reason: SuppressionReason; brand?: number | null }[],
) => Promise<readonly (readonly NotifiedMautic[])[]>

const reportedToSchema = Type.Array(Type.Object({ id: Type.Integer(), name: Type.String() }), {
  description:
    'The Mautics to which the address was reported for this reason: deleting the suppression takes that back. In a list only with `?with=reportedTo`.',
})

/** Creates the member `reportedTo` of a list. Callers with brands see the Mautics of these. */
function createReportedTo(
  store: Pick<RecordStore<SuppressionRow>, 'findMany'>,
  hooks: Pick<SuppressionHooks, 'notified'>,
): ListExtra {
  return {
    schema: reportedToSchema,
    async find(ids: readonly number[], caller: Caller) {
      const rows = await store.findMany(ids)
      const notified = (await hooks.notified.first(rows.map(suppressionRecord.toValues))) ?? []
      const byId = new Map(rows.map(({ id }, index) => [id, notified[index] ?? []]))
      return ids.map((id) =>
        (byId.get(id) ?? [])
          .filter(({ brand }) => owns(caller, brand))
          .map((each) => ({ id: each.id, name: each.name })),
      )
    },
  }
}
