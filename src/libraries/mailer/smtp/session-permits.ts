import type { Clock } from '../../../kit/clock.ts'
import { sleep } from '../../../kit/timers.ts'
import { PermitLine } from '../delivery/permit-line.ts'
import type { ConnectionPermit, SharedConnections } from '../delivery/shared-connections.ts'
import { quitTimeoutMs, type SmtpSession } from './smtp-session.ts'

/** What a message gets that waits for a connection: the permit to open one, or a session of an earlier message. */
export type PermitOrSession = { permit: ConnectionPermit } | { session: SmtpSession }

interface PermittedSession {
  readonly permit: ConnectionPermit
  readonly openedAt: number
}

/** A session is closed after this time if another transport or process waits for its connection. */
const turnMs = 2_000
/** The server may notice the end of a connection after the start of the next one, so a connection counts for so much longer. */
const endMs = 500

/** The permits of the open sessions of a pool, where their number is limited across transports and processes. */
export class SessionPermits {
  readonly #clock: Clock
  readonly #line: PermitLine<ConnectionPermit>
  readonly #sessions = new Map<SmtpSession, PermittedSession>()
  /** Messages that wait for a permit, or for a session of an earlier message. */
  readonly #waiting: ((session: SmtpSession) => void)[] = []
  readonly #ending = new Set<Promise<void>>()

  constructor(connections: SharedConnections, clock: Clock) {
    this.#clock = clock
    this.#line = new PermitLine(connections)
  }

  /**
   * Waits for a permit, or for a session that is passed on.
   * @throws {FaultError} when it is cancelled, or `refuseWaiting` was called.
   */
  async acquire(signal: AbortSignal | undefined): Promise<PermitOrSession> {
    const passed = new AbortController()
    const { promise, resolve } = Promise.withResolvers<PermitOrSession>()
    const accept = (session: SmtpSession) => {
      passed.abort()
      resolve({ session })
    }
    this.#waiting.push(accept)
    const signals = [passed.signal, ...(signal === undefined ? [] : [signal])]
    try {
      const permit = await this.#line.acquire(AbortSignal.any(signals))
      if (!passed.signal.aborted) return { permit }
      permit.release()
    } catch (error) {
      if (!passed.signal.aborted) throw error
    } finally {
      const index = this.#waiting.indexOf(accept)
      if (index !== -1) this.#waiting.splice(index, 1)
    }
    return promise
  }

  /** Refuses messages that wait for a permit, and later ones too. */
  refuseWaiting(): void {
    this.#line.close()
  }

  /** Passes a session on to the first message that waits for a permit. Returns whether there is one. */
  passOn(session: SmtpSession): boolean {
    const accept = this.#waiting.shift()
    accept?.(session)
    return accept !== undefined
  }

  keep(session: SmtpSession, permit: ConnectionPermit): void {
    this.#sessions.set(session, { permit, openedAt: this.#clock.monotonic() })
  }

  /** Releases the permit of a session that closes. */
  end(session: SmtpSession): void {
    const entry = this.#sessions.get(session)
    if (entry === undefined) return
    this.#sessions.delete(session)
    this.#releaseAfter(() => session.closed, entry.permit)
  }

  /** Releases the permit of a connection that was not opened, or ended before it became a session. */
  endFailed(permit: ConnectionPermit): void {
    this.#releaseAfter(() => sleep(quitTimeoutMs), permit)
  }

  #releaseAfter(untilClosed: () => Promise<void>, permit: ConnectionPermit): void {
    if (!permit.isLimited) return
    const ending = untilClosed()
      .then(() => sleep(endMs))
      .then(() => {
        this.#ending.delete(ending)
        permit.release()
      })
    this.#ending.add(ending)
  }

  /** Whether another message may be sent over a session. */
  isAllowed(session: SmtpSession): boolean {
    return this.#sessions.get(session)?.permit.isValid() !== false
  }

  /** Whether a session is to be closed after its message, although other messages of its transport wait. */
  isSurplus(session: SmtpSession): boolean {
    const entry = this.#sessions.get(session)
    if (entry === undefined) return false
    const { permit, openedAt } = entry
    if (!permit.isValid()) return true
    const hasHadTurn = this.#clock.monotonic() - openedAt > turnMs
    return hasHadTurn && (permit.isOverShare() || permit.countWaiting() > this.#waiting.length)
  }

  /** Whether an idle session is to be closed. */
  isWanted(session: SmtpSession): boolean {
    const permit = this.#sessions.get(session)?.permit
    if (permit === undefined) return false
    return !permit.isValid() || permit.isOverShare() || permit.countWaiting() > 0
  }

  /** Resolves when the permits of closed sessions are released. */
  async close(): Promise<void> {
    await Promise.all(this.#ending)
  }
}
