import type { LoggedRecipient, NewDelivery } from '../src/core/delivery/log/start-attempts.ts'

/** A message from the SMTP server that is about to be sent to these recipients. */
export function newDelivery(recipients: readonly LoggedRecipient[]): NewDelivery {
  return {
    source: 'smtp',
    caller: 'tests',
    brand: 0,
    emailId: null,
    contactId: null,
    sender: 'a@b.test',
    recipients,
    transportId: null,
    transport: 'default',
    messageId: null,
    subject: null,
    requestHash: null,
    trace: [],
  }
}
