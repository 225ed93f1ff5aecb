import type { Registry } from 'prom-client'
import {
  defaultTransport,
  deliveryEventTypes,
  deliveryOutcomes,
  deliverySources,
  type FinishedAttempt,
  isGuarded,
  outcomeOf,
  type StoredEvent,
  type UnattemptedDelivery,
} from '../../../core/delivery/index.ts'
import { noBrand } from '../../../kit/caller.ts'
import type { Clock } from '../../../kit/clock.ts'
import type { UnsignedCause } from '../../../libraries/mailer/index.ts'
import { Counter, Gauge, Histogram } from './prom-client.ts'

/** Transports, and brands, with labels of their own in one process; those that are used later share the label `other`. */
const labelsMax = 500
const other = 'other'
/** The label of deliveries that were given to no transport. */
const none = 'none'
/** Faults of this process, which say nothing about the server. */
const ownFaults = new Set<string | undefined>(['cancelled', 'lease_expired', 'transport_closed'])
/** Seconds. A provider answers in a tenth of a second; a server that limits its clients takes up to a minute. */
const buckets = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** A transport whose last attempt failed because of its server. */
export interface UnavailableTransport {
  transportId: number
  /** In milliseconds since the epoch. */
  since: number
}

/** An event of a provider that was stored. */
export type ObservedEvent = Pick<StoredEvent, 'event'> & {
  delivery: Pick<StoredEvent['delivery'], 'transport' | 'brand_id'>
}

/** The series of attempts, which the hot path writes. */
export interface AttemptMetrics {
  observe: (attempt: FinishedAttempt) => void
  observeUnattempted: (delivery: UnattemptedDelivery) => void
  observeEvents: (stored: readonly ObservedEvent[]) => void
  observeNotificationLimited: () => void
  observeUnsigned: (cause: UnsignedCause) => void
  /** The transports that `mailyard_transport_up` has as 0; without the default. */
  listUnavailable(): UnavailableTransport[]
  /** Removes `mailyard_transport_up` of a transport until its next attempt. */
  forgetState(transportId: number): void
}

/** The label of a brand; nothing for none. */
type BrandLabel = { brand?: string }

const ofOthers: BrandLabel = { brand: other }

interface KnownTransport {
  name: string
  label: string
  /** As it was set last; undefined before its first attempt. */
  isUp: boolean | undefined
  unavailableSince: number | undefined
}

/** Adds the series of attempts to a registry. A transport that is renamed gets a new label, and its counts start again. */
export function addAttemptMetrics(registry: Registry, clock: Clock): AttemptMetrics {
  const ofBrands = new Map<number, BrandLabel>([[noBrand, {}]])
  const series = createSeries(registry, ofBrands)
  const ofBrand = (brand: number): BrandLabel => {
    const known = ofBrands.get(brand)
    if (known !== undefined) return known
    if (ofBrands.size > labelsMax) return ofOthers
    const label = { brand: String(brand) }
    ofBrands.set(brand, label)
    return label
  }
  const transports = new Map<number | null, KnownTransport>()
  /** An event may have the name that the transport had before, and is counted under its present one. */
  const findLabel = (transportId: number | null, transport: string) =>
    (transports.get(transportId) ?? find({ transportId, transport }))?.label
  const find = ({
    transportId: id,
    transport: name,
  }: Pick<FinishedAttempt, 'transportId' | 'transport'>) => {
    const known = transports.get(id)
    if (known?.name === name) return known
    if (known !== undefined) series.remove(known.label)
    else if (transports.size >= labelsMax) return undefined
    const label = id === null ? name : `${name} (${id})`
    const added = { name, label, isUp: undefined, unavailableSince: undefined }
    transports.set(id, added)
    return added
  }
  return {
    observe(attempt) {
      const { source, brand, result } = attempt
      const isOwnFault = ownFaults.has(result.fault?.code)
      // Nothing was sent.
      if (isOwnFault && result.outcome === 'refused') return
      const known = find(attempt)
      const transport = known?.label ?? other
      for (const recipient of result.recipients)
        series.deliveries.inc({
          transport,
          outcome: outcomeOf(recipient),
          source,
          ...ofBrand(brand),
        })
      if (isGuarded(result)) return
      series.durations.observe({ transport }, result.durationMs / 1_000)
      if (known === undefined || isOwnFault) return
      const isUp = result.outcome === 'accepted' || result.fault?.scope !== 'member'
      known.unavailableSince = isUp ? undefined : (known.unavailableSince ?? clock.now())
      if (known.isUp === isUp) return
      known.isUp = isUp
      series.up.set({ transport }, isUp ? 1 : 0)
    },
    observeUnattempted({ outcome, source, brand_id: brand = noBrand }) {
      series.deliveries.inc({ transport: none, outcome, source, ...ofBrand(brand) })
    },
    observeEvents(stored) {
      for (const { event, delivery } of stored) {
        if (!event.is_first) continue
        const id = event.transport_id === defaultTransport ? null : event.transport_id
        const transport = findLabel(id, delivery.transport ?? '') ?? other
        series.events.inc({ transport, type: event.type, ...ofBrand(delivery.brand_id) })
      }
    },
    observeNotificationLimited: () => series.limited.inc(),
    observeUnsigned: (reason) => series.unsigned.inc({ reason }),
    listUnavailable: () =>
      [...transports].flatMap(([transportId, { unavailableSince: since }]) =>
        transportId === null || since === undefined ? [] : [{ transportId, since }],
      ),
    forgetState(transportId) {
      const known = transports.get(transportId)
      if (known === undefined) return
      known.isUp = undefined
      known.unavailableSince = undefined
      series.up.remove({ transport: known.label })
    },
  }
}

function createSeries(registry: Registry, ofBrands: ReadonlyMap<number, BrandLabel>) {
  const registers = [registry]
  const deliveries = new Counter({
    name: 'mailyard_deliveries_total',
    help: 'Attempts to deliver a message to a recipient, and deliveries without an attempt, by outcome',
    labelNames: ['transport', 'outcome', 'source', 'brand'],
    registers,
  })
  const events = new Counter({
    name: 'mailyard_delivery_events_total',
    help: 'What providers reported of deliveries after they accepted the messages, once for each delivery and type',
    labelNames: ['transport', 'type', 'brand'],
    registers,
  })
  const limited = new Counter({
    name: 'mailyard_notifications_limited_total',
    help: 'Notifications that were dropped because their sender had too many within an hour',
    registers,
  })
  const unsigned = new Counter({
    name: 'mailyard_dkim_unsigned_total',
    help: 'Messages that were sent without a DKIM signature although their domain has a key, by reason',
    labelNames: ['reason'],
    registers,
  })
  const durations = new Histogram({
    name: 'mailyard_attempt_duration_seconds',
    help: 'How long attempts to send a message took, until the last reply of the server',
    labelNames: ['transport'],
    buckets,
    registers,
  })
  const up = new Gauge({
    name: 'mailyard_transport_up',
    help: 'Whether the last attempt reached the server of the transport: 0 if it failed because of the server',
    labelNames: ['transport'],
    registers,
  })
  const remove = (transport: string) => {
    for (const brand of [...ofBrands.values(), ofOthers]) {
      for (const outcome of deliveryOutcomes)
        for (const source of deliverySources)
          deliveries.remove({ transport, outcome, source, ...brand })
      for (const type of deliveryEventTypes) events.remove({ transport, type, ...brand })
    }
    durations.remove({ transport })
    up.remove({ transport })
  }
  return { deliveries, durations, events, limited, unsigned, up, remove }
}
