import { networkOf } from '../../kit/network-of.ts'
import { HttpError } from './errors.ts'

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

const megabyte = 1_048_576
/** A network may send two of the largest bodies. All are less than what clients without a log-in have. */
const defaultLimits = { all: 40 * megabyte, target: 24 * megabyte, network: 16 * megabyte }

/**
 * Counts the bytes of the webhooks that are being received: they are in memory before their signature can be verified. A network
 * has less than a target, so that one client cannot use up the share of a target.
 */
export class ReceivedBytes {
  readonly #limits: ReceivedBytesLimits
  readonly #used = new Map<string, number>()

  constructor(limits: ReceivedBytesLimits = defaultLimits) {
    this.#limits = limits
  }

  /** Starts to count a body. `add` throws an HttpError (503) where a share is exceeded. */
  open({ target, address }: BodyOrigin) {
    const shares: [share: string, max: number][] = [
      ['all', this.#limits.all],
      [`target ${target}`, this.#limits.target],
      [`network ${networkOf(address)}`, this.#limits.network],
    ]
    let bodyBytes = 0
    return {
      add: (bytes: number): void => {
        bodyBytes += bytes
        const sums = shares.map(([share, max]) => this.#count(share, bytes) <= max)
        if (sums.every((isWithin) => isWithin)) return
        const message = 'Too many webhooks arrive at a time. Send it again.'
        throw new HttpError(503, message, { 'retry-after': '1' })
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
