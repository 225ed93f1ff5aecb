import { pause } from '../../../kit/pause.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import type { DeliveryRow, DeliveryTables } from '../../delivery/index.ts'
import { type BrakeReason, BrakeWindows } from './brake-windows.ts'
import { type BulkGroup, senderDomainOf } from './bulk-group.ts'

/** Which of the deliveries of a group count. */
export interface LookOptions {
  /** Older ones do not, in milliseconds since the epoch. */
  since: number
  /** How many deliveries of the transport are read at most: where it sends for many others, those of one may be far back. */
  rowsMax: number
}

type LoggedRow = Pick<
  DeliveryRow,
  'id' | 'started_at' | 'mautic_id' | 'brand_id' | 'sender' | 'outcome' | 'event'
> & {
  is_bulk: boolean
}

/** One read: it blocks SQLite for a few milliseconds. */
const rowsAtOnce = 1_000

/** Reads the deliveries of a group from the log, the newest first, until too many of them are found to be refused, bounced or complained about. */
export async function findReason(
  storage: Storage,
  group: BulkGroup,
  { since, rowsMax }: LookOptions,
): Promise<BrakeReason | undefined> {
  const windows = new BrakeWindows()
  let before: LoggedRow | undefined
  for (let read = 0; read < rowsMax; read += rowsAtOnce) {
    if (before !== undefined) await pause()
    const rows = await readDeliveries(storage, { transportId: group.transportId, since, before })
    const finished = rows.filter((row) => isOfGroup(row, group))
    const types = await readTypes(storage, finished)
    for (const { id, started_at: startedAt, outcome } of finished) {
      if (!windows.counts(startedAt)) return windows.end()
      const reason = windows.add({
        startedAt,
        isRefused: outcome === 'refused',
        isBounced: types.get(id)?.has('bounced') ?? false,
        isComplained: types.get(id)?.has('complained') ?? false,
      })
      if (reason !== undefined) return reason
    }
    before = rows.at(-1)
    if (rows.length < rowsAtOnce) break
  }
  return windows.end()
}

function isOfGroup(row: LoggedRow, { mauticId, brand, senderDomain }: BulkGroup): boolean {
  if (!row.is_bulk || (row.outcome !== 'accepted' && row.outcome !== 'refused')) return false
  const isOfSubmitter = row.mautic_id === mauticId && row.brand_id === brand
  return isOfSubmitter && senderDomainOf(row.sender) === senderDomain
}

function readDeliveries(
  storage: Storage,
  {
    transportId,
    since,
    before,
  }: { transportId: number; since: number; before: LoggedRow | undefined },
): Promise<LoggedRow[]> {
  const rows = storage
    .tables<DeliveryTables>()
    .selectFrom('deliveries')
    .select(['id', 'started_at', 'mautic_id', 'brand_id', 'sender', 'outcome', 'event', 'is_bulk'])
    .where('transport_id', '=', transportId)
    .where('started_at', '>=', since)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(rowsAtOnce)
  if (before === undefined) return rows.execute()
  return rows
    .where('started_at', '<=', before.started_at)
    .where((row) =>
      row(row.refTuple('started_at', 'id'), '<', row.tuple(before.started_at, before.id)),
    )
    .execute()
}

/**
 * Reads which of some deliveries bounced or were complained about, without guesses, which may belong to another message, and
 * without complaints by mail, which every recipient can write.
 */
async function readTypes(
  storage: Storage,
  rows: readonly LoggedRow[],
): Promise<ReadonlyMap<number, ReadonlySet<string>>> {
  const withEvents = rows.filter(({ event }) => event !== null)
  const types = new Map<number, Set<string>>()
  const [newest, oldest] = [withEvents[0], withEvents.at(-1)]
  if (newest === undefined || oldest === undefined) return types
  const ids = withEvents.map(({ id }) => id)
  const events = await storage
    .tables<DeliveryTables>()
    .selectFrom('delivery_events')
    .select(['delivery_id', 'type'])
    .where(storage.isAmong('delivery_id', ids))
    .where('started_at', '>=', oldest.started_at)
    .where('started_at', '<=', newest.started_at)
    .where((event) =>
      event('type', '=', 'bounced').or(
        event('type', '=', 'complained').and('source', '<>', 'mail'),
      ),
    )
    .where('is_guess', '=', false)
    .execute()
  for (const { delivery_id: id, type } of events)
    types.set(id, (types.get(id) ?? new Set()).add(type))
  return types
}
