import type { ByteBudget } from './byte-budget.ts'
import { DataReader } from './data-reader.ts'
import { tooLarge } from './parameters.ts'
import { createReply, type Reply } from './reply.ts'

/** What a message is taken in with. */
export interface IncomingMessageOptions {
  readonly sizeMax: number
  readonly budget: ByteBudget
  /** Whose share of the budget it takes. */
  readonly owner: string
  /** How long all of it may take. */
  readonly messageMs: number
}

/** The answer where there is no memory for a message, or for the copies that sending it takes. */
export const memoryLimitReached = createReply(
  452,
  '4.3.1',
  'The limit for message data in memory is reached; try again later',
)

/**
 * A message while it comes in. What is refused anyway, for its size or for want of room, is read to its
 * end, as a client expects, and not kept.
 */
export class IncomingMessage {
  readonly #options: IncomingMessageOptions
  readonly #reader = new DataReader()
  readonly #deadline: number
  #taken = 0
  #refusal: Reply | undefined

  constructor(options: IncomingMessageOptions) {
    this.#options = options
    this.#deadline = performance.now() + options.messageMs
  }

  /** Why it cannot be taken. */
  get refusal(): Reply | undefined {
    return this.#refusal
  }

  get isLate(): boolean {
    return performance.now() > this.#deadline
  }

  get chunks(): readonly Buffer[] {
    return this.#reader.chunks
  }

  /** Takes bytes; returns those after the end, or undefined while the end has not come. */
  push(bytes: Buffer): Buffer | undefined {
    const rest = this.#reader.push(bytes)
    if (this.#refusal !== undefined) return rest
    const { sizeMax, budget, owner } = this.#options
    const grown = this.#reader.heldBytes - this.#taken
    if (this.#reader.size > sizeMax) this.#refuse(tooLarge(sizeMax))
    else if (budget.take(grown, owner)) this.#taken += grown
    else this.#refuse(memoryLimitReached)
    return rest
  }

  /**
   * Takes memory for copies of the message from the share of its owner. Returns what gives it back, to be called
   * once; undefined where the share has too little left.
   */
  reserve(bytes: number): (() => void) | undefined {
    const { budget, owner } = this.#options
    return budget.take(bytes, owner) ? () => budget.give(bytes, owner) : undefined
  }

  /** Gives its bytes back. */
  forget(): void {
    const { budget, owner } = this.#options
    budget.give(this.#taken, owner)
    this.#taken = 0
  }

  #refuse(reply: Reply): void {
    this.#refusal = reply
    this.#reader.drop()
    this.forget()
  }
}
