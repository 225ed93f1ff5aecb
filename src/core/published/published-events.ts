import type { QueryExecutorProvider } from 'kysely'
import { noBrand } from '../../kit/caller.ts'
import type { EventType } from './event-types.ts'

/** Something that happened, for other systems that ask for it. */
export interface PublishedEvent {
  type: EventType
  /** Ids, names and words; see `eventTypes`. Never a secret, never the body of a message. `brand` is whose it is; see `brandData`. */
  data: Readonly<Record<string, unknown>> & { readonly brand?: number }
  /** A chat gets one message an hour for each type and cause, such as `transport 3`. Default: one for the type. */
  cause?: string
}

/** The data of an event that says whose it is: nothing for `noBrand`, of the installation or a record without a brand. */
export function brandData(brand: number): { brand?: number } {
  return brand === noBrand ? {} : { brand }
}

/** What passes events on, such as the webhooks. */
export interface EventSink {
  /** Whether anybody asks for events of this type. */
  wants(type: EventType): boolean
  /** Stores events, as part of a transaction if it is given one. */
  publish(db: QueryExecutorProvider, events: readonly PublishedEvent[]): Promise<void>
  /** Makes all processes pass on what was stored. */
  notify(): void
}

/** What happens, for those that pass it on. Where there is none, no event is wanted, and it costs nothing. */
export class PublishedEvents implements EventSink {
  readonly #sinks: EventSink[] = []

  add(sink: EventSink): void {
    this.#sinks.push(sink)
  }

  wants(type: EventType): boolean {
    return this.#sinks.some((sink) => sink.wants(type))
  }

  /** Publishes events, as part of a transaction if it is given one: they are then sent if it is committed. Call `notify` after that. */
  async publish(db: QueryExecutorProvider, events: readonly PublishedEvent[]): Promise<void> {
    for (const sink of this.#sinks) await sink.publish(db, events)
  }

  /** Call it after the commit. */
  notify(): void {
    for (const sink of this.#sinks) sink.notify()
  }
}
