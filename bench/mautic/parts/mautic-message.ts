import { readMauticMessages } from '../../../test/mautic-messages.ts'

/** The email of all messages. */
export const emailId = 17

/** The tracking hash of the message to a contact. */
export function hashOf(contactId: number): string {
  return contactId.toString(16).padStart(22, '0')
}

const recorded = readMauticMessages().find(({ name }) => name === 'segment-ascii-1')
const ownHeaders = /^X-(?:EMAIL|Contact|Owner)-Id:.*\r?\n/gim

/** A recorded message of a segment, to another contact. Without its ids, only the tracking hash identifies it. */
export function messageTo(address: string, contactId: number): string {
  if (recorded === undefined) throw new Error('The message was not recorded.')
  return recorded.message
    .toString('latin1')
    .replaceAll(ownHeaders, '')
    .replaceAll('contact2@rcpt.test', address)
    .replaceAll('6b00ef2e054ce403229562', hashOf(contactId))
    .replace(/6b00e=\r?\nf2e054ce403229562/, hashOf(contactId))
    .replace(/^Message-ID: <\w+@/m, `Message-ID: <${hashOf(contactId)}.${address.length}@`)
}
