import {
  type AcceptedDelivery,
  type DeliveryRow,
  type EventExcess,
  findExcess,
  readAcceptedEvents,
} from '../delivery/index.ts'
import type { Clock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import type { Storage } from '../storage/index.ts'
import { type BulkBrakes, type BulkGroup, eventsMs, keyOf, senderDomainOf } from './bulk-brakes.ts'

/** A delivery that has a new event. */
export type DeliveryWithEvent = Pick<
  DeliveryRow,
  'mautic_id' | 'sender' | 'transport_id' | 'broadcast_id'
>

/** What a brake for events pauses: the bulk messages of a group, or a broadcast. */
export interface EventBraked<Key> {
  /** Returns since when accepted messages count, 0 for always; undefined if it is paused already. */
  countsSince(key: Key): Promise<number | undefined>
  /** Pauses it for its events, unless a person has continued it after `since`. */
  brake(key: Key, excess: EventExcess, since: number): Promise<void>
}

export interface EventBrakesOptions {
  storage: Storage
  clock: Clock
  log: Log
  groups: Pick<BulkBrakes, 'countsSince' | 'brake'>
  broadcasts: EventBraked<number>
}

/** Between two checks of the same group or broadcast. */
const checkMs = 1_000

/**
 * The brakes for what providers report afterwards. When deliveries get bounced or complained events, it reads the last accepted
 * deliveries of their group or broadcast with their events, and pauses it if these are too many. There are no counters that could
 * be wrong: repeated events change nothing, and several processes come to the same result.
 */
export class EventBrakes {
  readonly #options: EventBrakesOptions
  /** What is checked next, by key. */
  readonly #due = new Map<string, () => Promise<void>>()
  /** When each was checked, by `performance.now()`. */
  readonly #checkedAt = new Map<string, number>()
  #running: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(options: EventBrakesOptions) {
    this.#options = options
  }

  /** Checks the groups and broadcasts of deliveries that have new events. Call it after the commit; it does not wait. */
  noteEvents(deliveries: readonly DeliveryWithEvent[]): void {
    for (const delivery of deliveries) {
      const { broadcast_id: broadcastId } = delivery
      const group = groupOf(delivery)
      if (broadcastId !== null)
        this.#due.set(`broadcast ${broadcastId}`, () => this.#checkBroadcast(broadcastId))
      else if (group !== undefined) this.#due.set(keyOf(group), () => this.#checkGroup(group))
    }
    this.#run()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.#running
  }

  #run(): void {
    if (this.#isStopped || this.#due.size === 0) return
    this.#running ??= this.#checkDue().finally(() => {
      this.#running = undefined
      clearTimeout(this.#timer)
      // What was checked a moment ago is checked again.
      if (!this.#isStopped && this.#due.size > 0)
        this.#timer = setTimeout(() => this.#run(), checkMs).unref()
    })
  }

  /** Checks one after the other, so that sending goes on. */
  async #checkDue(): Promise<void> {
    const now = performance.now()
    for (const [key, at] of this.#checkedAt) if (now - at >= checkMs) this.#checkedAt.delete(key)
    for (const [key, check] of [...this.#due]) {
      if (this.#isStopped) return
      if (this.#checkedAt.has(key)) continue
      this.#due.delete(key)
      this.#checkedAt.set(key, performance.now())
      try {
        await check()
      } catch (err) {
        this.#options.log.warn({ err }, 'events of a brake not read')
        if (!this.#due.has(key)) this.#due.set(key, check)
      }
    }
  }

  async #checkGroup(group: BulkGroup): Promise<void> {
    const { groups } = this.#options
    const since = await groups.countsSince(group)
    if (since === undefined) return
    const has = (delivery: AcceptedDelivery) =>
      // A broadcast has its own brake.
      delivery.broadcast_id === null &&
      delivery.mautic_id === group.mauticId &&
      senderDomainOf(delivery.sender) === group.senderDomain
    const deliveries = { column: 'transport_id' as const, id: group.transportId, has }
    const excess = findExcess(await this.#read({ ...deliveries, since }))
    if (excess !== undefined) await groups.brake(group, excess, since)
  }

  async #checkBroadcast(id: number): Promise<void> {
    const { broadcasts } = this.#options
    const since = await broadcasts.countsSince(id)
    if (since === undefined) return
    const excess = findExcess(await this.#read({ column: 'broadcast_id', id, since }))
    if (excess !== undefined) await broadcasts.brake(id, excess, since)
  }

  #read(query: Parameters<typeof readAcceptedEvents>[1]) {
    const { storage, clock } = this.#options
    // A message that was accepted in the millisecond of the continuation was on its way.
    const since = Math.max(query.since + 1, clock.now() - eventsMs)
    return readAcceptedEvents(storage, { ...query, since })
  }
}

function groupOf(delivery: DeliveryWithEvent): BulkGroup | undefined {
  const { mautic_id: mauticId, sender, transport_id: transportId } = delivery
  const senderDomain = senderDomainOf(sender)
  // Deliveries of earlier versions may have no transport.
  if (senderDomain === undefined || transportId === null) return undefined
  return { mauticId, senderDomain, transportId }
}
