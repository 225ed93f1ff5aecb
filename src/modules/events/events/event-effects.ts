import type { Transaction } from 'kysely'
import {
  bounceScope,
  type DeliveryTables,
  deliveryEventData,
  deliveryEvents,
  isOwnNotice,
  isTransport,
  type StoredEvent,
} from '../../../core/delivery/index.ts'
import type { Mautics, NewReport } from '../../../core/mautic/index.ts'
import type { EventSink, PublishedEvent } from '../../../core/published/index.ts'
import {
  domainOf,
  inputOf,
  type SuppressionScope,
  type Suppressions,
} from '../../../core/suppressions/index.ts'
import { noBrand } from '../../../kit/caller.ts'
import { formatDate } from '../../../kit/iso-date.ts'
import type { ReadTransports } from './transport-accounts.ts'

export interface EventEffectsOptions {
  suppressions: Pick<Suppressions, 'add' | 'noteCommitted'>
  mautics: { reports: Pick<Mautics['reports'], 'add' | 'notify'> }
  /** Whether bounced addresses are suppressed (`MAILYARD_SUPPRESS_BOUNCES`). */
  suppressBounces: boolean
  publisher: EventSink
}

/** The reason that stops more is first. */
const bySeverity = ['complained', 'bounced', 'unsubscribed']

/** What was written for some events, and is sent after the commit. */
export interface WrittenEffects {
  hasSuppressed: boolean
  hasReported: boolean
  hasPublished: boolean
}

/** What follows an event of which nothing is guessed: a suppression, a report to the Mautic whose message it was, webhooks. */
export class EventEffects {
  readonly #options: EventEffectsOptions

  constructor(options: EventEffectsOptions) {
    this.#options = options
  }

  /** Writes what follows, in the transaction that stores the events. */
  async write(
    tx: Transaction<object>,
    stored: readonly StoredEvent[],
    transports: ReadTransports,
  ): Promise<WrittenEffects> {
    const serious = stored.filter(isSerious)
    // Before they are suppressed: a report names the contact and the email.
    const hasReported = await this.#report(tx, serious)
    const hasSuppressed = await this.#suppress(tx, serious, transports)
    return { hasSuppressed, hasReported, hasPublished: await this.#publish(tx, stored) }
  }

  /** Sends what was written. Call it after the commit. */
  notify({ hasSuppressed, hasReported, hasPublished }: WrittenEffects): void {
    const { suppressions, mautics, publisher } = this.#options
    if (hasSuppressed) suppressions.noteCommitted()
    if (hasReported) mautics.reports.notify()
    if (hasPublished) publisher.notify()
  }

  /** Returns whether a report was added. */
  async #report(tx: Transaction<object>, serious: readonly StoredEvent[]): Promise<boolean> {
    const { reports } = this.#options.mautics
    let hasReported = false
    const ofMautics = serious.filter(({ delivery }) => delivery.mautic_id !== 0)
    const byMautic = Map.groupBy(ofMautics, ({ delivery }) => delivery.mautic_id)
    for (const [, ofOne] of [...byMautic].sort(([one], [other]) => one - other)) {
      if (!(await reports.add(ofOne.map(toReport), tx))) continue
      hasReported = true
      const bounced = ofOne.filter(({ event }) => event.type === 'bounced')
      await markBounced(tx, bounced)
    }
    return hasReported
  }

  /** Returns whether a suppression was added or changed. */
  async #suppress(
    tx: Transaction<object>,
    serious: readonly StoredEvent[],
    transports: ReadTransports,
  ): Promise<boolean> {
    const { suppressions, suppressBounces } = this.#options
    const inputs = serious.flatMap(({ event, delivery }) => {
      const reason = deliveryEvents[event.type].suppresses
      if (reason === undefined || (reason === 'bounced' && !suppressBounces)) return []
      const scope = scopeOf({ event, delivery }, transports)
      if (scope === undefined) return []
      const evidence = {
        transport_id: isTransport(event.transport_id) ? event.transport_id : null,
        delivery_id: delivery.id,
      }
      const source = `delivery ${delivery.id}`
      return [{ address: delivery.recipient, ...inputOf(scope), reason, source, evidence }]
    })
    // Of those with the same address and scope, the first is added.
    inputs.sort((one, other) => bySeverity.indexOf(one.reason) - bySeverity.indexOf(other.reason))
    return (await suppressions.add(inputs, tx)).length > 0
  }

  /** Returns whether an event was published. */
  async #publish(tx: Transaction<object>, stored: readonly StoredEvent[]): Promise<boolean> {
    const { publisher } = this.#options
    const published = stored.flatMap((each): PublishedEvent[] => {
      const { type, is_guess: isGuess, is_first: isFirst } = each.event
      if (isGuess || isOwnNotice(each.delivery) || !(isFirst || isSerious(each))) return []
      if (type !== 'bounced' && type !== 'complained') return []
      if (!publisher.wants(`delivery.${type}`)) return []
      const cause = each.delivery.transport ?? undefined
      const data = {
        ...deliveryEventData(each.delivery),
        reason: each.event.reason,
        class: each.event.class,
        provider: each.event.provider,
        date: formatDate(each.event.at),
      }
      return [{ type: `delivery.${type}`, data, ...(cause === undefined ? {} : { cause }) }]
    })
    if (published.length > 0) await publisher.publish(tx, published)
    return published.length > 0
  }
}

/** Whether the address is not to be written to any more, for certain. */
function isSerious({ event }: StoredEvent): boolean {
  if (event.is_guess || deliveryEvents[event.type].suppresses === undefined) return false
  return event.type !== 'bounced' || event.class === 'hard'
}

/**
 * Returns which messages are stopped; undefined for none. A complaint and an unsubscribe are about the brand of the message, or
 * else its sender, as the links in messages are. A transport of a brand speaks for it; see `bounceScope`. So does mail about a
 * message of a brand: no transport without one has said it.
 */
function scopeOf(
  { event, delivery }: StoredEvent,
  transports: ReadTransports,
): SuppressionScope | undefined {
  const row = transports.find(event.transport_id)
  // What is not known of a deleted transport allows nothing.
  if (row === undefined && isTransport(event.transport_id)) return undefined
  const scope = bounceScope(row)
  const { brand_id: brand, sender } = delivery
  if (scope === undefined || (event.type === 'bounced' && event.provider !== 'mail')) return scope
  if (brand !== noBrand || event.type === 'bounced') return { brand, senderDomain: null }
  const senderDomain = domainOf(sender)
  return senderDomain === '' ? undefined : { brand, senderDomain }
}

function toReport({ event, delivery }: StoredEvent): NewReport {
  const { type, reason } = event
  return {
    mauticId: delivery.mautic_id,
    address: delivery.recipient,
    contactId: delivery.contact_id,
    emailId: delivery.email_id,
    // Mautic has no reason for complaints.
    reason: type === 'bounced' ? 'bounced' : 'unsubscribed',
    comments: reason ?? `The mail provider reported: ${deliveryEvents[type].meaning}.`,
  }
}

async function markBounced(
  tx: Transaction<object>,
  bounced: readonly StoredEvent[],
): Promise<void> {
  if (bounced.length === 0) return
  const ids = bounced.map(({ delivery }) => delivery.id)
  const times = bounced.map(({ delivery }) => delivery.started_at)
  await tx
    .withTables<DeliveryTables>()
    .updateTable('deliveries')
    .set({ is_bounced: true })
    .where('id', 'in', ids)
    // With the times, PostgreSQL changes few partitions.
    .where('started_at', '>=', Math.min(...times))
    .where('started_at', '<=', Math.max(...times))
    .execute()
}
