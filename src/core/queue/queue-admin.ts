import { AppError } from '../../kit/app-error.ts'
import { BoundedMemory } from '../../kit/bounded-memory.ts'
import { type Caller, callerKey, noBrand, owns } from '../../kit/caller.ts'
import { type Clock, startStopwatch } from '../../kit/clock.ts'
import { formatDate } from '../../kit/iso-date.ts'
import { SingleFlight } from '../../kit/single-flight.ts'
import type { Storage } from '../../platform/storage/index.ts'
import { findMauticNames, type MauticNames, presentMautic } from '../deliveries/index.ts'
import type { TransportThrottles } from '../delivery/index.ts'
import {
  type DeliveryTables,
  defaultTransport,
  findOriginal,
  noTransport,
  unansweredTransport,
} from '../delivery/index.ts'
import { isBudget, listReached, type ReachedWindow } from '../limits/index.ts'
import type { Transports } from '../transports/index.ts'
import { BrakeActions } from './brakes/brake-actions.ts'
import type { BulkBrakes } from './brakes/bulk-brakes.ts'
import {
  type ChangeQueued,
  type ChangeQueuedOptions,
  type ChangeResult,
  createChangeQueued,
  type QueueAction,
} from './change-queued.ts'
import { countBytes, countQueue, type QueueGroup } from './count-queue.ts'
import {
  findQueued,
  listQueued,
  ownMessages,
  type QueuedRow,
  type QueueFilter,
  type QueuePage,
} from './list-queued.ts'
import { formatTime, type QueuedItem, type QueueOverview } from './queue-item.ts'
import { DetailsReader, type DetailsReaderOptions, type QueuedDetails } from './queued-details.ts'
import { noCounts, shownState, shownStates } from './shown-state.ts'
import type { QueueTables } from './table.ts'
import type { TransportHolds } from './transport-holds.ts'

export interface QueueAdminOptions extends ChangeQueuedOptions, DetailsReaderOptions {
  clock: Clock
  throttles: Pick<TransportThrottles, 'find'>
  transports: Pick<Transports, 'findRow'>
  brakes: Pick<BulkBrakes, 'list' | 'try' | 'end'>
  holds: Pick<TransportHolds, 'add' | 'remove' | 'transportIds' | 'find'>
  size: { read(): Promise<number> }
  bytesMax: number
}

/** Counting takes a tenth of the time at most. */
const keptMs = 3_000
const keptFactor = 10

/** The numbers of the queue. */
interface CountedQueue {
  groups: readonly QueueGroup[]
  /** The limits that allow nothing now. */
  reached: readonly ReachedWindow[]
  /** The size of the messages; undefined for all in the queue. */
  bytes: number | undefined
  at: number
  /** By the monotonic clock. */
  freshUntil: number
}

/** What people see of the queue, and do with it. */
export class QueueAdmin {
  readonly brakes: BrakeActions
  readonly #options: QueueAdminOptions
  readonly #changeQueued: ChangeQueued
  readonly #details: DetailsReader
  /** By the ids of the counted brands. */
  readonly #counted = new BoundedMemory<string, CountedQueue>({ sizeMax: 100 })
  readonly #counting = new SingleFlight<string, CountedQueue>()

  constructor(options: QueueAdminOptions) {
    const { storage, clock, brakes, transports, onDue } = options
    const changeQueued = createChangeQueued(options)
    this.#options = options
    this.#changeQueued = changeQueued
    this.#details = new DetailsReader(options)
    this.brakes = new BrakeActions({ storage, clock, brakes, transports, changeQueued, onDue })
  }

  /**
   * Returns the numbers of the messages that a caller owns, or of those of one brand; they are kept for some seconds. Concurrent
   * and frequent calls share one count.
   */
  async overview(caller: Caller, brand?: number): Promise<QueueOverview> {
    const { brands } = ownMessages({ brands: brand === undefined ? brand : [brand] }, caller)
    const key = brands?.join(' ') ?? 'all'
    let counted = this.#counted.get(key)
    if (counted === undefined || this.#options.clock.monotonic() > counted.freshUntil)
      counted = await this.#counting.run(key, () => this.#count(key, brands))
    return presentOverview(counted, { ...this.#options, caller, brands })
  }

  /** Lists the recipients that match, of messages that a caller owns. */
  async list(
    filter: QueueFilter,
    page: Omit<QueuePage, 'now' | 'owner'>,
    caller: Caller,
  ): Promise<{ messages: QueuedItem[]; next: number | null }> {
    const { storage, clock } = this.#options
    const { rows, last } = await listQueued(storage, ownMessages(filter, caller), {
      ...page,
      owner: callerKey(caller),
      now: clock.now(),
    })
    return { messages: await this.#present(rows, caller), next: last?.id ?? null }
  }

  /** Returns one recipient that a caller owns. Throws an AppError (`not_found`). */
  async get(id: number, caller: Caller): Promise<QueuedDetails & { message: QueuedItem }> {
    const row = await this.#find(id, caller)
    const { recipients, ...others } = await this.#details.read(row, caller)
    const [message, ...same] = await this.#present([row, ...recipients], caller)
    if (message === undefined) throw new Error('A row has no item.')
    return { ...others, message, recipients: same }
  }

  /** Does something with one recipient that a caller owns; returns it. Throws an AppError (`not_found`, `conflict`). */
  async change(action: QueueAction, id: number, caller: Caller): Promise<QueuedItem> {
    const { storage } = this.#options
    const row = await this.#find(id, caller)
    const isChanged = await this.#changeQueued.one({ action, by: caller.name }, id)
    const current = (await findQueued(storage, id)) ?? row
    if (!isChanged && !isDone(action, current)) throw await createConflict(storage, action, current)
    const [item] = await this.#present([current], caller)
    if (item === undefined) throw new Error('A row has no item.')
    return item
  }

  /**
   * Does something with all recipients that match and that a caller owns, the oldest first, after an id; a dry run counts them. A
   * transport is held as a whole by who owns it.
   */
  async changeMany(
    action: QueueAction,
    filter: QueueFilter,
    { caller, after, isDryRun }: { caller: Caller; after: number | undefined; isDryRun: boolean },
  ): Promise<ChangeResult> {
    const { holds, transports } = this.#options
    const by = caller.name
    const own = ownMessages(filter, caller)
    if (isDryRun) return this.#changeQueued.count(action, own, after)
    const transportId = wholeTransport(filter)
    if (transportId !== undefined && owns(caller, await brandOf(transportId, transports))) {
      if (action === 'hold') await holds.add(transportId, by)
      if (action === 'release') await holds.remove(transportId)
    }
    return this.#changeQueued.many({ action, by }, own, after)
  }

  /** Returns the ids of the data keys that bodies are encrypted under. */
  async findKeyIds(): Promise<string[]> {
    const db = this.#options.storage.tables<QueueTables>()
    const rows = await db.selectFrom('queue_messages').select('key_id').distinct().execute()
    return rows.map((row) => row.key_id)
  }

  async #find(id: number, caller: Caller): Promise<QueuedRow> {
    const row = await findQueued(this.#options.storage, id)
    if (row === undefined || !owns(caller, row.brand_id))
      throw new AppError('not_found', 'queued_message_not_found', 'Queued message not found')
    return row
  }

  async #present(rows: readonly QueuedRow[], caller: Caller): Promise<QueuedItem[]> {
    const { storage, clock, transports } = this.#options
    const now = clock.now()
    const names = new Map<number, string | null>()
    for (const { transport_id: id } of rows)
      if (id > 0 && !names.has(id))
        names.set(id, (await transports.findRow(id, caller))?.name ?? null)
    const mautics = await findMauticNames(storage, rows, caller)
    return rows.map((row) => presentRow(row, { now, names, mautics }))
  }

  async #count(key: string, brands: readonly number[] | undefined): Promise<CountedQueue> {
    const { storage, clock } = this.#options
    const tookMs = startStopwatch()
    const at = clock.now()
    const groups = await countQueue(storage, at, brands)
    const reached = groups.length === 0 ? [] : await listReached(storage)
    const bytes = brands && (await countBytes(storage, brands))
    const forMs = Math.max(keptMs, tookMs() * keptFactor)
    const counted = { groups, reached, bytes, at, freshUntil: clock.monotonic() + forMs }
    this.#counted.set(key, counted)
    return counted
  }
}

/** Returns the brand of a transport; the default one has none. */
async function brandOf(id: number, { findRow }: Pick<Transports, 'findRow'>): Promise<number> {
  return (id > noTransport ? await findRow(id) : undefined)?.brand_id ?? noBrand
}

/** Returns the transport of a filter that chooses all of its messages. */
function wholeTransport({ transportId, ...others }: QueueFilter): number | undefined {
  const isWhole = Object.values(others).every((value) => value === undefined)
  const isTransport = transportId !== undefined && transportId > noTransport
  return isWhole && isTransport ? transportId : undefined
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
  if (state === 'queued') {
    const message =
      'The message does not wait for the answer of a Mautic: it is sent with all that it needs.'
    return new AppError('conflict', 'queued_message_answered', message)
  }
  const delivery = await findOriginal(storage.tables<DeliveryTables>(), [message_key])
  const path = delivery === undefined ? 'its delivery' : `/api/deliveries/${delivery.id}/settle`
  const message =
    `The message may have arrived, so "${action}" is not possible. Settle it (${path}): ` +
    'if it did not arrive, it is sent again.'
  return new AppError('conflict', 'queued_message_uncertain', message)
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
    isUnanswered: id === unansweredTransport,
    expires: formatDate(row.expires_at),
    sizeBytes: row.size_bytes,
    mautic: presentMautic(row.mautic_id, mautics),
    emailId: row.email_id,
    contactId: row.contact_id,
    caller: row.caller,
    ...(row.brand_id !== noBrand && { brand: row.brand_id }),
  }
}

/** For whom the numbers are, and of which brands; undefined: of all messages. */
interface OverviewOptions extends QueueAdminOptions {
  caller: Caller
  brands: readonly number[] | undefined
}

async function presentOverview(
  { groups, reached, bytes, at }: CountedQueue,
  options: OverviewOptions,
): Promise<QueueOverview> {
  const total = noCounts()
  const items: QueueOverview['groups'] = []
  for (const group of groups) {
    for (const state of shownStates) total[state] += group.counts[state]
    items.push({
      ...(await transportStateOf(group.transportId, reached, options)),
      lane: group.lane,
      ...group.counts,
      oldest: formatDate(group.oldestAt),
      nextAttempt: formatTime(group.nextAt),
    })
  }
  // Otherwise no one would see that a transport is held until a message waits for it.
  const { brands, transports } = options
  for (const id of options.holds.transportIds) {
    if (groups.some(({ transportId }) => transportId === id)) continue
    if (brands !== undefined && !brands.includes(await brandOf(id, transports))) continue
    items.push({
      ...(await transportStateOf(id, reached, options)),
      lane: null,
      ...noCounts(),
      oldest: null,
      nextAttempt: null,
    })
  }
  const oldest = groups.map(({ oldestAt }) => oldestAt).sort((one, other) => one - other)[0]
  return {
    groups: items,
    total,
    oldest: formatTime(oldest),
    bytes: bytes ?? (await options.size.read()),
    bytesMax: options.bytesMax,
    dateCounted: formatDate(at),
  }
}

/** The problems of a transport are for who owns it. */
async function transportStateOf(
  id: number,
  allReached: readonly ReachedWindow[],
  { transports, throttles, holds, clock, caller, brands }: OverviewOptions,
) {
  const none = { transportId: null, transport: null, problem: null, limit: null, availableAt: null }
  if (id === unansweredTransport) return { ...none, state: 'unanswered' as const }
  if (id <= noTransport) return { ...none, state: null }
  const isDefault = id === defaultTransport
  const row = isDefault ? undefined : await transports.findRow(id, caller)
  const name = isDefault ? 'default' : (row?.name ?? null)
  const known = { ...none, transportId: isDefault ? null : id, transport: name }
  if (!isDefault && row === undefined) return { ...known, state: 'deleted' as const }
  if (row !== undefined && !row.is_published) return { ...known, state: 'unpublished' as const }
  const isOwn = owns(caller, row?.brand_id ?? noBrand)
  const shown = (problem: string | undefined) => (isOwn && problem) || null
  const held = holds.find(isDefault ? null : id)
  if (held !== undefined) return { ...known, state: 'held' as const, problem: shown(held.problem) }
  const throttle = throttles.find(isDefault ? null : id)
  const problem = shown(throttle?.problem)
  const until = throttle?.unavailableUntil ?? 0
  if (until > clock.now())
    return { ...known, state: 'unavailable' as const, problem, availableAt: formatDate(until) }
  const isOfGroup = ({ limit }: ReachedWindow) =>
    isBudget(limit)
      ? brands?.length === 1 && brands[0] === limit.brand
      : limit.transports.includes(id)
  const ofTransport = allReached.filter(isOfGroup)
  const [last] = ofTransport.sort((one, other) => other.freeAt.localeCompare(one.freeAt))
  if (last === undefined) return { ...known, state: 'available' as const, problem }
  const limit = { id: last.limit.id, name: last.limit.name }
  return { ...known, state: 'limited' as const, problem, limit, availableAt: last.freeAt }
}
