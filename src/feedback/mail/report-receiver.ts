import { AppError } from '../../kit/app-error.ts'
import type { Clock } from '../../kit/clock.ts'
import { WorkQueue } from '../../kit/work-queue.ts'
import type { ProviderEvent } from '../../mailer/index.ts'
import type { ReceivedEvents } from '../events/received-events.ts'
import { ReportReader } from './report-reader.ts'

/**
 * How many messages of one sender wait to be read, and how many are read a minute: of one sender, and of all. A message about
 * several recipients counts for each: anyone may send it, and each is stored and looked for.
 */
const limits = { waitingMax: 200, ofSenderMax: 1_000, ofAllMax: 10_000 }
const minuteMs = 60_000

export interface ReportReceiverOptions {
  receivedEvents: Pick<ReceivedEvents, 'add' | 'notify'>
  clock: Clock
}

/** Receives reports by mail (RFC 3464, RFC 5965): reads them, and stores their events like those of the providers. */
export class ReportReceiver {
  readonly #receivedEvents: ReportReceiverOptions['receivedEvents']
  readonly #clock: Clock
  readonly #reader = new ReportReader(
    new WorkQueue({ runningMax: 1, totalMax: 1, waitingMax: limits.waitingMax }),
  )
  /** How much was read in this minute, by sender. */
  readonly #counts = new Map<string, number>()
  #countAll = 0
  #countedUntil = 0

  constructor({ receivedEvents, clock }: ReportReceiverOptions) {
    this.#receivedEvents = receivedEvents
    this.#clock = clock
  }

  /**
   * Stores the events of a report durably. Only those with a Message-ID and a recipient are stored: by these two they count for a
   * message of ours.
   *
   * @param owner Whose share of the limits it uses: the key of a caller, or the network of a client without a log-in.
   * @returns What the report says.
   * @throws AppError (`invalid`) for a message that is no report; (`rate_limited`) for too many.
   */
  async receive(source: Uint8Array, owner: string): Promise<readonly ProviderEvent[]> {
    this.#check(owner)
    this.#add(owner, 1)
    const reading = await this.#reader.read(source, owner)
    if ('problem' in reading) throw new AppError('invalid', 'not_a_report', reading.problem)
    const receivedAt = this.#clock.now()
    const events = reading.events.filter(isTraceable).map((event) => ({
      ...event,
      // The clock of the other server may be ahead.
      at: Math.min(event.at ?? receivedAt, receivedAt),
    }))
    if (events.length === 0) return reading.events
    // Others that waited may have used up the limit.
    if (events.length > 1) this.#check(owner)
    this.#add(owner, events.length - 1)
    const report = { transportId: null, provider: 'mail', events, receivedAt }
    await this.#receivedEvents.add(undefined, report)
    this.#receivedEvents.notify()
    return reading.events
  }

  async stop(): Promise<void> {
    await this.#reader.close()
  }

  /** Throws an AppError (`rate_limited`). */
  #check(owner: string): void {
    const now = this.#clock.now()
    if (now >= this.#countedUntil || now < this.#countedUntil - minuteMs) {
      this.#countedUntil = now + minuteMs
      this.#countAll = 0
      this.#counts.clear()
    }
    if ((this.#counts.get(owner) ?? 0) >= limits.ofSenderMax || this.#countAll >= limits.ofAllMax) {
      const retryAfterSeconds = Math.ceil((this.#countedUntil - now) / 1_000)
      const message = 'There are too many reports in this minute. Send this one again later.'
      throw new AppError('rate_limited', 'too_many_reports', message, { retryAfterSeconds })
    }
  }

  #add(owner: string, count: number): void {
    this.#counts.set(owner, (this.#counts.get(owner) ?? 0) + count)
    this.#countAll += count
  }
}

function isTraceable({ type, recipient, otherIds }: ProviderEvent): boolean {
  return type !== 'ignored' && recipient !== null && otherIds.length > 0
}
