import type { Log } from './log.ts'
import { createOutage, type OutageEvents } from './outage.ts'
import { pause } from './pause.ts'
import { sleep } from './timers.ts'

export interface WorkLoopOptions {
  /** Does what is due. Returns how long to wait before it is called again; 0 if more is due. */
  work: () => Promise<number>
  /** What it has started and goes on. */
  running?: () => Iterable<Promise<unknown>>
  /** How long to wait after an error. */
  idleMs: number
  log: Log
  /** What is logged when `work` throws, and when it succeeds again. */
  events: Omit<OutageEvents, 'level'>
}

/** Repeats work until it is stopped: the loop of a worker that claims what is due. */
export class WorkLoop {
  readonly #options: WorkLoopOptions
  #isStopped = false
  #isWoken = false
  #endWait: (() => void) | undefined
  #running: Promise<void> | undefined
  #becomingIdle: PromiseWithResolvers<boolean> | undefined

  constructor(options: WorkLoopOptions) {
    this.#options = options
  }

  get isStopped(): boolean {
    return this.#isStopped
  }

  start(): void {
    this.#running = this.#run()
  }

  /** Ends the current wait, or the next one immediately. */
  wake(): void {
    this.#isWoken = true
    this.#endWait?.()
  }

  /** Waits until `wake` is called; at most `timeoutMs`. */
  async wait(timeoutMs: number): Promise<void> {
    if (!this.#isWoken)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeoutMs)
        this.#endWait = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    this.#isWoken = false
  }

  /** Resolves when nothing is due any more: whether something was. */
  async idle(): Promise<boolean> {
    if (this.#running === undefined || this.#isStopped) return false
    this.#becomingIdle ??= Promise.withResolvers()
    const running = () => [...(this.#options.running?.() ?? [])]
    const wasRunning = running().length > 0
    this.wake()
    const hasWorked = await this.#becomingIdle.promise
    if (running().length === 0) return hasWorked || wasRunning
    await Promise.allSettled(running())
    await this.idle()
    return true
  }

  /** Resolves when the work has ended; it is not called again. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.wake()
    await this.#running
  }

  async #run(): Promise<void> {
    const { work, idleMs, log, events } = this.#options
    const outage = createOutage(log, { level: 'error', ...events })
    let hasWorked = false
    const becomeIdle = () => {
      this.#becomingIdle?.resolve(hasWorked)
      this.#becomingIdle = undefined
      hasWorked = false
    }
    while (!this.#isStopped) {
      try {
        const waitMs = await work()
        outage.recover()
        if (waitMs === 0) hasWorked = true
        else if (!this.#isWoken) becomeIdle()
        // Sockets are processed even while the database answers immediately.
        await pause()
        if (waitMs > 0) await this.wait(waitMs)
      } catch (err) {
        outage.report(err)
        if (!this.#isStopped) await sleep(idleMs)
      }
    }
    becomeIdle()
  }
}
