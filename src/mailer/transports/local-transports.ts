import { createResult, faultResult } from '../delivery/create-result.ts'
import { FaultError } from '../delivery/fault-error.ts'
import { requireLease, type Transport, waitUntilReady } from '../delivery/transport.ts'
import { checkEnvelope } from '../message/message.ts'
import type { Capture, CaptureResult } from './capture.ts'

/** Creates the transport of `null://`: it accepts every valid message and discards it. */
export function createNullTransport(label: string): Transport {
  return {
    label,
    async send(message, sendOptions = {}) {
      try {
        checkEnvelope(message.envelope)
        await waitUntilReady(sendOptions, 'data')
        requireLease(sendOptions, 'data')
      } catch (error) {
        if (error instanceof FaultError)
          return faultResult(error, { member: label, message, durationMs: 0 })
        throw error
      }
      return createResult({
        member: label,
        outcome: 'accepted',
        stage: 'data',
        reply: null,
        fault: null,
        durationMs: 0,
        recipients: message.envelope.to.map((address) => ({
          address,
          outcome: 'accepted',
          reply: null,
          isPermanent: false,
        })),
      })
    },
    load: () => ({ connections: 0, sending: 0, waiting: 0 }),
    close: async () => undefined,
  }
}

/** Describes a message that `inbox://` captured, for reports, replies and warnings. */
const capturedSentence = (id: number) => `Captured, not sent: /api/inbox/${id}`

/** Creates the transport of `inbox://local`: it captures every valid message and sends none. */
export function createInboxTransport(label: string, capture: Capture): Transport {
  return {
    label,
    async send(message, sendOptions = {}) {
      const startedAt = performance.now()
      const durationMs = () => performance.now() - startedAt
      try {
        checkEnvelope(message.envelope)
        await waitUntilReady(sendOptions, 'data')
        requireLease(sendOptions, 'data')
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

/**
 * Returns the id of a captured message.
 * @throws {FaultError} when it was not captured.
 */
function requireCaptured(result: CaptureResult): number {
  if (result.outcome === 'captured') return result.id
  const isUncertain = result.outcome === 'uncertain'
  const hint = isUncertain ? 'Look into the inbox before sending it again.' : 'Try again later.'
  throw new FaultError(
    { code: 'server_fault', scope: 'member', stage: 'data', message: result.reason, hint },
    { isUncertain },
  )
}
