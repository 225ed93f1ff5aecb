import type { JournalRecipient, NewDelivery } from '../src/sending/journal/new-delivery.ts'

/** A message at the door that is about to be sent to these recipients. */
export function newDelivery(recipients: readonly JournalRecipient[]): NewDelivery {
  return {
    source: 'smtp',
    caller: 'tests',
    emailId: null,
    contactId: null,
    sendingId: null,
    sender: 'a@b.test',
    recipients,
    transportId: null,
    transport: 'default',
    messageId: null,
    requestHash: null,
    trace: [],
  }
}
