import type { Clock } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import type { Storage } from '../../storage/index.ts'
import type { AuthTables } from '../table.ts'
import { idleMs } from './console-sessions.ts'

const intervalMs = 60_000

/** Options of `SessionPruner`. */
export interface SessionPrunerOptions {
  storage: Storage
  clock: Clock
  log: Log
}

/**
 * Deletes the sessions that have ended, of the console and of the consent page. Else a clock that was ahead and is set back
 * would make them valid again.
 */
export class SessionPruner {
  readonly #storage: Storage
  readonly #clock: Clock
  readonly #log: Log
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined

  constructor({ storage, clock, log }: SessionPrunerOptions) {
    this.#storage = storage
    this.#clock = clock
    this.#log = log
  }

  /** Prunes once a minute. */
  start(): void {
    const tick = () => {
      this.#running ??= this.#prune().finally(() => {
        this.#running = undefined
      })
      this.#running.catch((err: unknown) => this.#log.warn({ err }, 'ended sessions not pruned'))
    }
    this.#timer = setInterval(tick, intervalMs)
    this.#timer.unref()
  }

  /** Waits for what is running. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#running?.catch(() => undefined)
  }

  async #prune(): Promise<void> {
    const db = this.#storage.tables<AuthTables>()
    const now = this.#clock.now()
    await db
      .deleteFrom('console_sessions')
      .where((where) =>
        where.or([where('expires_at', '<=', now), where('used_at', '<=', now - idleMs)]),
      )
      .execute()
    await db.deleteFrom('login_sessions').where('expires_at', '<=', now).execute()
  }
}
