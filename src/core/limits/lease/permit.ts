import { AppError } from '../../../kit/app-error.ts'
import type { Limit } from '../rules.ts'
import type { TakenTokens } from './taken-tokens.ts'
import type { TokenLease } from './token-lease.ts'

/** The permission of all limits of a transport to send one message. */
export interface Permit {
  /**
   * Call it before the message is sent, each time that it is. It takes new tokens if these have expired, or have been
   * used, and throws an AppError (`upstream`) if there are none in time: the message must not be sent.
   */
  confirm(): Promise<void> | undefined
  /** Call it synchronously before the bytes that complete the message. If it returns false, they must not be sent. */
  begin(): boolean
  /** Gives back the tokens of recipients who do not get the message. */
  giveBack(count: number): void
  /** Call it once the server has answered, or if the message is not sent. */
  release(): void
}

/** The tokens of one limit. */
export interface PermitPart {
  limit: Pick<Limit, 'name'>
  lease: TokenLease
  taken: TakenTokens
}

/** How long a message that was about to be sent waits for new tokens. */
const confirmMs = 5_000

/** The permit for a transport without limits. */
export const unlimited: Permit = {
  confirm: () => undefined,
  begin: () => true,
  giveBack: () => undefined,
  release: () => undefined,
}

export class LimitPermit implements Permit {
  readonly #parts: PermitPart[]
  #isSent = false

  constructor(parts: PermitPart[]) {
    this.#parts = parts
  }

  confirm(): Promise<void> | undefined {
    return this.#isSent || !this.#isValid ? this.#takeAgain() : undefined
  }

  begin(): boolean {
    if (this.#isSent || !this.#isValid) return false
    this.#isSent = true
    for (const { taken } of this.#parts) taken.markSent()
    return true
  }

  giveBack(count: number): void {
    for (const { taken } of this.#parts) taken.giveBack(count)
  }

  release(): void {
    for (const { taken } of this.#parts) taken.release()
  }

  get #isValid(): boolean {
    return this.#parts.every(({ taken }) => taken.isValid())
  }

  async #takeAgain(): Promise<void> {
    do {
      for (const part of this.#parts)
        if (this.#isSent || !part.taken.isValid()) await takeAgain(part)
      this.#isSent = false
      // Those of one limit may expire during the wait for those of another.
    } while (!this.#isValid)
  }
}

async function takeAgain(part: PermitPart): Promise<void> {
  const { count } = part.taken
  part.taken.release()
  const taken = await part.lease.take(count, { waitMs: confirmMs })
  if ('freeAt' in taken) {
    const message = `Limit "${part.limit.name}" allows no message now.`
    throw new AppError('upstream', 'limit_reached', message)
  }
  part.taken = taken
}
