import type { Clock } from '../../../kit/clock.ts'
import { Alarm, sleep } from '../../../kit/timers.ts'
import { FaultError } from '../delivery/fault-error.ts'
import type { ConnectionPermit, SharedConnections } from '../delivery/shared-connections.ts'
import { noObserver } from '../delivery/stage.ts'
import { openSession } from './open-session.ts'
import type { SessionContext } from './session-context.ts'
import { SessionPermits } from './session-permits.ts'
import type { SmtpSession } from './smtp-session.ts'

interface PoolOptions {
  readonly sessions: SessionContext
  readonly idleMs: number
  readonly clock: Clock
  /** Undefined if the number of connections is not limited together with other transports. */
  readonly connections?: SharedConnections | undefined
}

/** How often it checks whether others need the connection of an idle session. */
const wantedCheckMs = 1_000

/** An idle session in the pool. */
interface IdleSession {
  readonly session: SmtpSession
  readonly since: number
  readonly check: Alarm
}

/**
 * The open sessions of a transport. It opens a session when none is idle; the caller limits their number. The session
 * used last is reused first, so that surplus sessions become idle and close.
 */
export class SessionPool {
  readonly #options: PoolOptions
  readonly #idle: IdleSession[] = []
  readonly #open = new Set<SmtpSession>()
  readonly #permits: SessionPermits | undefined
  readonly #waiting: ((session: SmtpSession | undefined) => void)[] = []
  #opening = 0
  #isOverlapForbidden = false
  #restartAt = 0
  #isClosed = false

  constructor(options: PoolOptions) {
    this.#options = options
    const { connections, clock } = options
    this.#permits = connections === undefined ? undefined : new SessionPermits(connections, clock)
  }

  /** The number of open sessions, including idle ones. */
  get size(): number {
    return this.#open.size
  }

  /** Whether no session is open or being opened. */
  get isEmpty(): boolean {
    return this.#open.size + this.#opening === 0
  }

  /**
   * Returns a session that is ready for a message.
   * @throws {FaultError}
   */
  async acquire(signal?: AbortSignal): Promise<SmtpSession> {
    const idle = await this.#takeIdle()
    if (idle !== undefined) return idle
    const acquired = await this.#permits?.acquire(signal)
    if (acquired !== undefined && 'session' in acquired) return acquired.session
    try {
      return await this.#openFresh(signal, acquired?.permit)
    } catch (error) {
      // "Too many connections": wait for one of the open sessions.
      if (!(error instanceof FaultError) || error.fault.code !== 'greeting_busy') throw error
      const session = (await this.#takeIdle()) ?? (await this.#nextReleased())
      if (session === undefined) throw error
      return session
    }
  }

  /** Whether the next message may start on the session before the server has replied to the last one. */
  canOverlap(session: SmtpSession): boolean {
    return (
      !this.#isOverlapForbidden &&
      session.isUsable &&
      session.extensions.hasPipelining &&
      session.messages < this.#options.sessions.settings.messagesPerConnection
    )
  }

  /** Stops sending commands directly after a message, because this server loses them. */
  forbidOverlap(): void {
    this.#isOverlapForbidden = true
  }

  /** Takes a session back after a message. */
  release(session: SmtpSession): void {
    const { sessions, clock } = this.#options
    const { settings } = sessions
    const isSpent = session.messages >= settings.messagesPerConnection
    if (isSpent) this.#restartAt = clock.monotonic() + settings.restartPauseMs
    const isSurplus = this.#permits?.isSurplus(session) === true
    if (isSpent || isSurplus || !session.isUsable || this.#isClosed) {
      this.discard(session)
      return
    }
    const next = this.#waiting.shift()
    if (next !== undefined) next(session)
    else if (this.#permits?.passOn(session) !== true) this.#keepIdle(session)
  }

  /** Closes a session. */
  discard(session: SmtpSession): void {
    session.quit()
    this.#open.delete(session)
    this.#permits?.end(session)
    this.#endWaitIfEmpty()
  }

  /** Refuses messages that wait for a connection which other transports or processes share. */
  refuseWaiting(): void {
    this.#permits?.refuseWaiting()
  }

  /** Closes idle sessions, and others after their message. Resolves when their connections count no longer. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const { session, check } of this.#idle.splice(0)) {
      check.cancel()
      this.discard(session)
    }
    await this.#permits?.close()
  }

  #keepIdle(session: SmtpSession): void {
    const { idleMs, clock } = this.#options
    const since = clock.monotonic()
    const checkMs = this.#permits === undefined ? idleMs : Math.min(idleMs, wantedCheckMs)
    const check = new Alarm(() => {
      const isKept = this.#permits?.isWanted(session) === false
      if (isKept && clock.monotonic() - since < idleMs) check.set(checkMs)
      else {
        this.#idle.splice(this.#idle.indexOf(idle), 1)
        this.discard(session)
      }
    })
    const idle: IdleSession = { session, since, check: check.set(checkMs) }
    this.#idle.push(idle)
  }

  async #takeIdle(): Promise<SmtpSession | undefined> {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      idle.check.cancel()
      if (await this.#isAlive(idle)) return idle.session
    }
    return undefined
  }

  /** Whether an idle session still works; after a long idle time NOOP checks it. */
  async #isAlive({ session, since }: IdleSession): Promise<boolean> {
    const { sessions, clock } = this.#options
    const { settings, timeouts } = sessions
    const isUsable = session.isUsable && this.#permits?.isAllowed(session) !== false
    if (isUsable && clock.monotonic() - since < settings.pingAfterMs) return true
    if (isUsable) {
      session.sendLine('NOOP')
      const awaited = { stage: 'sender', trigger: 'NOOP', timeoutMs: timeouts.commandMs } as const
      const reply = await session.readReply(awaited).catch(() => undefined)
      if (reply !== undefined && reply.code < 400 && session.isUsable) return true
    }
    this.discard(session)
    return false
  }

  async #openFresh(
    signal: AbortSignal | undefined,
    permit: ConnectionPermit | undefined,
  ): Promise<SmtpSession> {
    const pauseMs = this.#restartAt - this.#options.clock.monotonic()
    if (pauseMs > 0) await sleep(pauseMs, { signal })
    this.#opening += 1
    try {
      const session = await openSession(this.#options.sessions, { observer: noObserver, signal })
      this.#open.add(session)
      if (permit !== undefined) this.#permits?.keep(session, permit)
      return session
    } catch (error) {
      if (permit !== undefined) this.#permits?.endFailed(permit)
      throw error
    } finally {
      this.#opening -= 1
      this.#endWaitIfEmpty()
    }
  }

  #nextReleased(): Promise<SmtpSession | undefined> {
    if (this.isEmpty) return Promise.resolve(undefined)
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Ends the wait for a released session when none is left. */
  #endWaitIfEmpty(): void {
    if (this.isEmpty) for (const next of this.#waiting.splice(0)) next(undefined)
  }
}
