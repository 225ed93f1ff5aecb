import { FaultError } from '../delivery/fault-error.ts'
import { createResult, faultResult } from '../delivery/result.ts'
import type { Transport } from '../delivery/transport.ts'
import { untilReady } from '../delivery/until-ready.ts'
import { checkEnvelope } from '../message/check-envelope.ts'
import type { Capture, CaptureResult } from './capture.ts'

/** What reports, replies and warnings say of a message that `inbox://` took. */
export const capturedSentence = (id: number) => `Captured, not sent: /api/inbox/${id}`

/** Opens the transport of `inbox://local`: it captures every valid message and sends none. */
export function createInboxTransport(label: string, capture: Capture): Transport {
  return {
    label,
    async send(message, sendOptions = {}) {
      const startedAt = performance.now()
      const durationMs = () => performance.now() - startedAt
      try {
        checkEnvelope(message.envelope)
        await untilReady(sendOptions, 'data')
        const id = requireCaptured(await capture(message, sendOptions.through))
        const text = capturedSentence(id)
        const reply = { protocol: 'inbox', code: 250, enhancedCode: null, text } as const
        return createResult({
          member: label,
          outcome: 'accepted',
          stage: 'data',
          reply,
          fault: null,
          durationMs: durationMs(),
          messageId: String(id),
          recipients: message.envelope.to.map((address) => ({
            address,
            outcome: 'accepted',
            reply,
            isPermanent: false,
          })),
        })
      } catch (error) {
        if (!(error instanceof FaultError)) throw error
        return faultResult(error, { member: label, message, durationMs: durationMs() })
      }
    },
    load: () => ({ connections: 0, sending: 0, waiting: 0 }),
    close: async () => undefined,
  }
}

/** The id of the captured message. Throws FaultError. */
function requireCaptured(result: CaptureResult): number {
  if (result.outcome === 'captured') return result.id
  const isUncertain = result.outcome === 'uncertain'
  const hint = isUncertain ? 'Look into the inbox before sending it again.' : 'Try again later.'
  throw new FaultError(
    { code: 'server_fault', scope: 'member', stage: 'data', message: result.reason, hint },
    { isUncertain },
  )
}
