import { FaultError } from '../delivery/fault-error.ts'
import { createResult, faultResult } from '../delivery/result.ts'
import type { Transport } from '../delivery/transport.ts'
import { untilReady } from '../delivery/until-ready.ts'
import { checkEnvelope } from '../message/check-envelope.ts'

/** The transport of `null://`: it accepts every sound message and drops it. */
export function createNullTransport(label: string): Transport {
  return {
    label,
    async send(message, sendOptions = {}) {
      try {
        checkEnvelope(message.envelope)
        await untilReady(sendOptions, 'data')
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
