import { FaultError } from '../delivery/fault-error.ts'
import { noObserver } from '../delivery/observer.ts'
import { openSession } from './open-session.ts'
import type { SessionContext } from './session-context.ts'
import type { SmtpSession } from './smtp-session.ts'

interface PoolOptions extends SessionContext {
  readonly idleMs: number
}

/** A session that rests in the pool. */
interface Resting {
  readonly session: SmtpSession
  readonly since: number
  readonly timer: NodeJS.Timeout
}

/**
 * The open sessions of a transport. It opens one when none rests; how many there may be is decided by
 * whoever asks. The last one used is used first, so that in quiet times the others end.
 */
export class SessionPool {
  readonly #options: PoolOptions
  readonly #resting: Resting[] = []
  readonly #open = new Set<SmtpSession>()
  readonly #waiting: ((session: SmtpSession | undefined) => void)[] = []
  #opening = 0
  #isOverlapForbidden = false
  #restartAt = 0
  #isClosed = false

  constructor(options: PoolOptions) {
    this.#options = options
  }

  /** Open sessions, resting ones too. */
  get size(): number {
    return this.#open.size
  }

  /** Whether no session is open or about to be. */
  get isBare(): boolean {
    return this.#open.size + this.#opening === 0
  }

  /** A session that is ready for a message. Throws FaultError. */
  async acquire(signal?: AbortSignal): Promise<SmtpSession> {
    const rested = await this.#takeRested()
    if (rested !== undefined) return rested
    try {
      return await this.#openFresh(signal)
    } catch (error) {
      // "Too many connections": those that are open still serve.
      if (!(error instanceof FaultError) || error.fault.code !== 'greeting_busy') throw error
      const session = (await this.#takeRested()) ?? (await this.#nextReleased())
      if (session === undefined) throw error
      return session
    }
  }

  /** Whether another message may begin on the session while the server still works on the last. */
  canOverlap(session: SmtpSession): boolean {
    return (
      !this.#isOverlapForbidden &&
      session.isUsable &&
      session.extensions.hasPipelining &&
      session.messages < this.#options.settings.messagesPerConnection
    )
  }

  /** The server loses what comes right behind a message: from now on it gets none. */
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
    if (next === undefined) this.#rest(session)
    else next(session)
  }

  /** Ends a session. */
  discard(session: SmtpSession): void {
    session.quit()
    this.#open.delete(session)
    this.#dismissWaiting()
  }

  close(): void {
    this.#isClosed = true
    for (const { session, timer } of this.#resting.splice(0)) {
      clearTimeout(timer)
      this.discard(session)
    }
  }

  #rest(session: SmtpSession): void {
    const timer = setTimeout(() => {
      this.#resting.splice(
        this.#resting.findIndex((one) => one.session === session),
        1,
      )
      this.discard(session)
    }, this.#options.idleMs)
    this.#resting.push({ session, since: performance.now(), timer })
  }

  async #takeRested(): Promise<SmtpSession | undefined> {
    for (let rested = this.#resting.pop(); rested !== undefined; rested = this.#resting.pop()) {
      clearTimeout(rested.timer)
      if (await this.#isAlive(rested)) return rested.session
    }
    return undefined
  }

  /** Whether a rested session still works; a long rest is asked about with NOOP. */
  async #isAlive({ session, since }: Resting): Promise<boolean> {
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
      this.#dismissWaiting()
    }
  }

  #nextReleased(): Promise<SmtpSession | undefined> {
    if (this.isBare) return Promise.resolve(undefined)
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Nobody will release a session when there is none. */
  #dismissWaiting(): void {
    if (this.isBare) for (const next of this.#waiting.splice(0)) next(undefined)
  }
}
