import { setImmediate } from 'node:timers/promises'

/** Timers in virtual time, which run in order. */
export class Timeline {
  now = 0
  #entries: { at: number; work: () => void }[] = []

  schedule(delayMs: number, work: () => void): { cancel(): void } {
    const entry = { at: this.now + Math.max(0, delayMs), work }
    this.#entries.push(entry)
    return { cancel: () => void this.#remove(entry) }
  }

  async run(until: number): Promise<void> {
    for (;;) {
      const next = this.#entries.reduce(
        (first, each) => (first === undefined || each.at < first.at ? each : first),
        undefined as { at: number; work: () => void } | undefined,
      )
      if (next === undefined || next.at > until) break
      this.#remove(next)
      this.now = Math.max(this.now, next.at)
      next.work()
      await setImmediate()
    }
    this.now = until
  }

  #remove(entry: { at: number; work: () => void }): void {
    this.#entries = this.#entries.filter((each) => each !== entry)
  }
}
