import { hash } from 'node:crypto'
import { emailKey } from '../../kit/normalize-for-search.ts'
import {
  decodeValue,
  type MessageHead,
  type RelayedMessage,
  readMessage,
  readRendered,
  storedSubject,
} from '../../messages/index.ts'
import type { Submission } from './submission.ts'

/** A submission that was read, and the keys of its recipients. */
export interface ReadSubmission {
  readonly submission: Submission
  readonly message: RelayedMessage
  /** Null if it has none. */
  readonly subject: string | null
  readonly keysOf: MessageKeys
}

export function readSubmission(submission: Submission): ReadSubmission {
  const { chunks, rendered } = submission
  const message = rendered === undefined ? readMessage(chunks) : readRendered(chunks, rendered)
  const { subject = subjectOf(message) } = submission
  return { submission, message, subject, keysOf: createMessageKeys(message, submission) }
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
  { head, fingerprint, contentDigest }: RelayedMessage,
  { submitter, sender, rendered }: Submission,
): MessageKeys {
  if (rendered !== undefined) return () => ({ messageKey: rendered.messageKey, bulkKey: null })
  const { messageId, emailId, transport = '', isBulk } = head
  const callerKey = submitter.key
  const id = messageId === undefined ? `bytes ${fingerprint()}` : `id ${messageId}`
  const isBulkEmail = isBulk && emailId !== undefined
  const addressee = addresseeOf(head)
  const content = isBulkEmail ? contentDigest() : ''
  return (address) => {
    const recipient = emailKey(address)
    return {
      messageKey: keyOf('message', callerKey, sender, recipient, id),
      bulkKey: isBulkEmail
        ? keyOf('bulk', callerKey, emailId, transport, recipient, addressee, content)
        : null,
    }
  }
}

/** Returns the contact or address that a message is written to; a Bcc recipient is another address. */
export function addresseeOf({ contactId, to = '' }: Pick<MessageHead, 'contactId' | 'to'>): string {
  return contactId === undefined ? `to ${emailKey(to)}` : `contact ${contactId}`
}

function keyOf(...parts: (string | number)[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64')
}
