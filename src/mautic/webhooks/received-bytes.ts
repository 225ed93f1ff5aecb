import { networkOf } from '../../kit/network-of.ts'

/** Where a body comes from. */
export interface BodyOrigin {
  /** The Mautic whose webhook it says it is; its signature is not verified yet. */
  mauticId: number
  /** The address of the client. */
  address: string
}

/** The bytes of a body that is being received. */
export interface ReceivedBody {
  /** Counts more bytes. Returns false where they exceed a share: the body is then refused. */
  add(bytes: number): boolean
  /** Gives all bytes of the body back. */
  release(): void
}

/** Counts the bytes of the bodies that are being received: they are in memory before their signature can be verified. */
export interface ReceivedBytes {
  open(origin: BodyOrigin): ReceivedBody
}

/** How many bytes may be in memory at a time, of all bodies, those for one Mautic, and those from one network. */
export interface ReceivedBytesLimits {
  all: number
  mautic: number
  network: number
}

/** Creates the counts. A network has less than a Mautic, so that one client cannot use up the share of a Mautic. */
export function createReceivedBytes(limits: ReceivedBytesLimits): ReceivedBytes {
  const used = new Map<string, number>()
  const count = (share: string, bytes: number) => {
    const sum = (used.get(share) ?? 0) + bytes
    if (sum === 0) used.delete(share)
    else used.set(share, sum)
    return sum
  }
  return {
    open({ mauticId, address }) {
      const shares: [share: string, max: number][] = [
        ['all', limits.all],
        [`mautic ${mauticId}`, limits.mautic],
        [`network ${networkOf(address)}`, limits.network],
      ]
      let own = 0
      return {
        add(bytes) {
          own += bytes
          const sums = shares.map(([share, max]) => count(share, bytes) <= max)
          return sums.every((isWithin) => isWithin)
        },
        release() {
          for (const [share] of shares) count(share, -own)
          own = 0
        },
      }
    },
  }
}
