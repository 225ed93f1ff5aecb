import type { Log } from './log.ts'
import { createOutage, type Outage, type OutageEvents } from './outage.ts'
import { every } from './timers.ts'

export interface PeriodicOptions<Result> {
  /** Does what is due. It ends early once the signal is aborted. */
  task: (signal: AbortSignal) => Promise<Result>
  intervalMs: number
  /** Whether it runs at its start, too. Default: after the first interval. */
  runsAtStart?: boolean
  log: Log
  /** What is logged when `task` fails, once, and when it succeeds again. */
  events: Omit<OutageEvents, 'level'>
}

/**
 * Runs a task at an interval, never twice at the same time. It keeps no process alive. A worker that knows when it is due again is
 * a `WorkLoop`.
 */
export class Periodic<Result = void> {
  readonly #options: PeriodicOptions<Result>
  readonly #outage: Outage
  readonly #stopping = new AbortController()
  #endTimer: (() => void) | undefined
  #running: Promise<Result> | undefined

  constructor(options: PeriodicOptions<Result>) {
    this.#options = options
    this.#outage = createOutage(options.log, { level: 'warn', ...options.events })
  }

  start(): void {
    this.#endTimer = every(this.#options.intervalMs, () => this.trigger())
    if (this.#options.runsAtStart === true) this.trigger()
  }

  /** Runs the task now, in the background. */
  trigger(): void {
    this.run().then(this.#outage.recover, this.#outage.report)
  }

  /** Runs the task now; resolves with the run in progress if there is one. */
  run(): Promise<Result> {
    this.#running ??= this.#options.task(this.#stopping.signal).finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** Runs the task from its start: the run in progress may have begun too early. */
  async runFromStart(): Promise<Result> {
    await this.#running?.catch(() => undefined)
    return this.run()
  }

  /** Runs the task, as a worker that does what is due. */
  async idle(): Promise<boolean> {
    await this.runFromStart()
    return false
  }

  /** Resolves when the run in progress has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#endTimer?.()
    await this.#running?.catch(() => undefined)
  }
}
