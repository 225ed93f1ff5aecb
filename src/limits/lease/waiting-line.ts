import type { Taken } from './taken-tokens.ts'

/** No token became free in time. */
export interface Refusal {
  /** When tokens are expected to be free, in milliseconds since the epoch. */
  freeAt: number
}

/** A message that waits for tokens. */
export interface Waiter {
  count: number
  /** When it began to wait. */
  since: number
  accept(taken: Taken): void
}

interface Entry extends Waiter {
  until: number
  refuse(): void
}

interface Wait {
  waitMs: number
  signal?: AbortSignal | undefined
  /** When tokens are expected to be free. */
  freeAt: () => number
}

/** Messages that wait for tokens, in the order of arrival. */
export class WaitingLine {
  readonly #now: () => number
  readonly #schedule: (work: () => void, delayMs: number) => { cancel(): void }
  readonly #entries = new Set<Entry>()

  constructor(options: {
    now: () => number
    schedule: (work: () => void, delayMs: number) => { cancel(): void }
  }) {
    this.#now = options.now
    this.#schedule = options.schedule
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0
  }

  get first(): Waiter | undefined {
    return this.#entries.values().next().value
  }

  /** How many tokens the messages need together. */
  get count(): number {
    let sum = 0
    for (const { count } of this.#entries) sum += count
    return sum
  }

  /** Waits until the entry is accepted or refused, `waitMs` at most. */
  wait(count: number, { waitMs, signal, freeAt }: Wait): Promise<Taken | Refusal> {
    return new Promise((resolve) => {
      const since = this.#now()
      const end = (result: Taken | Refusal) => {
        this.#entries.delete(entry)
        timer.cancel()
        signal?.removeEventListener('abort', refuse)
        resolve(result)
      }
      const refuse = () => end({ freeAt: freeAt() })
      const entry: Entry = { count, since, until: since + waitMs, accept: end, refuse }
      const timer = this.#schedule(refuse, Math.max(0, waitMs))
      this.#entries.add(entry)
      signal?.addEventListener('abort', refuse, { once: true })
      if (signal?.aborted) refuse()
    })
  }

  /** Refuses those that do not wait as long as until this time. */
  refuseBefore(time: number): void {
    for (const entry of this.#entries) if (entry.until < time) entry.refuse()
  }

  refuseAll(): void {
    for (const entry of this.#entries) entry.refuse()
  }
}
