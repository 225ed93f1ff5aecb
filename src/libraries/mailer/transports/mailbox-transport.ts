import type { Clock } from '../../../kit/clock.ts'
import { Alarm } from '../../../kit/timers.ts'
import { faultResult } from '../delivery/create-result.ts'
import type { DeliveryResult } from '../delivery/delivery-result.ts'
import type { Fault } from '../delivery/fault.ts'
import { FaultError } from '../delivery/fault-error.ts'
import { closedFault } from '../delivery/send-limiter.ts'
import {
  type SendOptions,
  sumLoads,
  type Transport,
  type TransportLoad,
} from '../delivery/transport.ts'
import { readAddresses, readSenderFields } from '../message/headers.ts'
import { isMailAddress, type Message } from '../message/message.ts'

interface MailboxTransportOptions {
  readonly label: string
  /** Opens the transport that logs in to a mailbox. */
  readonly openMailbox: (mailbox: string) => Transport
  /** Called when the transport of a mailbox was closed. */
  readonly onClosed: (mailbox: string) => void
  /** How long the transport of a mailbox without messages stays open. */
  readonly idleMs: number
  /** Null for no limit. */
  readonly maxPerMinute: number | null
  readonly clock: Clock
}

interface OpenMailbox {
  readonly transport: Transport
  /** Messages that were given to the transport and have no result yet. */
  messages: number
  /** Closes it when it was idle for long enough. */
  readonly closing: Alarm
  refusal: RefusedLogin | undefined
  /** When the message that was refused last gets its turn. */
  nextTurnAt: number
}

/** Why the mailbox could not be opened, and until when no other log-in is tried. */
interface RefusedLogin {
  readonly fault: Fault
  readonly until: number
}

/** How long a mailbox that was refused is not tried again: every message would be another refused log-in. */
const refusalMs = 60_000
/** How many messages wait for the rate limit of one mailbox. More are refused for now, so that other mailboxes get their turn. */
const waitingMax = 10
const minuteMs = 60_000

/**
 * Sends each message through the mailbox of its sender. Each mailbox has its own connections and limits, and what is wrong
 * with one does not stop the others.
 */
export class MailboxTransport implements Transport {
  readonly label: string
  readonly #options: MailboxTransportOptions
  readonly #mailboxes = new Map<string, OpenMailbox>()
  readonly #closing = new Set<Promise<void>>()
  #isClosed = false

  constructor(options: MailboxTransportOptions) {
    this.label = options.label
    this.#options = options
  }

  async send(message: Message, options?: SendOptions): Promise<DeliveryResult> {
    if (this.#isClosed) return this.#refuse(message, closedFault())
    const mailbox = senderOf(message)
    if (mailbox === undefined) return this.#refuse(message, noSender())
    const open = this.#open(mailbox)
    const { maxPerMinute, clock } = this.#options
    const refusedForMs = (open.refusal?.until ?? 0) - clock.monotonic()
    if (open.refusal !== undefined && refusedForMs > 0)
      return this.#refuse(message, stillRefused(open.refusal, refusedForMs))
    if (maxPerMinute !== null && open.transport.load().waiting >= waitingMax)
      return this.#refuse(
        message,
        busyMailbox(mailbox, maxPerMinute, nextTurnMs(open, maxPerMinute, clock)),
      )
    open.closing.cancel()
    open.messages += 1
    try {
      const result = await open.transport.send(message, options)
      open.refusal = refusalOf(result, clock.monotonic())
      return result
    } finally {
      open.messages -= 1
      if (open.messages === 0 && !this.#isClosed) open.closing.set(this.#options.idleMs)
    }
  }

  load(): TransportLoad {
    const load = sumLoads([...this.#mailboxes.values()].map(({ transport }) => transport))
    // Each mailbox refuses what waits too long for it: messages of one must not hold up those of the others.
    return { ...load, waiting: 0 }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const open = [...this.#mailboxes.values()]
    this.#mailboxes.clear()
    for (const { closing } of open) closing.cancel()
    await Promise.all([...open.map(({ transport }) => transport.close()), ...this.#closing])
  }

  #open(mailbox: string): OpenMailbox {
    const key = mailbox.toLowerCase()
    const existing = this.#mailboxes.get(key)
    if (existing !== undefined) return existing
    const transport = this.#options.openMailbox(mailbox)
    const open: OpenMailbox = {
      transport,
      messages: 0,
      closing: new Alarm(() => this.#close(mailbox, transport)),
      refusal: undefined,
      nextTurnAt: 0,
    }
    this.#mailboxes.set(key, open)
    return open
  }

  #close(mailbox: string, transport: Transport): void {
    this.#mailboxes.delete(mailbox.toLowerCase())
    const closing = transport.close().finally(() => {
      this.#closing.delete(closing)
      this.#options.onClosed(mailbox)
    })
    this.#closing.add(closing)
  }

  #refuse(message: Message, error: FaultError): DeliveryResult {
    return faultResult(error, { member: this.label, message, durationMs: 0 })
  }
}

/** Returns the refusal of a log-in; undefined for every other result. */
function refusalOf({ fault }: DeliveryResult, now: number): RefusedLogin | undefined {
  const isOfLogin =
    fault?.scope === 'message' && (fault.stage === 'auth' || fault.stage === 'token')
  return isOfLogin && fault.code !== 'cancelled' ? { fault, until: now + refusalMs } : undefined
}

function stillRefused({ fault }: RefusedLogin, retryAfterMs: number): FaultError {
  return new FaultError({ ...fault, retryAfterMs })
}

/**
 * Returns the mailbox that sends a message: that of Sender, else the first of From, else the sender of the envelope.
 * @see RFC 5322, section 3.6.2
 */
export function senderOf({ raw, envelope }: Message): string | undefined {
  const { sender, from } = readSenderFields(raw)
  const [sendingAddress = ''] = readAddresses(sender)
  const [firstAuthor = ''] = readAddresses(from)
  return [sendingAddress, firstAuthor, envelope.from].find(isMailAddress)
}

function noSender(): FaultError {
  return new FaultError({
    code: 'sender_refused',
    scope: 'message',
    stage: 'token',
    isPermanent: true,
    message: 'The message names no sender, so there is no mailbox to log in to.',
    hint: 'Set From, or set the option mailbox of the DSN.',
  })
}

const longestTurnMs = 3_600_000

/** Gives each refused message a later turn than the one before, so that they do not all come back at the same time. */
function nextTurnMs(open: OpenMailbox, maxPerMinute: number, clock: Clock): number {
  const now = clock.monotonic()
  const turnMs = minuteMs / maxPerMinute
  const firstAt = now + waitingMax * turnMs
  const nextAt = Math.max(firstAt, open.nextTurnAt + turnMs)
  open.nextTurnAt = Math.min(nextAt, now + longestTurnMs)
  return Math.ceil(open.nextTurnAt - now)
}

function busyMailbox(mailbox: string, maxPerMinute: number, retryAfterMs: number): FaultError {
  return new FaultError({
    code: 'throttled',
    scope: 'message',
    stage: 'connect',
    retryAfterMs,
    message: `The mailbox ${mailbox} sends ${maxPerMinute} messages a minute, and ${waitingMax} wait already.`,
    hint: 'The message is tried again. max_per_minute of the DSN sets the limit.',
  })
}
