/**
 * What a provider can say of a message that it accepted.
 * @example
 * ```ts
 * const counts = new Map(eventTypes.map((type) => [type, 0]))
 * ```
 */
export const eventTypes = [
  'delivered',
  'deferred',
  'bounced',
  'complained',
  'unsubscribed',
  'rejected',
] as const

/**
 * One of `eventTypes`.
 * @example
 * ```ts
 * const suppressing: EventType[] = ['bounced', 'complained', 'unsubscribed']
 * ```
 */
export type EventType = (typeof eventTypes)[number]

/**
 * What a provider says of one recipient of a message.
 * @example
 * ```ts
 * const describe = ({ recipient, type, reason }: ProviderEvent) => `${recipient} ${type}: ${reason}`
 * ```
 */
export interface ProviderEvent {
  /** `ignored`: opens, clicks, what was sent or queued, and what is unknown. */
  readonly type: EventType | 'ignored'
  /** The address; null if the provider does not name it. */
  readonly recipient: string | null
  /** The id that the provider gave the message. */
  readonly providerId: string | null
  /** Other ids by which the message is known: its Message-ID, or what the API answered. With or without angle brackets. */
  readonly otherIds: readonly string[]
  /** When it happened, in milliseconds since the epoch. */
  readonly at: number | null
  /** Of `bounced`: whether the address cannot be delivered to for good (`hard`), or was given up for now. */
  readonly class: 'hard' | 'soft' | null
  /** The words of the recipient's server, else those of the provider. */
  readonly reason: string | null
  /** The provider's own id of the event, if it is the same when the event is sent again. */
  readonly eventId: string | null
}
