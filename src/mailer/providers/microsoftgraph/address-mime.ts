import { addressParser } from 'postal-mime'
import { encodeWords } from '../../message/encode-words.ts'
import { formatMailbox } from '../../message/format-mailbox.ts'
import type { Message } from '../../message/message.ts'
import type { Mailbox } from '../../message/parsed-message.ts'
import { readHeaders } from '../../message/read-headers.ts'

/**
 * The bytes of a message with exactly the envelope's recipients in its header, for an API that reads
 * them there: who is not in the envelope leaves To and Cc, and whom neither shows is in Bcc, which
 * Exchange takes out as it sends. To and Cc stay byte for byte where they name nobody else.
 */
export function addressMime({ envelope, raw }: Message): Uint8Array {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  const wanted = new Set(envelope.to.map(normal))
  const shown = { to: mailboxesOf(bytes, 'to'), cc: mailboxesOf(bytes, 'cc') }
  const isMeant = ({ address }: Mailbox) => wanted.has(normal(address))
  const isExact = [...shown.to, ...shown.cc].every(isMeant)
  const named = new Set([...shown.to, ...shown.cc].map(({ address }) => normal(address)))
  const hidden = envelope.to
    .filter((address) => !named.has(normal(address)))
    .map((address) => ({ name: '', address }))
  const lines = [
    ...(isExact ? [] : field('To', shown.to.filter(isMeant))),
    ...(isExact ? [] : field('Cc', shown.cc.filter(isMeant))),
    ...field('Bcc', hidden),
  ]
  const kept = withoutFields(bytes, isExact ? /^bcc$/i : /^(to|cc|bcc)$/i)
  return Buffer.concat([Buffer.from(lines.join('')), kept])
}

function mailboxesOf(raw: Uint8Array, field: string): Mailbox[] {
  return readHeaders(raw)
    .filter(({ name }) => name.toLowerCase() === field)
    .flatMap(({ value }) => addressParser(value, { flatten: true }))
    .map(({ name, address }) => ({ name, address: address ?? '' }))
}

/** Takes fields with all of their lines out of the header section; the rest stays as it is. */
function withoutFields(bytes: Buffer, names: RegExp): Buffer {
  const end = bytes.indexOf('\r\n\r\n')
  // As Latin-1 every byte is one character, so that none changes.
  const section = bytes.subarray(0, end === -1 ? bytes.length : end + 2).toString('latin1')
  const kept = section
    .split(/(?<=\r\n)(?![ \t])/)
    .filter((one) => !names.test(one.slice(0, Math.max(0, one.indexOf(':'))).trim()))
  return Buffer.concat([Buffer.from(kept.join(''), 'latin1'), bytes.subarray(section.length)])
}

/** One mailbox a line; no field for nobody. */
function field(name: string, mailboxes: readonly Mailbox[]): string[] {
  if (mailboxes.length === 0) return []
  return [`${name}: ${mailboxes.map(encoded).join(',\r\n ')}\r\n`]
}

function encoded(mailbox: Mailbox): string {
  const words = encodeWords(mailbox.name)
  return words === mailbox.name ? formatMailbox(mailbox) : `${words} <${mailbox.address}>`
}

function normal(address: string): string {
  return address.trim().toLowerCase()
}
