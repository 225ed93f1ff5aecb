import type { Mailbox } from '../message/parsed-message.ts'

/** A mailbox as most APIs write it; one without a name has no `name`. */
export function emailName({ name, address }: Mailbox): { email: string; name?: string } {
  return name === '' ? { email: address } : { email: address, name }
}

/** Mailboxes as most APIs write them; undefined for none, so that the member is left out. */
export function emailNames(mailboxes: readonly Mailbox[]): { email: string }[] | undefined {
  return mailboxes.length === 0 ? undefined : mailboxes.map(emailName)
}
