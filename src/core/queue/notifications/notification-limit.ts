import { BoundedMemory } from '../../../kit/bounded-memory.ts'
import type { Clock } from '../../../kit/clock.ts'
import { domainOf } from '../../suppressions/index.ts'

/** What one key may get of notifications within an hour. */
interface HourlyLimit {
  /** The senders that are counted together have the same key. */
  keyOf: (sender: string) => string
  countMax: number
  bytesMax: number
}

const limits: readonly HourlyLimit[] = [
  // The mailbox of a newsletter gets the failures of some hundred messages an hour.
  { keyOf: mailboxOf, countMax: 500, bytesMax: 4_194_304 },
  // A forger makes up any number of mailboxes, and so does a sender that has one for each recipient (VERP).
  { keyOf: domainOf, countMax: 2_000, bytesMax: 16_777_216 },
]

/**
 * Limits the notifications that this process sends to a mailbox and to a domain within an hour: the sender of a message may be
 * forged, and would get what others caused. All addresses with the same mailbox before `+` count together.
 */
export class NotificationLimit {
  readonly #counters: readonly HourlyCounter[]

  constructor(clock: Clock) {
    this.#counters = limits.map((limit) => new HourlyCounter(limit, clock))
  }

  /** Whether a sender may get another notification. */
  admits(sender: string): boolean {
    return this.#counters.every((counter) => counter.admits(sender))
  }

  /** Counts a notification that was composed. */
  count(sender: string, bytes: number): void {
    for (const counter of this.#counters) counter.count(sender, bytes)
  }
}

/** What a key got of notifications within an hour. */
interface Usage {
  startedAt: number
  count: number
  bytes: number
}

const hourMs = 3_600_000
/** Further keys replace those that were counted first. */
const keysMax = 10_000

/** Counts the notifications of one limit. */
class HourlyCounter {
  readonly #limit: HourlyLimit
  readonly #clock: Clock
  readonly #usage = new BoundedMemory<string, Usage>({ sizeMax: keysMax })

  constructor(limit: HourlyLimit, clock: Clock) {
    this.#limit = limit
    this.#clock = clock
  }

  admits(sender: string): boolean {
    const { keyOf, countMax, bytesMax } = this.#limit
    const { count, bytes } = this.#usageOf(keyOf(sender))
    return count < countMax && bytes < bytesMax
  }

  count(sender: string, bytes: number): void {
    const key = this.#limit.keyOf(sender)
    const usage = this.#usageOf(key)
    usage.count += 1
    usage.bytes += bytes
    this.#usage.set(key, usage)
  }

  #usageOf(key: string): Usage {
    const now = this.#clock.monotonic()
    const usage = this.#usage.get(key)
    const isCurrent = usage !== undefined && now - usage.startedAt < hourMs
    return isCurrent ? usage : { startedAt: now, count: 0, bytes: 0 }
  }
}

/** `Ann+news@Example.com` is `ann@example.com`, and so is `"a\\nn"@EXAMPLE.COM.` (RFC 5321, section 4.1.2). */
function mailboxOf(sender: string): string {
  const at = sender.lastIndexOf('@')
  const local = sender.slice(0, at).toLowerCase().replaceAll(/["\\]/g, '')
  const [mailbox = ''] = local.split('+')
  return `${mailbox}@${domainOf(sender)}`
}
