import {
  createReply,
  memoryLimitReached,
  type ReturnedDelivery,
  type ReturnPaths,
} from '../../core/delivery/index.ts'
import { AppError } from '../../kit/app-error.ts'
import type { Log } from '../../kit/log.ts'
import { networkOf } from '../../kit/network-of.ts'
import type { ReportReceiver } from '../../modules/events/index.ts'
import type { CommandReply, ReceivedMessage } from './smtp/index.ts'

/** A report comes before the message that it returns. What is hostile takes half a second for as much. */
const bytesMax = 65_536
/** In one piece, and in the thread that reads it. */
const copiesInMemory = 2

export interface BounceMailOptions {
  returnPaths: Pick<ReturnPaths, 'isAddress' | 'find' | 'reserve'>
  receiver: Pick<ReportReceiver, 'receiveReturned'>
  log: Log
}

/** A return path that takes a message, and what counts the time to read it. */
interface OpenReturnPath {
  delivery: ReturnedDelivery
  settle: (readMs?: number) => void
}

/** RFC 3463, section 3.2: X.1.1, bad destination mailbox address. */
const notSigned = createReply(
  550,
  '5.1.1',
  'Nothing that Mailyard has sent in the last 30 days waits for an answer at this address',
)

/**
 * Mail to the return paths of messages. It is read and ends there: it is not sent on, and no notification follows, so that bounces
 * of bounces make no loop.
 */
export class BounceMail {
  /** How much of a message is read. */
  readonly bytesMax = bytesMax
  readonly #options: BounceMailOptions

  constructor(options: BounceMailOptions) {
    this.#options = options
  }

  isAddress(address: string): boolean {
    return this.#options.returnPaths.isAddress(address)
  }

  /** Returns why an address takes no mail; undefined if it does. It does not throw. */
  async check(address: string): Promise<CommandReply | undefined> {
    const found = await this.#open(address)
    if ('code' in found) return found
    found.settle(0)
    return undefined
  }

  /** Reads a message; 250 follows once its event is stored. It does not throw. */
  async receive(
    to: string,
    { address, chunks, reserve }: Pick<ReceivedMessage, 'address' | 'chunks' | 'reserve'>,
  ): Promise<CommandReply> {
    const { receiver, log } = this.#options
    const receivedBytes = chunks.reduce((sum, { length }) => sum + length, 0)
    const size = Math.min(receivedBytes, this.bytesMax)
    const network = networkOf(address)
    // Others may have come since RCPT.
    const found = await this.#open(to)
    if ('code' in found) return found
    const { delivery, settle } = found
    const release = reserve(size * copiesInMemory)
    let readMs: number | undefined = 0
    try {
      if (release === undefined) return memoryLimitReached
      const source = Buffer.concat(chunks, size)
      const read = await receiver.receiveReturned(source, network, delivery)
      readMs = read.readMs
      return createReply(250, '2.0.0', `Read: ${read.type}`)
    } catch (err) {
      if (err instanceof AppError && err.kind === 'invalid') {
        readMs = undefined
        return createReply(451, '4.3.0', 'The message takes too long to read; try again later')
      }
      if (err instanceof AppError && err.kind === 'rate_limited')
        return createReply(451, '4.7.0', 'Too many messages wait to be read; try again later')
      log.warn({ err, network }, 'returned message not stored')
      return createReply(451, '4.3.0', 'The message cannot be stored; try again later')
    } finally {
      settle(readMs)
      release?.()
    }
  }

  async #open(address: string): Promise<OpenReturnPath | CommandReply> {
    const { returnPaths, log } = this.#options
    const settle = returnPaths.reserve(address)
    if (settle === undefined) return notSigned
    try {
      const delivery = await returnPaths.find(address)
      if (delivery !== undefined) return { delivery, settle }
      settle(0)
      return notSigned
    } catch (err) {
      settle(0)
      log.warn({ err }, 'return path not looked up')
      return createReply(451, '4.3.0', 'The address cannot be looked up; try again later')
    }
  }
}
