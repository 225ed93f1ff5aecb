import type { TransportThrottles } from '../delivery/index.ts'
import {
  type DeliveryTables,
  defaultTransport,
  findMauticNames,
  findOriginal,
  type MauticNames,
  noTransport,
  presentMautic,
} from '../delivery/index.ts'
import { AppError } from '../kit/app-error.ts'
import type { Caller } from '../kit/caller.ts'
import type { Clock } from '../kit/clock.ts'
import { formatDate } from '../kit/iso-date.ts'
import type { Storage } from '../storage/index.ts'
import type { Transports } from '../transports/index.ts'
import { BrakeActions } from './brakes/brake-actions.ts'
import type { BrakeItem, BrakeResult } from './brakes/brake-item.ts'
import type { BulkBrakes } from './brakes/bulk-brakes.ts'
import {
  type ChangeQueuedOptions,
  type ChangeResult,
  createChangeQueued,
  type QueueAction,
  type QueueChange,
} from './change-queued.ts'
import {
  findQueued,
  listQueued,
  type QueuedRow,
  type QueueFilter,
  type QueuePage,
} from './list-queued.ts'
import { formatTime, type QueuedItem, type QueueOverview } from './queue-item.ts'
import { type QueueGroup, readQueueState } from './queue-state.ts'
import { DetailsReader, type DetailsReaderOptions, type QueuedDetails } from './queued-details.ts'
import { noCounts, shownState, shownStates } from './shown-state.ts'
import type { QueueTables } from './table.ts'
import type { TransportHolds } from './transport-holds.ts'

/** What people see of the queue, and do with it. */
export interface QueueAdmin {
  /** Returns the numbers; they are kept for some seconds. */
  overview(): Promise<QueueOverview>
  list(
    filter: QueueFilter,
    page: Omit<QueuePage, 'now'>,
  ): Promise<{ messages: QueuedItem[]; next: number | null }>
  /** Returns one recipient. Throws an AppError (`not_found`), for a caller of a Mautic also for one of another. */
  get(id: number, caller: Caller): Promise<QueuedDetails & { message: QueuedItem }>
  /**
   * Does something with one recipient; returns it. Throws an AppError (`not_found`, `conflict`). With `mauticId`, the others
   * do not exist.
   */
  change(change: QueueChange, id: number, mauticId?: number): Promise<QueuedItem>
  /** Does something with all recipients that match, the oldest first, after an id. */
  changeMany(change: QueueChange, filter: QueueFilter, after?: number): Promise<ChangeResult>
  /** Counts what `changeMany` would change. */
  countMany(action: QueueAction, filter: QueueFilter, after?: number): Promise<ChangeResult>
  /** Returns the groups of bulk messages that their brakes hold, the newest first; `owner` is the key of the caller. */
  listBrakes(owner: string): Promise<BrakeItem[]>
  /** Ends a brake, so that its messages are sent. Throws an AppError (`not_found`). */
  continueBrake(id: number): Promise<BrakeResult>
  /**
   * Cancels what is in the queue for the group of a brake, and then ends it. The brake holds on while messages are left whose
   * transport is not known yet. Throws an AppError (`not_found`).
   */
  cancelBrake(id: number, by: string): Promise<BrakeResult>
  /** Returns the ids of the data keys that bodies are encrypted under. */
  findKeyIds(): Promise<string[]>
}

export interface QueueAdminOptions extends ChangeQueuedOptions, DetailsReaderOptions {
  clock: Clock
  throttles: Pick<TransportThrottles, 'find'>
  transports: Pick<Transports, 'findRow'>
  brakes: Pick<BulkBrakes, 'list' | 'end'>
  holds: Pick<TransportHolds, 'add' | 'remove' | 'transportIds' | 'find'>
  size: { read(): Promise<number> }
  bytesMax: number
}

/** Counting takes a tenth of the time at most. */
const keptMs = 3_000
const keptFactor = 10

export function createQueueAdmin(options: QueueAdminOptions): QueueAdmin {
  const { storage, clock, brakes, holds, transports, onDue } = options
  const changeQueued = createChangeQueued(options)
  const parts = { storage, clock, brakes, transports, changeQueued, onDue }
  const brakeActions = new BrakeActions(parts)
  const present = createPresent(options)
  const details = new DetailsReader(options)
  const find = async (id: number, mauticId: number | undefined) => {
    const row = await findQueued(storage, id)
    const isVisible = mauticId === undefined || row?.mautic_id === mauticId
    if (row === undefined || !isVisible)
      throw new AppError('not_found', 'queued_message_not_found', 'Queued message not found')
    return row
  }
  return {
    overview: createOverview(options),
    async list(filter, { owner, after, limit }) {
      const page = { owner, after, limit, now: clock.now() }
      const { rows, last } = await listQueued(storage, filter, page)
      return { messages: await present(rows), next: last?.id ?? null }
    },
    async get(id, caller) {
      const row = await find(id, caller.mautic?.id)
      const { recipients, ...others } = await details.read(row, caller)
      const [message, ...same] = await present([row, ...recipients])
      if (message === undefined) throw new Error('A row has no item.')
      return { ...others, message, recipients: same }
    },
    async change(change, id, mauticId) {
      const row = await find(id, mauticId)
      const isChanged = await changeQueued.one(change, id)
      const current = await findQueued(storage, id)
      if (!isChanged && !isDone(change.action, current ?? row))
        throw await createConflict(storage, change.action, current ?? row)
      const [item] = await present([current ?? row])
      if (item === undefined) throw new Error('A row has no item.')
      return item
    },
    async changeMany(change, filter, after) {
      const transportId = wholeTransport(filter)
      if (transportId !== undefined && change.action === 'hold')
        await holds.add(transportId, change.by)
      if (transportId !== undefined && change.action === 'release') await holds.remove(transportId)
      return changeQueued.many(change, filter, after)
    },
    countMany: (action, filter, after) => changeQueued.count(action, filter, after),
    listBrakes: (owner) => brakeActions.list(owner),
    continueBrake: (id) => brakeActions.continue(id),
    cancelBrake: (id, by) => brakeActions.cancel(id, by),
    async findKeyIds() {
      const query = storage.tables<QueueTables>().selectFrom('queue_messages').select('key_id')
      return (await query.distinct().execute()).map((row) => row.key_id)
    },
  }
}

/** Returns the transport of a filter that chooses all of its messages. */
function wholeTransport({ transportId, ...others }: QueueFilter): number | undefined {
  const isWhole = Object.values(others).every((value) => value === undefined)
  return isWhole && transportId !== noTransport ? transportId : undefined
}

/** Whether a recipient is already in the state that an action leads to. */
function isDone(action: QueueAction, { state }: QueuedRow): boolean {
  return (action === 'hold' && state === 'held') || (action === 'release' && state === 'queued')
}

async function createConflict(
  storage: Storage,
  action: QueueAction,
  { state, message_key }: QueuedRow,
): Promise<AppError> {
  if (state === 'claimed') {
    const message = 'The message is being sent at this moment. Try again in a minute.'
    return new AppError('conflict', 'queued_message_in_flight', message)
  }
  if (state === 'held') {
    const message = 'The message is held. Release it first.'
    return new AppError('conflict', 'queued_message_held', message)
  }
  const delivery = await findOriginal(storage.tables<DeliveryTables>(), [message_key])
  const path = delivery === undefined ? 'its delivery' : `/api/deliveries/${delivery.id}/settle`
  const message =
    `The message may have arrived, so "${action}" is not possible. Settle it (${path}): ` +
    'if it did not arrive, it is sent again.'
  return new AppError('conflict', 'queued_message_uncertain', message)
}

function createPresent({ storage, clock, transports }: QueueAdminOptions) {
  return async (rows: readonly QueuedRow[]): Promise<QueuedItem[]> => {
    const now = clock.now()
    const names = new Map<number, string | null>()
    for (const { transport_id: id } of rows)
      if (id > 0 && !names.has(id)) names.set(id, (await transports.findRow(id))?.name ?? null)
    const mautics = await findMauticNames(storage, rows)
    return rows.map((row) => presentRow(row, { now, names, mautics }))
  }
}

function presentRow(
  row: QueuedRow,
  {
    now,
    names,
    mautics,
  }: { now: number; names: ReadonlyMap<number, string | null>; mautics: MauticNames },
): QueuedItem {
  const { transport_id: id } = row
  return {
    id: row.id,
    queueId: row.message_id,
    recipient: row.address,
    subject: row.subject,
    sender: row.sender,
    messageId: row.header_id,
    lane: row.lane,
    state: shownState(row, now),
    transportId: id > 0 ? id : null,
    transport: id === defaultTransport ? 'default' : (names.get(id) ?? null),
    attempts: row.attempts,
    problem: row.problem,
    dateAdded: formatDate(row.created_at),
    nextAttempt: row.state === 'queued' ? formatDate(row.due_at) : null,
    expires: formatDate(row.expires_at),
    sizeBytes: row.size_bytes,
    mautic: presentMautic(row.mautic_id, mautics),
    emailId: row.email_id,
    contactId: row.contact_id,
    caller: row.caller,
  }
}

/** Concurrent and frequent calls share one count. */
function createOverview(options: QueueAdminOptions): () => Promise<QueueOverview> {
  const { storage, clock } = options
  let counted: { groups: QueueGroup[]; at: number; keptMs: number } | undefined
  let counting: Promise<QueueGroup[]> | undefined
  const count = async () => {
    const startedAt = performance.now()
    const at = clock.now()
    const groups = await readQueueState(storage, at)
    const tookMs = performance.now() - startedAt
    counted = { groups, at, keptMs: Math.max(keptMs, tookMs * keptFactor) }
    return groups
  }
  return async () => {
    const ageMs = clock.now() - (counted?.at ?? 0)
    if (counted === undefined || ageMs < 0 || ageMs > counted.keptMs) {
      counting ??= count().finally(() => {
        counting = undefined
      })
      await counting
    }
    return presentOverview(counted?.groups ?? [], counted?.at ?? 0, options)
  }
}

async function presentOverview(
  groups: readonly QueueGroup[],
  at: number,
  options: QueueAdminOptions,
): Promise<QueueOverview> {
  const total = noCounts()
  const items: QueueOverview['groups'] = []
  for (const group of groups) {
    for (const state of shownStates) total[state] += group.counts[state]
    items.push({
      ...(await transportStateOf(group.transportId, options)),
      lane: group.lane,
      ...group.counts,
      oldest: formatDate(group.oldestAt),
      nextAttempt: formatTime(group.nextAt),
    })
  }
  // Otherwise no one would see that a transport is held until a message waits for it.
  for (const id of options.holds.transportIds)
    if (groups.every(({ transportId }) => transportId !== id))
      items.push({
        ...(await transportStateOf(id, options)),
        lane: null,
        ...noCounts(),
        oldest: null,
        nextAttempt: null,
      })
  const oldest = groups.map(({ oldestAt }) => oldestAt).sort((one, other) => one - other)[0]
  return {
    groups: items,
    total,
    oldest: formatTime(oldest),
    bytes: await options.size.read(),
    bytesMax: options.bytesMax,
    dateCounted: formatDate(at),
  }
}

async function transportStateOf(
  id: number,
  { transports, throttles, holds, clock }: QueueAdminOptions,
): Promise<
  Pick<
    QueueOverview['groups'][number],
    'transportId' | 'transport' | 'state' | 'problem' | 'availableAt'
  >
> {
  const none = { problem: null, availableAt: null }
  if (id === noTransport) return { transportId: null, transport: null, state: null, ...none }
  const isDefault = id === defaultTransport
  const row = isDefault ? undefined : await transports.findRow(id)
  const named = isDefault
    ? { transportId: null, transport: 'default' }
    : { transportId: id, transport: row?.name ?? null }
  if (!isDefault && row === undefined) return { ...named, state: 'deleted', ...none }
  if (row !== undefined && !row.is_published) return { ...named, state: 'unpublished', ...none }
  const held = holds.find(isDefault ? null : id)
  if (held !== undefined)
    return { ...named, state: 'held', problem: held.problem, availableAt: null }
  const throttle = throttles.find(isDefault ? null : id)
  const until = throttle?.unavailableUntil ?? 0
  const isAvailable = until <= clock.now()
  return {
    ...named,
    state: isAvailable ? 'available' : 'unavailable',
    problem: throttle?.problem ?? null,
    availableAt: isAvailable ? null : formatDate(until),
  }
}
