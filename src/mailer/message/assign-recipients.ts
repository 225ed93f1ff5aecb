import type { Mailbox } from './parsed-message.ts'

interface Recipients {
  readonly to: Mailbox[]
  readonly cc: Mailbox[]
  readonly bcc: Mailbox[]
}

/**
 * Divides the envelope's recipients by where the header shows them. An API sends to whom its fields
 * name, so whoever is in the header only must not get into them. APIs want a `to`; where none of its
 * mailboxes is in the envelope, the first recipient takes the place.
 */
export function assignRecipients(
  envelope: readonly string[],
  header: { readonly to: readonly Mailbox[]; readonly cc: readonly Mailbox[] },
): Recipients {
  const left = new Map(envelope.map((address) => [normal(address), address]))
  const take = (mailboxes: readonly Mailbox[]) =>
    mailboxes.flatMap(({ name, address }) => {
      const own = left.get(normal(address))
      left.delete(normal(address))
      return own === undefined ? [] : [{ name, address: own }]
    })
  const to = take(header.to)
  const cc = take(header.cc)
  const bcc = [...left.values()].map((address) => ({ name: '', address }))
  if (to.length > 0) return { to, cc, bcc }
  return cc.length > 0
    ? { to: cc.slice(0, 1), cc: cc.slice(1), bcc }
    : { to: bcc.slice(0, 1), cc, bcc: bcc.slice(1) }
}

function normal(address: string): string {
  return address.trim().toLowerCase()
}
