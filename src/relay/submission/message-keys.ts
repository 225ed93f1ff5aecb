import { hash } from 'node:crypto'
import type { Caller } from '../../kit/caller.ts'
import { emailKey } from '../../kit/email-key.ts'
import type { MessageHead, RelayedMessage } from '../message/index.ts'

/** What a message is known by when it is handed in again, for each of its recipients. */
export type MessageKeys = (address: string) => { messageKey: string; bulkKey: string | null }

/**
 * The same message has the same caller, sender, recipient and Message-ID; without one, the same bytes, until some while after
 * its sender was acknowledged (see `Acknowledgements`).
 * The same bulk email has the same caller, X-EMAIL-ID, X-Mailyard-Transport, recipient and addressee, so that a Bcc
 * gets each contact's, and the same content: a reinstalled Mautic starts its numbers again.
 */
export function createMessageKeys(
  {
    head,
    fingerprint,
    contentDigest,
  }: Pick<RelayedMessage, 'head' | 'fingerprint' | 'contentDigest'>,
  { caller, sender }: { caller: Caller; sender: string },
): MessageKeys {
  const { messageId, emailId, transport = '', isBulk } = head
  const who = callerKey(caller)
  const id = messageId === undefined ? `bytes ${fingerprint()}` : `id ${messageId}`
  const isRecognised = isBulk && emailId !== undefined
  const addressee = addresseeOf(head)
  const content = isRecognised ? contentDigest() : ''
  return (address) => {
    const recipient = emailKey(address)
    return {
      messageKey: keyOf('message', who, sender, recipient, id),
      bulkKey: isRecognised
        ? keyOf('bulk', who, emailId, transport, recipient, addressee, content)
        : null,
    }
  }
}

/** Whom an email is written to, whoever else gets a copy of it. */
export function addresseeOf({ contactId, to = '' }: Pick<MessageHead, 'contactId' | 'to'>): string {
  return contactId === undefined ? `to ${emailKey(to)}` : `contact ${contactId}`
}

/** A caller's messages are his own, whatever he is called by now. */
export function callerKey({ userId, clientId }: Caller): string {
  return userId === undefined ? `client ${clientId}` : `user ${userId}`
}

function keyOf(...parts: (string | number)[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64')
}
