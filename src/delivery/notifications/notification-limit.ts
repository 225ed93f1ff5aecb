import type { Clock } from '../../kit/clock.ts'
import { domainOf } from '../../suppressions/index.ts'

/** What a mailbox got of notifications within an hour. */
interface Usage {
  startedAt: number
  count: number
  bytes: number
}

/** What the next notification to a mailbox may hold: all, no part of the message that it is about, or nothing. */
export type AdmittedNotification = 'complete' | 'short' | 'none'

const hourMs = 3_600_000
/** The mailbox of a newsletter gets the failures of some hundred messages an hour. */
const countMax = 500
/** Above it, notifications return nothing of the message. */
const completeBytesMax = 1_048_576
const bytesMax = 4_194_304
/** Further mailboxes replace those that were counted first. */
const mailboxesMax = 10_000

/**
 * Limits the notifications that this process sends to a mailbox within an hour: the sender of a message may be forged, and
 * would get what others caused. All addresses with the same mailbox before `+` count together.
 */
export class NotificationLimit {
  readonly #clock: Clock
  readonly #usage = new Map<string, Usage>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  admit(sender: string): AdmittedNotification {
    const { count, bytes } = this.#usageOf(mailboxOf(sender))
    if (count >= countMax || bytes >= bytesMax) return 'none'
    return bytes < completeBytesMax ? 'complete' : 'short'
  }

  /** Counts a notification that was composed. */
  count(sender: string, bytes: number): void {
    const mailbox = mailboxOf(sender)
    const usage = this.#usageOf(mailbox)
    usage.count += 1
    usage.bytes += bytes
    this.#usage.set(mailbox, usage)
    const [oldest] = this.#usage.keys()
    if (this.#usage.size > mailboxesMax && oldest !== undefined) this.#usage.delete(oldest)
  }

  #usageOf(mailbox: string): Usage {
    const now = this.#clock.now()
    const usage = this.#usage.get(mailbox)
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
