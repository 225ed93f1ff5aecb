import type { Message } from '../message/message.ts'
import type { SentThrough } from '../transports/capture.ts'
import type { DeliveryResult } from './delivery-result.ts'

/** What one send may be told. */
export interface SendOptions {
  /**
   * Ends the attempt. Before the message's last byte left, the result is `refused` and may be sent
   * again; after it, `uncertain`.
   */
  readonly signal?: AbortSignal | undefined
  /**
   * Until this resolves no server gets enough of the message to accept it: over SMTP its envelope leaves
   * and its bytes wait. Where it rejects, the result is `refused`, with the fault `cancelled`; whoever gives it
   * handles its rejection too, which may come before anybody here waits for it.
   */
  readonly ready?: Promise<unknown> | undefined
  /** What an inbox notes beside a message that it captures. */
  readonly through?: SentThrough | undefined
}

/** How busy a transport is. */
export interface TransportLoad {
  /** Open connections, idle ones too. */
  readonly connections: number
  /** Messages under way. */
  readonly sending: number
  /** Messages that wait for a connection or for their turn under the rate limit. */
  readonly waiting: number
}

/**
 * A way out for messages. It holds connections: whoever opens it closes it. `send` does not throw for
 * anything a server, a network or a message can do; what happened is in the result.
 */
export interface Transport {
  /** Scheme, host and port of the DSN, without user: fit for logs. */
  readonly label: string
  send(message: Message, options?: SendOptions): Promise<DeliveryResult>
  load(): TransportLoad
  /** Lets what is under way end, refuses what waits, and closes every connection. */
  close(): Promise<void>
}
