import type { Message } from '../message/message.ts'

/** The transport that a message is sent through, as the host of the mailer knows it. */
export interface SentThrough {
  /** Null for a transport that is not stored. */
  readonly id: number | null
  readonly name: string
}

/** What became of a message that was to be captured. */
export type CaptureResult =
  | { readonly outcome: 'captured'; readonly id: number }
  /** Nothing is stored. `reason` is a sentence for the person who can fix it. */
  | { readonly outcome: 'refused'; readonly reason: string }
  /** The storage was lost before it confirmed: the message may be stored. */
  | { readonly outcome: 'uncertain'; readonly reason: string }

/**
 * Stores a message instead of sending it: what `inbox://local` does. Resolves with `captured` only once
 * the message survives a crash of the process and of the machine.
 */
export type Capture = (message: Message, through: SentThrough | undefined) => Promise<CaptureResult>
