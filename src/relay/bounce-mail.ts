import { memoryLimitReached } from '../delivery/index.ts'
import { type ReportReceiver, reportBytesMax } from '../feedback/index.ts'
import { AppError } from '../kit/app-error.ts'
import { callerKey } from '../kit/caller.ts'
import type { Log } from '../kit/log.ts'
import { networkOf } from '../kit/network-of.ts'
import { emailKey } from '../kit/normalize-for-search.ts'
import { createReply, type Reply, type SubmittedMessage } from './smtp/index.ts'

/** In one piece, and in the thread that reads it. */
const copiesInMemory = 2

export interface BounceMailOptions {
  /** `bounces@mail.example.com`; with a tag too, as `bounces+17@mail.example.com`. */
  address: string
  receiver: Pick<ReportReceiver, 'receive'>
  log: Log
}

/**
 * Mail to the bounce address. It is read as a report and ends there: it is not sent on, and no notification follows, so that bounces
 * of bounces make no loop.
 */
export class BounceMail {
  /** How much of a message is read. */
  readonly bytesMax = reportBytesMax
  readonly #localPart: string
  readonly #domain: string
  readonly #receiver: BounceMailOptions['receiver']
  readonly #log: Log

  constructor({ address, receiver, log }: BounceMailOptions) {
    const key = emailKey(address)
    const at = key.lastIndexOf('@')
    this.#localPart = key.slice(0, at)
    this.#domain = key.slice(at)
    this.#receiver = receiver
    this.#log = log
  }

  /** Whether an address is the bounce address, with or without a tag. */
  isAddress(address: string): boolean {
    const key = emailKey(address)
    if (!key.endsWith(this.#domain)) return false
    const localPart = key.slice(0, -this.#domain.length)
    const isTagged = localPart.startsWith(`${this.#localPart}+`) && !localPart.includes('@')
    return localPart === this.#localPart || isTagged
  }

  /** Reads a message; 250 follows once its events are stored, or for a message that is no report. It does not throw. */
  async receive({
    caller,
    address,
    chunks,
    reserve,
  }: Pick<SubmittedMessage, 'caller' | 'address' | 'chunks' | 'reserve'>): Promise<Reply> {
    const receivedBytes = chunks.reduce((sum, { length }) => sum + length, 0)
    const size = Math.min(receivedBytes, this.bytesMax)
    const release = reserve(size * copiesInMemory)
    if (release === undefined) return memoryLimitReached
    const network = networkOf(address)
    try {
      const owner = caller === undefined ? network : callerKey(caller)
      const events = await this.#receiver.receive(Buffer.concat(chunks, size), owner)
      return createReply(250, '2.0.0', `Report read: ${events.length} recipients`)
    } catch (err) {
      const { kind, message } = err instanceof AppError ? err : { kind: undefined, message: '' }
      if (kind === 'invalid') {
        this.#log.info({ network, reason: message }, 'mail to the bounce address dropped')
        return createReply(250, '2.0.0', 'No report: it was dropped')
      }
      if (kind === 'rate_limited')
        return createReply(451, '4.7.0', 'There are too many reports; try again later')
      this.#log.warn({ err, network }, 'report not stored')
      return createReply(451, '4.3.0', 'The report cannot be stored; try again later')
    } finally {
      release()
    }
  }
}
