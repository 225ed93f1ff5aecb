import type { Message } from '../message/message.ts'
import type { SentThrough } from './capture.ts'
import type { DeliveryResult } from './delivery-result.ts'
import { FaultError } from './fault-error.ts'
import type { Stage } from './stage.ts'

/**
 * Options of one `send`.
 * @example
 * ```ts
 * const options: SendOptions = { signal: AbortSignal.timeout(60_000) }
 * ```
 */
export interface SendOptions {
  /**
   * Cancels the attempt. Before the last byte of the message is sent the result is `refused`, and the message may be
   * sent again. After it, the result is `uncertain`.
   */
  readonly signal?: AbortSignal | undefined
  /**
   * Holds the message back until this promise resolves: over SMTP the envelope is sent, the message is not. When it
   * rejects, the result is `refused` with the fault `cancelled`. The caller handles the rejection as well, because
   * `send` may not be waiting for the promise yet.
   */
  readonly ready?: Promise<unknown> | undefined
  /**
   * Called directly before the message is sent, after `ready`: over SMTP once the server expects the message. A
   * failover calls it for each member. When it rejects, the result is `refused` with the fault `lease_expired`.
   */
  readonly beforeMessage?: (() => Promise<void> | undefined) | undefined
  /**
   * Whether the caller may still send the message: in a cluster, whether its lease is valid. Called synchronously right
   * before the last bytes of the message are written (SMTP) or the request (HTTP). If it returns false, the server does
   * not get the message, and the result is `refused` with the fault `lease_expired`.
   */
  readonly isLeaseValid?: (() => boolean) | undefined
  /**
   * The envelope sender of the message to its one recipient, where the DSN has `return_path=on`. Default: that of the
   * envelope.
   */
  readonly returnPath?: string | undefined
  /** Who submitted the message, by the number that `DkimKeys.find` knows. Default: the owner of the mailer. */
  readonly submitter?: number | undefined
  /** Called before anything is sent, with how many recipients the guard of the mailer does not allow, if there are any. */
  readonly onGuarded?: ((count: number) => void) | undefined
  /** What an inbox stores beside a message that it captures. */
  readonly through?: SentThrough | undefined
}

/**
 * How busy a transport is.
 * @example
 * ```ts
 * const isIdle = ({ sending, waiting }: TransportLoad) => sending + waiting === 0
 * ```
 */
export interface TransportLoad {
  /** Open connections, including idle ones. */
  readonly connections: number
  /** Messages that are being sent. */
  readonly sending: number
  /** Messages that wait for a connection or for the rate limit. */
  readonly waiting: number
}

/**
 * An open mail transport. It holds connections: close it when you are done. `send` does not throw for anything that a
 * server, a network or a message can cause; the result says what happened.
 * @example
 * ```ts
 * async function sendAll(transport: Transport, messages: Message[]): Promise<DeliveryResult[]> {
 *   try {
 *     return await Promise.all(messages.map((message) => transport.send(message)))
 *   } finally {
 *     await transport.close()
 *   }
 * }
 * ```
 */
export interface Transport {
  /** Scheme, host and port of the DSN, without user: safe for logs. */
  readonly label: string
  send(message: Message, options?: SendOptions): Promise<DeliveryResult>
  load(): TransportLoad
  /** Finishes the messages that are being sent, refuses those that wait, and closes every connection. */
  close(): Promise<void>
}

/** Adds up how busy some transports are. */
export function sumLoads(transports: readonly Transport[]): TransportLoad {
  const total = { connections: 0, sending: 0, waiting: 0 }
  for (const { connections, sending, waiting } of transports.map((one) => one.load())) {
    total.connections += connections
    total.sending += sending
    total.waiting += waiting
  }
  return total
}

/** Returns the message with the envelope sender that a transport uses for it. */
export function withReturnPath(
  message: Message,
  { returnPath: from }: SendOptions,
  { hasReturnPath }: { readonly hasReturnPath: boolean },
): Message {
  if (from === undefined || !hasReturnPath) return message
  return { ...message, envelope: { ...message.envelope, from } }
}

/**
 * Waits until the message may be sent.
 * @throws {FaultError} with the code `cancelled` when `ready` rejects, and `lease_expired` when `beforeMessage` does.
 */
export async function waitUntilReady(
  { ready, beforeMessage, signal }: Pick<SendOptions, 'ready' | 'beforeMessage' | 'signal'>,
  stage: Stage,
): Promise<void> {
  const check = async (code: 'cancelled' | 'lease_expired', allowed?: Promise<unknown>) => {
    try {
      await allowed
      signal?.throwIfAborted()
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      const message = `The message was not sent: ${reason}`
      throw new FaultError({ code, scope: 'message', stage, message }, { cause })
    }
  }
  if (ready === undefined && beforeMessage === undefined) return
  await check('cancelled', ready)
  const allowed = beforeMessage?.()
  if (allowed !== undefined) await check('lease_expired', allowed)
}

/**
 * Call it synchronously before the bytes that complete the message.
 * @throws {FaultError} with the code `lease_expired`.
 */
export function requireLease({ isLeaseValid }: SendOptions, stage: Stage): void {
  if (isLeaseValid?.() === false)
    throw new FaultError({
      code: 'lease_expired',
      scope: 'message',
      stage,
      message:
        'The message was not sent: this process was interrupted for so long that its turn had ended, or that another one may have taken the message over.',
    })
}
