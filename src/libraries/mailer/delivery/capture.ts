import type { Message } from '../message/message.ts'

/**
 * The stored transport that a message is sent through. An inbox stores it beside the message.
 * @example
 * ```ts
 * const through: SentThrough = { id: 7, name: 'Newsletter' }
 * const report = await createMailer().test('null://null', { from: 'a@example.com', to: 'b@example.com', through })
 * ```
 */
export interface SentThrough {
  /** Null for a transport that is not stored. */
  readonly id: number | null
  readonly name: string
}

/**
 * The result of capturing a message. `reason` is a sentence for the person who can fix it. `refused`: nothing is stored,
 * and with `isPermanent` never will be. `uncertain`: the storage failed before it confirmed, and the message may be stored.
 * @example
 * ```ts
 * const full: CaptureResult = { outcome: 'refused', reason: 'The inbox is full. Delete old messages.' }
 * ```
 */
export type CaptureResult =
  | { readonly outcome: 'captured'; readonly id: number }
  | { readonly outcome: 'refused'; readonly reason: string; readonly isPermanent?: boolean }
  | { readonly outcome: 'uncertain'; readonly reason: string }

/**
 * Stores a message instead of sending it: `inbox://local` calls it. It resolves with `captured` only after the message
 * is on disk. `submitter`: see `SendOptions`.
 * @example
 * ```ts
 * const messages: Message[] = []
 * const capture: Capture = async (message) => ({ outcome: 'captured', id: messages.push(message) })
 * const transport = createMailer({ capture }).open('inbox://local')
 * ```
 */
export type Capture = (
  message: Message,
  through: SentThrough | undefined,
  submitter?: number | undefined,
) => Promise<CaptureResult>
