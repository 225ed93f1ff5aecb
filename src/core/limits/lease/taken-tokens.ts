import type { Clock } from '../../../kit/clock.ts'
import type { WindowStarts } from '../usage/window-counts.ts'
import type { ReusableTokens } from './reusable-tokens.ts'
import type { WindowTokens } from './window-tokens.ts'

interface TakenOptions {
  clock: Clock
  second: ReusableTokens | undefined
  windows: WindowTokens | undefined
  /** How long a token rests after its use. */
  restMs: number
  onRelease: () => void
}

/**
 * The tokens of one message, one for each recipient.
 *
 * A message arrives at its server before the server answers, however long both take. So a token rests (for a second)
 * from the answer: whatever the server counts, two uses of a token are a second apart.
 */
export class TakenTokens {
  readonly #options: TakenOptions
  readonly #epoch: number
  readonly #starts: WindowStarts | undefined
  #count: number
  #isSent = false

  constructor(count: number, options: TakenOptions) {
    this.#count = count
    this.#options = options
    this.#epoch = options.second?.epoch ?? 0
    this.#starts = options.windows?.take(count)
  }

  get count(): number {
    return this.#count
  }

  /** Whether they may be used at this moment: neither their lease nor a calendar window has ended. */
  isValid(): boolean {
    const { clock, second, windows } = this.#options
    const now = clock.monotonic()
    return (
      second?.isValid(this.#epoch, now) !== false &&
      (this.#starts === undefined || windows?.isValid(this.#starts, now) === true)
    )
  }

  /** Call it directly before the message is sent. */
  markSent(): void {
    this.#isSent = true
  }

  /** Gives back some that are not needed. */
  giveBack(count: number): void {
    const { clock, second, windows, restMs, onRelease } = this.#options
    const tokens = Math.min(count, this.#count)
    if (tokens === 0) return
    this.#count -= tokens
    const isUsed = this.#isSent
    const from = clock.monotonic() + (isUsed ? restMs : 0)
    second?.release(this.#epoch, { tokens, from, isUsed })
    if (!isUsed && this.#starts !== undefined) windows?.giveBack(this.#starts, tokens)
    onRelease()
  }

  /** Ends the use: call it with the server's answer. Tokens that were not used go back. */
  release(): void {
    this.giveBack(this.#count)
  }
}
