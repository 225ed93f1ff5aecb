import { networkOf } from '../kit/network-of.ts'

/** Where a body comes from. */
export interface BodyOrigin {
  /** What it says that it is for, such as the webhook of a Mautic; its signature is not verified yet. */
  target: string
  /** The address of the client. */
  address: string
}

/** How many bytes may be in memory at a time, of all bodies, those for one target, and those from one network. */
export interface ReceivedBytesLimits {
  all: number
  target: number
  network: number
}

/**
 * Counts the bytes of the bodies that are being received: they are in memory before their signature can be verified. A network
 * has less than a target, so that one client cannot use up the share of a target.
 */
export class ReceivedBytes {
  readonly #limits: ReceivedBytesLimits
  readonly #used = new Map<string, number>()

  constructor(limits: ReceivedBytesLimits) {
    this.#limits = limits
  }

  /** Starts to count a body. `add` returns false where a share is exceeded: the body is then refused. */
  open({ target, address }: BodyOrigin) {
    const shares: [share: string, max: number][] = [
      ['all', this.#limits.all],
      [`target ${target}`, this.#limits.target],
      [`network ${networkOf(address)}`, this.#limits.network],
    ]
    let bodyBytes = 0
    return {
      add: (bytes: number): boolean => {
        bodyBytes += bytes
        const sums = shares.map(([share, max]) => this.#count(share, bytes) <= max)
        return sums.every((isWithin) => isWithin)
      },
      /** Gives all bytes of the body back. */
      release: (): void => {
        for (const [share] of shares) this.#count(share, -bodyBytes)
        bodyBytes = 0
      },
    }
  }

  #count(share: string, bytes: number): number {
    const sum = (this.#used.get(share) ?? 0) + bytes
    if (sum === 0) this.#used.delete(share)
    else this.#used.set(share, sum)
    return sum
  }
}
