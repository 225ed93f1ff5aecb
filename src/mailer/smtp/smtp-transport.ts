import type { DeliveryResult } from '../delivery/delivery-result.ts'
import { FaultError } from '../delivery/fault-error.ts'
import type { ImproveFault } from '../delivery/improve-fault.ts'
import { createResult, faultResult } from '../delivery/result.ts'
import type { SendOptions, Transport } from '../delivery/transport.ts'
import { checkEnvelope } from '../message/check-envelope.ts'
import type { Message } from '../message/message.ts'
import { missingHeaders } from '../message/missing-headers.ts'
import type { Gate, Place } from '../rate/gate.ts'
import { messageIdOf } from './message-id.ts'
import type { SessionContext } from './session-context.ts'
import { cancelledFault } from './session-fault.ts'
import type { SessionPool } from './session-pool.ts'
import type { SmtpSession } from './smtp-session.ts'
import { type Acceptance, transact } from './transaction.ts'

/** What an SMTP transport is made of. */
export interface SmtpTransportOptions extends SessionContext {
  /** Scheme, host and port of the DSN. */
  readonly label: string
  readonly gate: Gate
  readonly pool: SessionPool
  readonly improve: ImproveFault
}

/** How often a message is taken to another session because the one it was given had ended unseen. */
const staleSessionsMax = 2

/** Opens the transport of an SMTP server. */
export function openSmtpTransport(options: SmtpTransportOptions): Transport {
  const { label, gate, pool, improve } = options
  return {
    label,
    async send(message, sendOptions = {}) {
      const startedAt = performance.now()
      try {
        checkEnvelope(message.envelope)
        const place = await gate.enter(sendOptions.signal)
        try {
          const acceptance = await deliver(message, { ...options, ...sendOptions, place })
          return acceptedResult(label, acceptance, startedAt)
        } finally {
          place.leave()
        }
      } catch (error) {
        if (!(error instanceof FaultError)) throw error
        const durationMs = performance.now() - startedAt
        return faultResult(improve(error), { member: label, message, durationMs })
      }
    },
    load: () => ({ connections: pool.size, ...gate.load() }),
    async close() {
      await gate.close()
      pool.close()
    },
  }
}

interface Delivery extends SmtpTransportOptions, SendOptions {
  readonly place: Place
}

async function deliver(message: Message, delivery: Delivery): Promise<Acceptance> {
  for (let attempt = 0; ; attempt += 1) {
    const session = await acquire(delivery)
    const isFresh = session.messages === 0
    const isOverlapping = session.isAwaiting
    try {
      return await converse(session, message, delivery)
    } catch (error) {
      if (isFresh || attempt === staleSessionsMax || !isBeforeMessage(error)) throw error
      const { code } = error.fault
      const hasEnded = code === 'connection_closed' || code === 'server_busy'
      // What followed the last message never reached the server's ears.
      const isUnheard = code === 'stalled' && isOverlapping
      if (isUnheard) delivery.pool.forbidOverlap()
      if (!hasEnded && !isUnheard) throw error
    }
  }
}

/** Whether the server took no word of this message. */
function isBeforeMessage(error: unknown): error is FaultError {
  return error instanceof FaultError && !error.isUncertain && error.fault.stage === 'sender'
}

/** A server that cannot be reached for one message cannot be for those that wait either. */
async function acquire({ pool, gate, signal }: Delivery): Promise<SmtpSession> {
  try {
    return await pool.acquire(signal)
  } catch (error) {
    const isOfServer = error instanceof FaultError && error.fault.scope === 'member'
    if (isOfServer && pool.isBare) gate.refuseWaiting(error)
    throw error
  }
}

/** Sends the message and gives the session back, early where the next message waits for it. */
async function converse(
  session: SmtpSession,
  message: Message,
  { settings, timeouts, signal, ready, pool, gate, place }: Delivery,
): Promise<Acceptance> {
  let isHandedOver = false
  const handOver = () => {
    if (!gate.isPressed || !pool.canOverlap(session)) return
    isHandedOver = true
    pool.release(session)
    place.vacate()
  }
  const head = settings.headers.length === 0 ? '' : missingHeaders(message.raw, settings.headers)
  // Whoever began behind this message finds the connection closed, and not himself cancelled; whoever
  // is before it still gets his answer.
  const cancel = () => (isHandedOver ? session.destroy() : session.cutOff())
  try {
    if (signal?.aborted) throw cancelledFault({ stage: 'sender' })
    signal?.addEventListener('abort', cancel, { once: true })
    return await transact(session, message, { timeouts, head, ready, handOver })
  } catch (error) {
    throw signal?.aborted ? asCancelled(error) : error
  } finally {
    signal?.removeEventListener('abort', cancel)
    if (!isHandedOver) pool.release(session)
  }
}

/** The connection was closed because the send was cancelled; a server's reply counts for itself. */
function asCancelled(error: unknown): unknown {
  if (!(error instanceof FaultError) || error.fault.code !== 'connection_closed') return error
  const { fault } = cancelledFault({ stage: error.fault.stage })
  return new FaultError(fault, { isUncertain: error.isUncertain, recipients: error.recipients })
}

function acceptedResult(
  member: string,
  { reply, recipients, fault }: Acceptance,
  startedAt: number,
): DeliveryResult {
  return createResult({
    member,
    outcome: 'accepted',
    stage: 'data',
    reply,
    fault,
    durationMs: performance.now() - startedAt,
    recipients,
    messageId: messageIdOf(reply),
  })
}
