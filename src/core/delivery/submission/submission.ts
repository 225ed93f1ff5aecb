import { hash } from 'node:crypto'
import { type Caller, type CallerMautic, callerKey } from '../../../kit/caller.ts'
import { emailKey } from '../../../kit/normalize-for-search.ts'
import {
  decodeValue,
  type MessageHead,
  type RelayedMessage,
  readMessage,
  readRendered,
  storedSubject,
} from '../../mime/index.ts'

/** The sender of a message, with the permissions that rendering needs. It is stored with a queued message. */
export interface Submitter {
  /** See `callerKey`. */
  readonly key: string
  readonly name: string
  /** The brand of its messages; null for a log-in of all brands: that of the email, else of the transport. */
  readonly brand: number | null
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

/** A message that is submitted over SMTP, or rendered for a request of the API, with its envelope. */
export interface NewSubmission {
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
  brand: null,
  canViewTemplates: false,
  canViewContacts: false,
}

export function isNotification({ submitter }: Pick<NewSubmission, 'submitter'>): boolean {
  return submitter.key === notifier.key
}

/** @param brand See `Submitter`. */
export function submitterOf(caller: Caller, brand: number | null): Submitter {
  return {
    key: callerKey(caller),
    name: caller.name,
    brand,
    ...(caller.mautic === undefined ? {} : { mautic: caller.mautic }),
    canViewTemplates: caller.can('twigtemplates:view'),
    canViewContacts: caller.can('contact:view'),
  }
}

/** A submission that was read, and the keys of its recipients. */
export interface Submission extends NewSubmission {
  readonly message: RelayedMessage
  /** Null if it has none. */
  readonly subject: string | null
  readonly keysOf: MessageKeys
}

export function readSubmission(submission: NewSubmission): Submission {
  const { submitter, sender, recipients, rendered, chunks, reserve } = submission
  const message = rendered === undefined ? readMessage(chunks) : readRendered(chunks, rendered)
  const { subject = subjectOf(message) } = submission
  const keysOf = createMessageKeys(message, submission)
  return { submitter, sender, recipients, rendered, subject, chunks, reserve, message, keysOf }
}

/** Returns the subject of a message as it is stored. */
export function subjectOf({ head: { subject } }: Pick<RelayedMessage, 'head'>): string | null {
  return subject === undefined ? null : storedSubject(decodeValue(subject))
}

/** Returns the keys that identify the same message to a recipient when it is submitted again. */
export type MessageKeys = (address: string) => { messageKey: string; bulkKey: string | null }

/**
 * Two submissions are the same message if caller, sender, recipient and Message-ID are the same. Without a Message-ID
 * the bytes count, until a while after the first was acknowledged (see `openAcknowledgements`).
 *
 * They are the same bulk email if caller, X-EMAIL-ID, X-Mailyard-Transport, recipient, addressee and content are the
 * same. With the addressee, a Bcc recipient gets the email of each contact. With the content, a reinstalled Mautic may
 * use the same numbers again.
 */
function createMessageKeys(
  message: RelayedMessage,
  { submitter, sender, rendered }: NewSubmission,
): MessageKeys {
  if (rendered !== undefined) return () => ({ messageKey: rendered.messageKey, bulkKey: null })
  const { head } = message
  const { messageId, emailId, transport = '', isBulk } = head
  const callerKey = submitter.key
  const id = messageId === undefined ? `bytes ${message.fingerprint()}` : `id ${messageId}`
  const isBulkEmail = isBulk && emailId !== undefined
  const addressee = addresseeOf(head)
  const content = isBulkEmail ? message.contentDigest() : ''
  const known = new Map<string, ReturnType<MessageKeys>>()
  return (address) => {
    const earlier = known.get(address)
    if (earlier !== undefined) return earlier
    const recipient = emailKey(address)
    const keys = {
      messageKey: digestOf('message', callerKey, sender, recipient, id),
      bulkKey: isBulkEmail
        ? digestOf('bulk', callerKey, emailId, transport, recipient, addressee, content)
        : null,
    }
    known.set(address, keys)
    return keys
  }
}

/** Returns the contact or address that a message is written to; a Bcc recipient is another address. */
export function addresseeOf({ contactId, to = '' }: Pick<MessageHead, 'contactId' | 'to'>): string {
  return contactId === undefined ? `to ${emailKey(to)}` : `contact ${contactId}`
}

function digestOf(...parts: (string | number)[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64')
}
