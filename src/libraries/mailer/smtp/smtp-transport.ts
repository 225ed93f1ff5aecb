import { type Accepted, attempt } from '../delivery/create-result.ts'
import type { DeliveryResult } from '../delivery/delivery-result.ts'
import { cancelledFault, FaultError, type ImproveFault } from '../delivery/fault-error.ts'
import type { SendLimiter, SendPermit } from '../delivery/send-limiter.ts'
import {
  type SendOptions,
  type Transport,
  type TransportLoad,
  withReturnPath,
} from '../delivery/transport.ts'
import type { DkimSigner, OutgoingMessage } from '../dkim/dkim-signer.ts'
import { missingHeaders } from '../message/headers.ts'
import type { Message } from '../message/message.ts'
import type { SessionTimeouts } from './session-context.ts'
import type { SessionPool } from './session-pool.ts'
import type { SmtpSession } from './smtp-session.ts'
import type { SmtpSettings } from './smtp-settings.ts'
import { transact } from './transaction.ts'

interface SmtpTransportOptions {
  /** Scheme, host and port of the DSN. */
  readonly label: string
  readonly settings: SmtpSettings
  readonly timeouts: SessionTimeouts
  readonly limiter: SendLimiter
  readonly pool: SessionPool
  readonly improve: ImproveFault
  /** Undefined if no message is signed. */
  readonly signer: DkimSigner | undefined
}

/** How often a message is moved to another session because its pooled session had been closed by the server. */
const staleSessionsMax = 2

export class SmtpTransport implements Transport {
  readonly label: string
  readonly #options: SmtpTransportOptions
  /** Messages that are being signed. */
  #signing = 0

  constructor(options: SmtpTransportOptions) {
    this.label = options.label
    this.#options = options
  }

  send(written: Message, sendOptions: SendOptions = {}): Promise<DeliveryResult> {
    const { limiter, improve, settings } = this.#options
    const message = withReturnPath(written, sendOptions, settings)
    const attempted = { member: this.label, improve, options: sendOptions }
    return attempt(message, attempted, async (options) => {
      // A message is signed while it waits for its turn, so that no connection waits for a signature.
      const prepared = prepareMessage(message, this.#options, options.submitter)
      const outgoing = prepared instanceof Promise ? await this.#sign(prepared) : prepared
      const permit = await limiter.acquire(options.signal)
      try {
        return await this.#deliver(outgoing, options, permit)
      } finally {
        permit.release()
      }
    })
  }

  load(): TransportLoad {
    const { pool, limiter } = this.#options
    const { sending, waiting } = limiter.load()
    return { connections: pool.size, sending: sending + this.#signing, waiting }
  }

  async close(): Promise<void> {
    const { pool, limiter } = this.#options
    pool.refuseWaiting()
    await limiter.close()
    await pool.close()
  }

  async #sign(signed: Promise<OutgoingMessage>): Promise<OutgoingMessage> {
    this.#signing += 1
    try {
      return await signed
    } finally {
      this.#signing -= 1
    }
  }

  async #deliver(
    outgoing: OutgoingMessage,
    options: SendOptions,
    permit: SendPermit,
  ): Promise<Accepted> {
    for (let attempts = 0; ; attempts += 1) {
      const session = await this.#acquire(options.signal)
      const isFresh = session.messages === 0
      const isOverlapping = session.isAwaiting
      try {
        return await this.#converse(session, outgoing, { options, permit })
      } catch (error) {
        if (isFresh || attempts === staleSessionsMax || !isBeforeMessage(error)) throw error
        const { code } = error.fault
        const hasEnded = code === 'connection_closed' || code === 'server_busy'
        // The server dropped the commands that followed the last message.
        const isUnheard = code === 'stalled' && isOverlapping
        if (isUnheard) this.#options.pool.forbidOverlap()
        if (!hasEnded && !isUnheard) throw error
      }
    }
  }

  /** Gets a session. When the server cannot be reached, the waiting messages are refused too. */
  async #acquire(signal: AbortSignal | undefined): Promise<SmtpSession> {
    const { pool, limiter } = this.#options
    try {
      return await pool.acquire(signal)
    } catch (error) {
      const isOfServer = error instanceof FaultError && error.fault.scope === 'member'
      // Others that are being opened have the same log-in.
      const isOfLogin =
        isOfServer && (error.fault.stage === 'auth' || error.fault.stage === 'token')
      const isUnusable = isOfLogin ? pool.size === 0 : pool.isEmpty
      if (isOfServer && isUnusable) limiter.refuseWaiting(error)
      throw error
    }
  }

  /** Sends the message and releases the session: before the reply, when the next message is waiting for it. */
  async #converse(
    session: SmtpSession,
    outgoing: OutgoingMessage,
    { options, permit }: { options: SendOptions; permit: SendPermit },
  ): Promise<Accepted> {
    const { timeouts, pool, limiter, signer } = this.#options
    const { signal, ready, beforeMessage, isLeaseValid } = options
    let isHandedOver = false
    const handOver = () => {
      if (!limiter.needsSlot || !pool.canOverlap(session)) return
      isHandedOver = true
      pool.release(session)
      permit.releaseSlot()
    }
    // A later message on the session sees a closed connection, not a cancellation. An earlier message still gets its
    // reply.
    const cancel = () => (isHandedOver ? session.destroy() : session.cutOff())
    try {
      if (signal?.aborted) throw cancelledFault('sender')
      signal?.addEventListener('abort', cancel, { once: true })
      const { message, head } = signer?.fit(outgoing, session.extensions) ?? outgoing
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
}

/** Adds the header lines that the settings ask for, and the signature of its domain, to a message. */
export function prepareMessage(
  message: Message,
  { settings, signer }: { settings: SmtpSettings; signer: DkimSigner | undefined },
  submitter: number | undefined,
): OutgoingMessage | Promise<OutgoingMessage> {
  const { headers, signsDkim } = settings
  const head = headers.length === 0 ? '' : missingHeaders(message.raw, headers)
  const outgoing = { message, head }
  return signsDkim && signer !== undefined ? signer.sign(outgoing, submitter) : outgoing
}

/** Whether the server accepted no command of this message. */
function isBeforeMessage(error: unknown): error is FaultError {
  return error instanceof FaultError && !error.isUncertain && error.fault.stage === 'sender'
}

/** Replaces the fault of the closed connection after a cancellation. A reply of the server stays as it is. */
function asCancelled(error: unknown): unknown {
  if (!(error instanceof FaultError) || error.fault.code !== 'connection_closed') return error
  const { fault } = cancelledFault(error.fault.stage)
  return new FaultError(fault, { isUncertain: error.isUncertain, recipients: error.recipients })
}
