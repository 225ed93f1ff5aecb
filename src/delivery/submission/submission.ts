import { type Caller, type CallerMautic, callerKey } from '../../kit/caller.ts'

/** The sender of a message, with the permissions that rendering needs. It is stored with a queued message. */
export interface Submitter {
  /** See `callerKey`. */
  readonly key: string
  readonly name: string
  /** The Mautic that it comes from: ids in its messages are that Mautic's. */
  readonly mautic?: CallerMautic | undefined
  readonly canViewTemplates: boolean
  readonly canViewContacts: boolean
}

/** An email that Mailyard has rendered for a request of the API: its headers name nothing, and its tokens stay. */
export interface RenderedEmailFacts {
  readonly messageId: string | undefined
  /** The address in From. */
  readonly from: string | undefined
  readonly emailId: number
  readonly contactId: number
  /** The transport that the email names; see `findNamedTransport`. */
  readonly transport: string | undefined
  /** The key of the request's Idempotency-Key, or unique. */
  readonly messageKey: string
  /** See `DeliveryRow.request_hash`. */
  readonly requestHash: string | null
}

/** A message as it is given to a transport. */
export interface ComposedMessage {
  raw: Uint8Array
  /** As `storedSubject`. */
  subject: string | null
}

/** A message that was submitted over SMTP, or rendered for a request of the API, with its envelope. */
export interface Submission {
  readonly submitter: Submitter
  /** Empty for a notification (RFC 5321, section 4.5.5). */
  readonly sender: string
  readonly recipients: readonly string[]
  /** Undefined for a message over SMTP. */
  readonly rendered?: RenderedEmailFacts | undefined
  /** As `storedSubject`. Undefined for a message over SMTP, whose head has it. */
  readonly subject?: string | null | undefined
  /** The message in pieces, without dot-stuffing. */
  readonly chunks: readonly Uint8Array[]
  /**
   * Reserves memory for copies of the message. Returns a function that releases it, to be called once; undefined if too
   * little is left.
   */
  readonly reserve: (bytes: number) => (() => void) | undefined
}

/** The submitter of notifications, which are sent through the default transport and never rendered. */
export const notifier: Submitter = {
  key: 'notifications',
  name: 'Mailyard',
  canViewTemplates: false,
  canViewContacts: false,
}

export function isNotification({ submitter }: Pick<Submission, 'submitter'>): boolean {
  return submitter.key === notifier.key
}

export function submitterOf(caller: Caller): Submitter {
  return {
    key: callerKey(caller),
    name: caller.name,
    ...(caller.mautic === undefined ? {} : { mautic: caller.mautic }),
    canViewTemplates: caller.can('twigtemplates:view'),
    canViewContacts: caller.can('contact:view'),
  }
}
