import { memoryLimitReached } from '../../delivery/index.ts'
import { tooLarge } from './arguments.ts'
import { DataReader } from './data-reader.ts'
import type { Reply } from './session.ts'

export interface IncomingMessageOptions {
  readonly sizeMax: number
  readonly budget: ByteBudget
  /** Whose share of the budget it uses. */
  readonly owner: string
  /** How long the transfer may take. */
  readonly messageMs: number
}

/**
 * A message that is being received. If it is too large, or there is no memory for it, it is read to its end, as clients
 * expect, and not kept.
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

  /** Why it cannot be accepted; undefined if it can. */
  get refusal(): Reply | undefined {
    return this.#refusal
  }

  get isLate(): boolean {
    return performance.now() > this.#deadline
  }

  get chunks(): readonly Buffer[] {
    return this.#reader.chunks
  }

  /** Adds bytes. Returns the bytes after the end, or undefined if the end was not received yet. */
  push(bytes: Buffer): Buffer | undefined {
    const rest = this.#reader.push(bytes)
    if (this.#refusal !== undefined) return rest
    const { sizeMax, budget, owner } = this.#options
    const grown = this.#reader.heldBytes - this.#taken
    if (this.#reader.size > sizeMax) this.#refuse(tooLarge(sizeMax))
    else if (budget.tryAcquire(grown, owner)) this.#taken += grown
    else this.#refuse(memoryLimitReached)
    return rest
  }

  /**
   * Reserves memory for copies of the message in the owner's share. Returns a function that releases it, to be called
   * once; undefined if the share has too little left.
   */
  reserve(bytes: number): (() => void) | undefined {
    const { budget, owner } = this.#options
    return budget.tryAcquire(bytes, owner) ? () => budget.release(bytes, owner) : undefined
  }

  /** Releases its memory. */
  release(): void {
    const { budget, owner } = this.#options
    budget.release(this.#taken, owner)
    this.#taken = 0
  }

  #refuse(reply: Reply): void {
    this.#refusal = reply
    this.#reader.drop()
    this.release()
  }
}

/** A number of bytes that is shared by owners. */
export interface ByteBudget {
  /**
   * Acquires bytes for an owner; returns whether it could. An owner may hold as much as is left for the others, so that
   * none uses everything: one alone gets half, two get a third each.
   */
  tryAcquire(size: number, owner: string): boolean
  release(size: number, owner: string): void
}

export function createByteBudget(sizeMax: number): ByteBudget {
  const taken = new Map<string, number>()
  let left = sizeMax
  return {
    tryAcquire(size, owner) {
      const own = (taken.get(owner) ?? 0) + size
      if (own > left - size) return false
      left -= size
      taken.set(owner, own)
      return true
    },
    release(size, owner) {
      const own = (taken.get(owner) ?? 0) - size
      left += size
      if (own <= 0) taken.delete(owner)
      else taken.set(owner, own)
    },
  }
}
