import { domainToASCII, domainToUnicode } from 'node:url'
import type { Transaction } from 'kysely'
import {
  type CandidateDelivery,
  type DeliveryEvents,
  type DeliveryEventType,
  type DeliveryReference,
  type DeliveryTables,
  storableText,
} from '../../../core/delivery/index.ts'
import { noBrand, owns } from '../../../kit/caller.ts'
import { emailKey } from '../../../kit/normalize-for-search.ts'
import type { ProviderEvent } from '../../../libraries/mailer/index.ts'
import type { ReadTransports, TransportAccounts } from './transport-accounts.ts'

/** What a provider says of one recipient, and when; not an ignored event. */
export interface DatedEvent extends ProviderEvent {
  /** The delivery whose return path it came to; undefined for others. */
  readonly delivery?: DeliveryReference
  /** The brands of the caller who has sent it by mail; undefined for all, and for webhooks. */
  readonly brands?: readonly number[]
  readonly type: DeliveryEventType
  readonly at: number
}

/** An event, and the delivery that it is about. */
export interface MatchedEvent {
  event: DatedEvent
  delivery: CandidateDelivery
  /** Whether only the recipient and the time say so. */
  isGuess: boolean
}

export interface Matches {
  matched: MatchedEvent[]
  /** The events whose message was not found. */
  unmatched: DatedEvent[]
  /** The transports of the deliveries. */
  transports: ReadTransports
}

const dayMs = 86_400_000
/** How long after a message was sent its events count. */
const matchedMs = 30 * dayMs
/** How much later than the provider's clock ours may be. */
const clockSkewMs = 600_000

/** Reads stored events. One without a time happened when it was received. */
export function readEvents(text: string, receivedAt: number): DatedEvent[] {
  return (JSON.parse(text) as ProviderEvent[]).flatMap(({ type, at, ...event }) => {
    if (type === 'ignored') return []
    const isKnown = at !== null && Number.isSafeInteger(at) && at > 0
    return [{ ...event, type, at: Math.min(isKnown ? at : receivedAt, receivedAt) }]
  })
}

/**
 * Finds the deliveries that events are about: by the id of the provider, then by the Message-ID, then the last delivery to the
 * recipient. Only deliveries through the account of the webhook count, and of its brand where its transport has one.
 *
 * @param transportId The transport of the webhook. Null: the events came by mail. Then the return path names the delivery, or a
 *   caller who may suppress has sent the report, with the Message-ID. It counts for messages of the caller's brands.
 */
export async function matchEvents(
  tx: Transaction<object>,
  events: readonly DatedEvent[],
  {
    deliveryEvents,
    accounts,
    transportId,
    receivedAt,
  }: {
    deliveryEvents: Pick<DeliveryEvents, 'findCandidates' | 'findReferenced'>
    accounts: Pick<TransportAccounts, 'read'>
    transportId: number | null
    receivedAt: number
  },
): Promise<Matches> {
  const deliveryTx = tx.withTables<DeliveryTables>()
  const named = await deliveryEvents.findCandidates(deliveryTx, {
    idsByRecipient: idsByRecipient(events.filter(({ delivery }) => delivery === undefined)),
    // The times of events may be wrong by much.
    from: receivedAt - matchedMs,
    to: receivedAt + clockSkewMs,
  })
  const references = events.flatMap(({ delivery }) => delivery ?? [])
  const returned = await deliveryEvents.findReferenced(deliveryTx, references)
  const candidates = [...named, ...returned]
  const ids = candidates.map((row) => row.transport_id)
  const transports = await accounts.read(tx, transportId === null ? ids : [...ids, transportId])
  const counted = candidates.filter((row) => {
    if (transportId === null) return true
    const { brand_id: brand = noBrand } = transports.find(transportId) ?? {}
    const isOwn = brand === noBrand || brand === row.brand_id
    return isOwn && transports.sharesAccount(transportId, row.transport_id)
  })
  const pools = Map.groupBy(counted, (row) => row.recipient_key)
  const matches: Matches = { matched: [], unmatched: [], transports }
  for (const event of events) {
    const ofRecipient = recipientKeysOf(event).flatMap((key) => pools.get(key) ?? [])
    const { brands = 'all' } = event
    const pool = ofRecipient.filter((row) => owns({ brands }, row.brand_id))
    const match = transportId === null ? findMailed(event, pool) : findMatch(event, pool)
    if (match === undefined) matches.unmatched.push(event)
    else matches.matched.push({ event, ...match })
  }
  return matches
}

function idsByRecipient(events: readonly DatedEvent[]): Map<string, Set<string>> {
  const byRecipient = new Map<string, Set<string>>()
  for (const event of events)
    for (const key of recipientKeysOf(event)) {
      const ids = byRecipient.get(key) ?? new Set()
      for (const id of idsOf(event)) ids.add(id)
      byRecipient.set(key, ids)
    }
  return byRecipient
}

/** Providers write the domain of a recipient as it was sent, in Unicode, or in ASCII (`xn--…`). */
function recipientKeysOf({ recipient }: DatedEvent): string[] {
  // A text with NUL would make PostgreSQL refuse the whole query.
  const key = emailKey(storableText(recipient ?? ''))
  if (key === '') return []
  const start = key.lastIndexOf('@') + 1
  const domain = key.slice(start)
  const isAscii = /^[ -~]*$/.test(domain)
  if (isAscii && !domain.includes('xn--')) return [key]
  const other = isAscii ? domainToUnicode(domain) : domainToASCII(domain)
  return other === '' || other === domain ? [key] : [key, key.slice(0, start) + other]
}

type Match = Omit<MatchedEvent, 'event'>

function findMatch(event: DatedEvent, pool: readonly CandidateDelivery[]): Match | undefined {
  const ids = idsOf(event)
  const ofProvider = pool.filter((row) => ids.has(bare(row.provider_id)))
  const delivery = newestOf(ofProvider)
  if (delivery !== undefined) return { delivery, isGuess: false }
  const named = findNamed(event, pool)
  if (named !== undefined) return named
  // The outcome of a message in flight is not known yet, nor the id that its provider gives it.
  if (ids.size > 0 && pool.some(({ outcome }) => outcome === 'started')) return undefined
  const last = newestOf(
    pool.filter((row) => row.outcome === 'accepted' && row.started_at <= event.at),
  )
  return last && { delivery: last, isGuess: true }
}

function findMailed(event: DatedEvent, pool: readonly CandidateDelivery[]): Match | undefined {
  if (event.delivery === undefined) return findNamed(event, pool)
  const { id } = event.delivery
  const delivery = pool.find((row) => row.id === id && /^(?:accepted|uncertain)$/.test(row.outcome))
  return delivery && { delivery, isGuess: false }
}

/** Finds the delivery with a Message-ID. Of several attempts, the one that was accepted counts. */
function findNamed(event: DatedEvent, pool: readonly CandidateDelivery[]): Match | undefined {
  const ids = idsOf(event)
  const named = pool.filter((row) => ids.has(bare(row.message_id)))
  const delivery =
    newestOf(named.filter(({ outcome }) => outcome !== 'deferred')) ?? newestOf(named)
  // Once its outcome is known, the event may settle it.
  return delivery === undefined || delivery.outcome === 'started'
    ? undefined
    : { delivery, isGuess: false }
}

/** The ids of the message of an event; none of them is ''. */
function idsOf({ providerId, otherIds }: DatedEvent): Set<string> {
  const ids = new Set([providerId, ...otherIds].map(bare))
  ids.delete('')
  return ids
}

/** An id as the log stores it, without angle brackets. */
function bare(id: string | null): string {
  const text = storableText(id?.trim() ?? '')
  return text.startsWith('<') && text.endsWith('>') ? text.slice(1, -1) : text
}

function newestOf(rows: readonly CandidateDelivery[]): CandidateDelivery | undefined {
  return rows.reduce<CandidateDelivery | undefined>(
    (newest, row) => (newest === undefined || row.started_at > newest.started_at ? row : newest),
    undefined,
  )
}
