import { memoryLimitReached } from '../../../core/delivery/index.ts'
import type { ByteBudget, ByteReservation } from '../../../kit/byte-budget.ts'
import type { Clock } from '../../../kit/clock.ts'
import { tooLarge } from './arguments.ts'
import { DataReader } from './data-reader.ts'
import type { CommandReply } from './session.ts'

export interface IncomingMessageOptions {
  readonly sizeMax: number
  /** How much of it is kept. Default: all. */
  readonly keptMax?: number | undefined
  readonly memory: ByteBudget
  /** Whose share of the memory it uses. */
  readonly owner: string
  /** How long the transfer may take. */
  readonly messageMs: number
  readonly clock: Clock
}

/**
 * A message that is being received. If it is too large, or there is no memory for it, it is read to its end, as clients
 * expect, and not kept.
 */
export class IncomingMessage {
  readonly #options: IncomingMessageOptions
  readonly #reader: DataReader
  readonly #deadline: number
  readonly #reservation: ByteReservation
  #refusal: CommandReply | undefined

  constructor(options: IncomingMessageOptions) {
    this.#options = options
    this.#reader = new DataReader(options.keptMax)
    this.#deadline = options.clock.monotonic() + options.messageMs
    this.#reservation = options.memory.reserve(options.owner)
  }

  /** Why it cannot be accepted; undefined if it can. */
  get refusal(): CommandReply | undefined {
    return this.#refusal
  }

  get isLate(): boolean {
    return this.#options.clock.monotonic() > this.#deadline
  }

  get chunks(): readonly Buffer[] {
    return this.#reader.chunks
  }

  /** Adds bytes. Returns the bytes after the end, or undefined if the end was not received yet. */
  push(bytes: Buffer): Buffer | undefined {
    const rest = this.#reader.push(bytes)
    if (this.#refusal !== undefined) return rest
    const { sizeMax } = this.#options
    if (this.#reader.size > sizeMax) this.#refuse(tooLarge(sizeMax))
    else if (!this.#reservation.tryGrow(this.#reader.heldBytes - this.#reservation.size))
      this.#refuse(memoryLimitReached)
    return rest
  }

  /**
   * Reserves memory for copies of the message in the owner's share. Returns a function that releases it; undefined if the
   * share has too little left.
   */
  reserve(bytes: number): (() => void) | undefined {
    const { memory, owner } = this.#options
    const copies = memory.reserve(owner)
    return copies.tryGrow(bytes) ? () => copies.release() : undefined
  }

  /** Releases its memory. */
  release(): void {
    this.#reservation.release()
  }

  #refuse(reply: CommandReply): void {
    this.#refusal = reply
    this.#reader.drop()
    this.release()
  }
}
