import type { Clock } from '../../../kit/clock.ts'
import type { TakenTokens } from './taken-tokens.ts'

/** No token became free in time. */
export interface NoFreeTokens {
  /** When tokens are expected to be free, in milliseconds since the epoch. */
  freeAt: number
}

/** A message that waits for tokens. */
interface Waiter {
  count: number
  until: number
  accept(taken: TakenTokens): void
  refuse(): void
}

interface Wait {
  waitMs: number
  signal?: AbortSignal | undefined
  /** When tokens are expected to be free. */
  freeAt: () => number
}

interface WaitingLineOptions {
  clock: Clock
  schedule: (work: () => void, delayMs: number) => { cancel(): void }
}

/** Messages that wait for tokens, in the order of arrival. */
export class WaitingLine {
  readonly #options: WaitingLineOptions
  readonly #entries = new Set<Waiter>()

  constructor(options: WaitingLineOptions) {
    this.#options = options
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
  wait(count: number, { waitMs, signal, freeAt }: Wait): Promise<TakenTokens | NoFreeTokens> {
    return new Promise((resolve) => {
      const end = (result: TakenTokens | NoFreeTokens) => {
        this.#entries.delete(entry)
        timer.cancel()
        signal?.removeEventListener('abort', refuse)
        resolve(result)
      }
      const refuse = () => end({ freeAt: freeAt() })
      const until = this.#options.clock.monotonic() + waitMs
      const entry: Waiter = { count, until, accept: end, refuse }
      const timer = this.#options.schedule(refuse, Math.max(0, waitMs))
      this.#entries.add(entry)
      signal?.addEventListener('abort', refuse, { once: true })
      if (signal?.aborted) refuse()
    })
  }

  /** Refuses those that need so many tokens and do not wait as long as until this time. */
  refuseBefore(time: number, count: number): void {
    for (const entry of this.#entries)
      if (entry.count >= count && entry.until < time) entry.refuse()
  }

  refuseAll(): void {
    for (const entry of this.#entries) entry.refuse()
  }
}
