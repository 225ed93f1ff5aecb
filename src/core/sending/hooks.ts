import type { Brands } from '../../kit/caller.ts'
import { Hook } from '../../kit/hooks.ts'
import type { Capture, DkimKeys, UnsignedMessage } from '../../libraries/mailer/index.ts'
import type {
  AttemptSender,
  FinishedAttempt,
  StoredEvent,
  UnattemptedDelivery,
} from '../delivery/index.ts'

/** Whose senders take another transport while some are down. The id 0 is the default transport. */
export interface MovedQuestion {
  down: readonly number[]
  /** The transports that would take over. */
  targets: readonly number[]
  brands: Brands
}

/** A From domain that is not known to be believed through what would take over. */
export interface MovedSender {
  domain: string
  transportId: number
  /** The member of a list that may be the one that remains; null where another transport takes over. */
  member: string | null
  /** Null: not checked yet. */
  verdict: 'notAligned' | 'cannotTell' | null
  sentence: string | null
}

const noInbox = 'This Mailyard has no inbox.'

/** What happens to messages on their way, for the modules that take part in it or count it. None of these functions may throw. */
export class SendingHooks implements DkimKeys {
  /** The keys that sign messages; undefined: none is signed. */
  keys: DkimKeys | undefined
  /** Takes what is sent through `inbox://local`, and what the guard does not let out; undefined: it is refused. */
  capture: Capture | undefined
  /** Whether the inbox still has the message with this id. */
  readonly captured = new Hook<[id: number], boolean>()
  /** An attempt ended. */
  readonly attempted = new Hook<[attempt: FinishedAttempt]>()
  /** A delivery ended without an attempt. */
  readonly unattempted = new Hook<[delivery: UnattemptedDelivery]>()
  /** A message is attempted, with this sender. */
  readonly sent = new Hook<[sender: AttemptSender]>()
  /** A notification was dropped, because its sender had too many within an hour. */
  readonly notificationLimited = new Hook<[]>()
  /** Events of deliveries are stored: bounces, complaints and what else is reported of them. */
  readonly reported = new Hook<[stored: readonly StoredEvent[]]>()
  /** A message was sent unsigned although its domain has a key. */
  readonly unsigned = new Hook<[message: UnsignedMessage]>()
  /** Finds the From domains that would not be believed through what takes over where transports are down. */
  readonly moved = new Hook<[question: MovedQuestion], MovedSender[]>()

  get isEmpty(): boolean {
    return this.keys === undefined || this.keys.isEmpty === true
  }

  find(domain: string, submitter: number | undefined) {
    return this.keys?.find(domain, submitter)
  }

  readonly onUnsigned = (message: UnsignedMessage): void => {
    this.keys?.onUnsigned?.(message)
  }

  /** Captures a message, as `inbox://local` does. */
  readonly captureMessage: Capture = async (...captured) =>
    this.capture?.(...captured) ?? {
      outcome: 'refused',
      reason: noInbox,
      isPermanent: true,
    }
}
