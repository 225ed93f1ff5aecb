import type { Capture, CaptureResult } from '../delivery/capture.ts'
import { attempt } from '../delivery/create-result.ts'
import type { DeliveryResult } from '../delivery/delivery-result.ts'
import { FaultError } from '../delivery/fault-error.ts'
import {
  requireLease,
  type SendOptions,
  type Transport,
  type TransportLoad,
  waitUntilReady,
} from '../delivery/transport.ts'
import type { Message } from '../message/message.ts'

/**
 * The transport of `null://`, which accepts every valid message and discards it, and of `inbox://local`, which captures every
 * valid message and sends none.
 */
export class LocalTransport implements Transport {
  readonly label: string
  readonly #capture: Capture | undefined

  /** @param capture Stores messages; undefined to discard them. */
  constructor(label: string, capture?: Capture) {
    this.label = label
    this.#capture = capture
  }

  send(message: Message, sendOptions?: SendOptions): Promise<DeliveryResult> {
    return attempt(message, { member: this.label, options: sendOptions }, async (options) => {
      await waitUntilReady(options, 'data')
      requireLease(options, 'data')
      if (this.#capture === undefined) return { stage: 'data', reply: null }
      const id = requireCaptured(await this.#capture(message, options.through))
      // For reports, replies and warnings.
      const text = `Captured, not sent: /api/inbox/${id}`
      const reply = { protocol: 'inbox', code: 250, enhancedCode: null, text } as const
      return { stage: 'data', reply, messageId: String(id) }
    })
  }

  load(): TransportLoad {
    return { connections: 0, sending: 0, waiting: 0 }
  }

  async close(): Promise<void> {}
}

/**
 * Returns the id of a captured message.
 * @throws {FaultError} when it was not captured.
 */
function requireCaptured(result: CaptureResult): number {
  if (result.outcome === 'captured') return result.id
  const isUncertain = result.outcome === 'uncertain'
  const hint = isUncertain ? 'Look into the inbox before sending it again.' : 'Try again later.'
  const { reason: message } = result
  throw new FaultError({ code: 'server_fault', stage: 'data', message, hint }, { isUncertain })
}
