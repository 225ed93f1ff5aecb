import { createResult, faultResult } from '../delivery/create-result.ts'
import type { DeliveryResult } from '../delivery/delivery-result.ts'
import { FaultError, type ImproveFault } from '../delivery/fault-error.ts'
import type { SendLimiter, SendPermit } from '../delivery/send-limiter.ts'
import type { SendOptions, Transport } from '../delivery/transport.ts'
import { missingHeaders } from '../message/headers.ts'
import { checkEnvelope, type Message } from '../message/message.ts'
import type { SessionContext } from './session-context.ts'
import { cancelledFault } from './session-fault.ts'
import type { SessionPool } from './session-pool.ts'
import { messageIdOf } from './smtp-reply.ts'
import type { SmtpSession } from './smtp-session.ts'
import { type Acceptance, transact } from './transaction.ts'

/** Options of an SMTP transport. */
interface SmtpTransportOptions extends SessionContext {
  /** Scheme, host and port of the DSN. */
  readonly label: string
  readonly limiter: SendLimiter
  readonly pool: SessionPool
  readonly improve: ImproveFault
}

/** How often a message is moved to another session because its pooled session had been closed by the server. */
const staleSessionsMax = 2

/** Opens the transport of an SMTP server. */
export function openSmtpTransport(options: SmtpTransportOptions): Transport {
  const { label, limiter, pool, improve } = options
  return {
    label,
    async send(message, sendOptions = {}) {
      const startedAt = performance.now()
      try {
        checkEnvelope(message.envelope)
        const permit = await limiter.acquire(sendOptions.signal)
        try {
          const acceptance = await deliver(message, { ...options, ...sendOptions, permit })
          return acceptedResult(label, acceptance, startedAt)
        } finally {
          permit.release()
        }
      } catch (error) {
        if (!(error instanceof FaultError)) throw error
        const durationMs = performance.now() - startedAt
        return faultResult(improve(error), { member: label, message, durationMs })
      }
    },
    load: () => ({ connections: pool.size, ...limiter.load() }),
    async close() {
      pool.refuseWaiting()
      await limiter.close()
      await pool.close()
    },
  }
}

interface Delivery extends SmtpTransportOptions, SendOptions {
  readonly permit: SendPermit
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
      // The server dropped the commands that followed the last message.
      const isUnheard = code === 'stalled' && isOverlapping
      if (isUnheard) delivery.pool.forbidOverlap()
      if (!hasEnded && !isUnheard) throw error
    }
  }
}

/** Whether the server accepted no command of this message. */
function isBeforeMessage(error: unknown): error is FaultError {
  return error instanceof FaultError && !error.isUncertain && error.fault.stage === 'sender'
}

/** Gets a session. When the server cannot be reached, the waiting messages are refused too. */
async function acquire({ pool, limiter, signal }: Delivery): Promise<SmtpSession> {
  try {
    return await pool.acquire(signal)
  } catch (error) {
    const isOfServer = error instanceof FaultError && error.fault.scope === 'member'
    // Others that are being opened have the same log-in.
    const isOfLogin = isOfServer && (error.fault.stage === 'auth' || error.fault.stage === 'token')
    const isUnusable = isOfLogin ? pool.size === 0 : pool.isEmpty
    if (isOfServer && isUnusable) limiter.refuseWaiting(error)
    throw error
  }
}

/** Sends the message and releases the session: before the reply, when the next message is waiting for it. */
async function converse(
  session: SmtpSession,
  message: Message,
  {
    settings,
    timeouts,
    signal,
    ready,
    beforeMessage,
    isLeaseValid,
    pool,
    limiter,
    permit,
  }: Delivery,
): Promise<Acceptance> {
  let isHandedOver = false
  const handOver = () => {
    if (!limiter.needsSlot || !pool.canOverlap(session)) return
    isHandedOver = true
    pool.release(session)
    permit.releaseSlot()
  }
  const head = settings.headers.length === 0 ? '' : missingHeaders(message.raw, settings.headers)
  // A later message on the session sees a closed connection, not a cancellation. An earlier message still gets its
  // reply.
  const cancel = () => (isHandedOver ? session.destroy() : session.cutOff())
  try {
    if (signal?.aborted) throw cancelledFault({ stage: 'sender' })
    signal?.addEventListener('abort', cancel, { once: true })
    return await transact(session, message, {
      timeouts,
      head,
      ready,
      beforeMessage,
      isLeaseValid,
      handOver,
    })
  } catch (error) {
    throw signal?.aborted ? asCancelled(error) : error
  } finally {
    signal?.removeEventListener('abort', cancel)
    if (!isHandedOver) pool.release(session)
  }
}

/** Replaces the fault of the closed connection after a cancellation. A reply of the server stays as it is. */
function asCancelled(error: unknown): unknown {
  if (!(error instanceof FaultError) || error.fault.code !== 'connection_closed') return error
  const { fault } = cancelledFault({ stage: error.fault.stage })
  return new FaultError(fault, { isUncertain: error.isUncertain, recipients: error.recipients })
}

function acceptedResult(
  member: string,
  { reply, recipients, fault, hasNotifications }: Acceptance,
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
    hasNotifications,
  })
}
