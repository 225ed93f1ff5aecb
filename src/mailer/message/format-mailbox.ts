import type { Mailbox } from './parsed-message.ts'

/** A mailbox as a header writes it, not encoded: `"Doe, Jane" <jane@example.com>`. */
export function formatMailbox({ name, address }: Mailbox): string {
  if (name === '') return address
  const isPlain = /^[\p{L}\p{N} !#$%&'*+/=?^_`{|}~-]+$/u.test(name)
  return `${isPlain ? name : `"${name.replace(/[\\"]/g, '\\$&')}"`} <${address}>`
}

/** Mailboxes separated by commas. */
export function formatMailboxes(mailboxes: readonly Mailbox[]): string {
  return mailboxes.map(formatMailbox).join(', ')
}
