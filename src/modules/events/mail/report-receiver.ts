import { domainToASCII } from 'node:url'
import type { ReturnedDelivery } from '../../../core/delivery/index.ts'
import { AppError } from '../../../kit/app-error.ts'
import { type Caller, callerKey } from '../../../kit/caller.ts'
import type { Clock } from '../../../kit/clock.ts'
import { emailKey } from '../../../kit/normalize-for-search.ts'
import { ReadingThread } from '../../../kit/reading-thread.ts'
import { WorkQueue } from '../../../kit/work-queue.ts'
import type { ProviderEvent } from '../../../libraries/mailer/index.ts'
import type { DatedEvent } from '../events/match-events.ts'
import type { ReceivedEvents } from '../events/received-events.ts'
import { type ReportReading, reportBytesMax } from './read-report.ts'

/** How many messages of one sender wait to be read. */
const waitingMax = 200
const heapMegabytesMax = 128

export interface ReportReceiverOptions {
  receivedEvents: Pick<ReceivedEvents, 'add' | 'notify'>
  clock: Clock
}

interface TimedReading extends ReportReading {
  readonly readMs: number
}

/** Receives what came back by mail: reads it, and stores its events like those of the providers. */
export class ReportReceiver {
  readonly #receivedEvents: ReportReceiverOptions['receivedEvents']
  readonly #clock: Clock
  /** The senders take turns. */
  readonly #turns = new WorkQueue({ runningMax: 1, totalMax: 1, waitingMax })
  readonly #thread = new ReadingThread<Uint8Array, TimedReading>({
    name: 'report-worker',
    near: import.meta.url,
    heapMegabytesMax,
  })

  constructor({ receivedEvents, clock }: ReportReceiverOptions) {
    this.#receivedEvents = receivedEvents
    this.#clock = clock
  }

  /**
   * Stores the events of a report (RFC 3464, RFC 5965) durably. Only those with a Message-ID and a recipient are stored: by these two
   * they count for a message of ours.
   *
   * @param caller Who may suppress. Events count for messages of their brands.
   * @returns What the report says.
   * @throws AppError (`invalid`) for a message that is no report; (`rate_limited`) for too many.
   */
  async receive(source: Uint8Array, caller: Caller): Promise<readonly ProviderEvent[]> {
    const { events, problem } = await this.#read(source, callerKey(caller))
    if (problem !== undefined) throw new AppError('invalid', 'not_a_report', problem)
    const { brands } = caller
    const named = events.filter(
      ({ recipient, otherIds }) => recipient !== null && otherIds.length > 0,
    )
    await this.#store(brands === 'all' ? named : named.map((event) => ({ ...event, brands })))
    return events
  }

  /**
   * Stores what a message to a return path says of its delivery, in whatever form: what a report says of its recipient, else the
   * mildest that it says of those behind an alias; else the words of the server.
   *
   * @param owner The network of the client.
   * @returns What it says, and how long the thread has read it, in milliseconds.
   * @throws AppError (`invalid`) for one that takes too long to read; (`rate_limited`) for too many that wait.
   */
  async receiveReturned(
    source: Uint8Array,
    owner: string,
    { id, started_at, recipient, message_id: messageId }: ReturnedDelivery,
  ): Promise<{ type: ProviderEvent['type']; readMs: number }> {
    const { events, author, readMs } = await this.#read(source, owner)
    // A recipient who answers can be reached, whatever the answer quotes.
    if (author !== undefined && mailboxKey(author) === mailboxKey(recipient))
      return { type: 'ignored', readMs }
    const own = events.filter(
      (event) => mailboxKey(event.recipient ?? '') === mailboxKey(recipient),
    )
    const counted = own.length > 0 ? own : [...events]
    const [said] = counted.sort((one, other) => gravenessOf(one) - gravenessOf(other))
    if (said === undefined) return { type: 'ignored', readMs }
    const otherIds = messageId === null ? [] : [messageId]
    await this.#store([{ ...said, recipient, otherIds, delivery: { id, started_at } }])
    return { type: said.type, readMs }
  }

  async stop(): Promise<void> {
    await this.#thread.close()
  }

  #read(source: Uint8Array, owner: string): Promise<TimedReading> {
    const bytes = new Uint8Array(source.subarray(0, reportBytesMax))
    return this.#turns.run(owner, async () => {
      try {
        return await this.#thread.read(bytes, [bytes.buffer])
      } catch (error) {
        const problem = `The message cannot be read: ${(error as Error).message}.`
        throw new AppError('invalid', 'not_a_report', problem)
      }
    })
  }

  async #store(
    all: readonly (ProviderEvent & Pick<DatedEvent, 'delivery' | 'brands'>)[],
  ): Promise<void> {
    const receivedAt = this.#clock.now()
    const events = all
      .filter(({ type }) => type !== 'ignored')
      // The clock of the other server may be ahead.
      .map((event) => ({ ...event, at: Math.min(event.at ?? receivedAt, receivedAt) }))
    if (events.length === 0) return
    const report = { transportId: null, provider: 'mail', events, receivedAt }
    await this.#receivedEvents.add(undefined, report)
    this.#receivedEvents.notify()
  }
}

const mildestFirst = ['delivered', 'ignored', 'deferred', 'soft', 'hard']

function gravenessOf({ type, class: kind }: ProviderEvent): number {
  return mildestFirst.indexOf(kind ?? type)
}

/** With the domain in ASCII. */
function mailboxKey(address: string): string {
  const key = emailKey(address)
  const start = key.lastIndexOf('@') + 1
  return key.slice(0, start) + (domainToASCII(key.slice(start)) || key.slice(start))
}
