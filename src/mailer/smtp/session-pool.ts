import { FaultError } from '../delivery/fault-error.ts'
import { noObserver } from '../delivery/stage.ts'
import { openSession } from './open-session.ts'
import type { SessionContext } from './session-context.ts'
import type { SmtpSession } from './smtp-session.ts'

interface PoolOptions extends SessionContext {
  readonly idleMs: number
}

/** An idle session in the pool. */
interface IdleSession {
  readonly session: SmtpSession
  readonly since: number
  readonly timer: NodeJS.Timeout
}

/**
 * The open sessions of a transport. It opens a session when none is idle; the caller limits their number. The session
 * used last is reused first, so that surplus sessions become idle and close.
 */
export class SessionPool {
  readonly #options: PoolOptions
  readonly #idle: IdleSession[] = []
  readonly #open = new Set<SmtpSession>()
  readonly #waiting: ((session: SmtpSession | undefined) => void)[] = []
  #opening = 0
  #isOverlapForbidden = false
  #restartAt = 0
  #isClosed = false

  constructor(options: PoolOptions) {
    this.#options = options
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
    try {
      return await this.#openFresh(signal)
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
      session.messages < this.#options.settings.messagesPerConnection
    )
  }

  /** Stops sending commands directly after a message, because this server loses them. */
  forbidOverlap(): void {
    this.#isOverlapForbidden = true
  }

  /** Takes a session back after a message. */
  release(session: SmtpSession): void {
    const { settings } = this.#options
    const isSpent = session.messages >= settings.messagesPerConnection
    if (isSpent) this.#restartAt = performance.now() + settings.restartPauseMs
    if (isSpent || !session.isUsable || this.#isClosed) {
      this.discard(session)
      return
    }
    const next = this.#waiting.shift()
    if (next === undefined) this.#keepIdle(session)
    else next(session)
  }

  /** Closes a session. */
  discard(session: SmtpSession): void {
    session.quit()
    this.#open.delete(session)
    this.#endWaitIfEmpty()
  }

  close(): void {
    this.#isClosed = true
    for (const { session, timer } of this.#idle.splice(0)) {
      clearTimeout(timer)
      this.discard(session)
    }
  }

  #keepIdle(session: SmtpSession): void {
    const timer = setTimeout(() => {
      this.#idle.splice(
        this.#idle.findIndex((one) => one.session === session),
        1,
      )
      this.discard(session)
    }, this.#options.idleMs)
    this.#idle.push({ session, since: performance.now(), timer })
  }

  async #takeIdle(): Promise<SmtpSession | undefined> {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      clearTimeout(idle.timer)
      if (await this.#isAlive(idle)) return idle.session
    }
    return undefined
  }

  /** Whether an idle session still works; after a long idle time NOOP checks it. */
  async #isAlive({ session, since }: IdleSession): Promise<boolean> {
    const { settings, timeouts } = this.#options
    if (session.isUsable && performance.now() - since < settings.pingAfterMs) return true
    if (session.isUsable) {
      session.sendLine('NOOP')
      const awaited = { stage: 'sender', what: 'NOOP', timeoutMs: timeouts.commandMs } as const
      const reply = await session.readReply(awaited).catch(() => undefined)
      if (reply !== undefined && reply.code < 400 && session.isUsable) return true
    }
    this.discard(session)
    return false
  }

  async #openFresh(signal: AbortSignal | undefined): Promise<SmtpSession> {
    const pauseMs = this.#restartAt - performance.now()
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
    this.#opening += 1
    try {
      const session = await openSession(this.#options, { observer: noObserver, signal })
      this.#open.add(session)
      return session
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
