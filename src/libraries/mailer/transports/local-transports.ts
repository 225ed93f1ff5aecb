import type { Capture, CaptureResult } from '../delivery/capture.ts'
import { type Accepted, attempt } from '../delivery/create-result.ts'
import type { DeliveryResult } from '../delivery/delivery-result.ts'
import { FaultError, joinSentences } from '../delivery/fault-error.ts'
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
      return capturedBy(this.#capture, message, options)
    })
  }

  load(): TransportLoad {
    return { connections: 0, sending: 0, waiting: 0 }
  }

  async close(): Promise<void> {}
}

type CaptureOptions = Pick<SendOptions, 'through' | 'submitter'> & { reason?: string }

/**
 * Captures a message. `reason`: why, where that is not its transport; a sentence.
 * @throws {FaultError} when it was not captured.
 */
export async function capturedBy(
  capture: Capture,
  message: Message,
  { through, submitter, reason }: CaptureOptions,
): Promise<Accepted> {
  const id = requireCaptured(await capture(message, through, submitter))
  // For reports, replies and warnings.
  const sentence = `Captured, not sent: /api/inbox/${id}`
  const text = reason === undefined ? sentence : joinSentences([sentence, reason])
  const reply = { protocol: 'inbox', code: 250, enhancedCode: null, text } as const
  return { stage: 'data', reply, messageId: String(id) }
}

/**
 * Returns the id of a captured message.
 * @throws {FaultError} when it was not captured.
 */
function requireCaptured(result: CaptureResult): number {
  if (result.outcome === 'captured') return result.id
  const { reason: message } = result
  const refused = { code: 'server_fault', stage: 'data', message } as const
  if (result.outcome === 'uncertain') {
    const hint = 'Look into the inbox before sending it again.'
    throw new FaultError({ ...refused, hint }, { isUncertain: true })
  }
  const { isPermanent = false } = result
  const hint = isPermanent ? 'Send it to a server instead.' : 'Try again later.'
  throw new FaultError({ ...refused, hint, isPermanent })
}
