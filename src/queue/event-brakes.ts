import {
  type AcceptedDelivery,
  type DeliveryRow,
  findExcess,
  readAcceptedEvents,
} from '../delivery/index.ts'
import type { Clock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import type { Storage } from '../storage/index.ts'
import { type BulkBrakes, type BulkGroup, eventsMs, keyOf, senderDomainOf } from './bulk-brakes.ts'

/** A delivery that has a new event. */
export type DeliveryWithEvent = Pick<DeliveryRow, 'mautic_id' | 'sender' | 'transport_id'>

export interface EventBrakesOptions {
  storage: Storage
  clock: Clock
  log: Log
  groups: Pick<BulkBrakes, 'countsSince' | 'brake'>
}

/** Between two checks of the same group. */
const checkMs = 1_000

/**
 * The brakes for what providers report afterwards. When deliveries get bounced or complained events, it reads the last accepted
 * deliveries of their group with their events, and holds it if these are too many. There are no counters that could be wrong:
 * repeated events change nothing, and several processes come to the same result.
 */
export class EventBrakes {
  readonly #options: EventBrakesOptions
  /** What is checked next, by key. */
  readonly #due = new Map<string, BulkGroup>()
  /** When each was checked, by `performance.now()`. */
  readonly #checkedAt = new Map<string, number>()
  #running: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(options: EventBrakesOptions) {
    this.#options = options
  }

  /** Checks the groups of deliveries that have new events. Call it after the commit; it does not wait. */
  noteEvents(deliveries: readonly DeliveryWithEvent[]): void {
    for (const delivery of deliveries) {
      const group = groupOf(delivery)
      if (group !== undefined) this.#due.set(keyOf(group), group)
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
    for (const [key, group] of [...this.#due]) {
      if (this.#isStopped) return
      if (this.#checkedAt.has(key)) continue
      this.#due.delete(key)
      this.#checkedAt.set(key, performance.now())
      try {
        await this.#check(group)
      } catch (err) {
        this.#options.log.warn({ err }, 'events of a brake not read')
        if (!this.#due.has(key)) this.#due.set(key, group)
      }
    }
  }

  async #check(group: BulkGroup): Promise<void> {
    const { storage, clock, groups } = this.#options
    const continuedAt = await groups.countsSince(group)
    if (continuedAt === undefined) return
    const { transportId } = group
    const has = ({ mautic_id, sender }: AcceptedDelivery) =>
      mautic_id === group.mauticId && senderDomainOf(sender) === group.senderDomain
    // A message that was accepted in the millisecond of the continuation was on its way.
    const since = Math.max(continuedAt + 1, clock.now() - eventsMs)
    const excess = findExcess(await readAcceptedEvents(storage, { transportId, has, since }))
    if (excess !== undefined) await groups.brake(group, excess, continuedAt)
  }
}

function groupOf(delivery: DeliveryWithEvent): BulkGroup | undefined {
  const { mautic_id: mauticId, sender, transport_id: transportId } = delivery
  const senderDomain = senderDomainOf(sender)
  // Deliveries of earlier versions may have no transport.
  if (senderDomain === undefined || transportId === null) return undefined
  return { mauticId, senderDomain, transportId }
}
