import { encodeWord } from 'nodemailer/lib/mime-funcs'
import { addressParser } from 'postal-mime'
import { quotedLocalPart } from '../../../kit/email-address.ts'
import type { Mailbox } from './parse-message.ts'

/**
 * One header field, unfolded. Encoded words in its value are not decoded.
 * @example
 * ```ts
 * const header: RawHeader = { name: 'Subject', value: '=?UTF-8?B?R3LDvMOfZQ==?=' }
 * ```
 */
export interface RawHeader {
  readonly name: string
  readonly value: string
}

/**
 * Reads the header fields of a message without parsing its body.
 * @example
 * ```ts
 * const raw = new TextEncoder().encode('Subject: Hello\r\n\r\nHello Jane!')
 * readHeaders(raw) // [{ name: 'Subject', value: 'Hello' }]
 * ```
 */
export function readHeaders(raw: Uint8Array): RawHeader[] {
  const section = headerSection(raw)
  const headers: RawHeader[] = []
  for (const line of section.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const colon = line.indexOf(':')
    if (colon > 0)
      headers.push({ name: line.slice(0, colon).trim(), value: line.slice(colon + 1).trim() })
  }
  return headers
}

const lineFeed = 0x0a
/** The longest value that is read of either: a parser of addresses needs seconds for a megabyte. */
const senderLengthMax = 4_096
/** The first letters of From and Sender, in lower case. */
const firstLetters = new Set([0x66, 0x73])

/**
 * Reads Sender and From line by line: reading all fields took a tenth of the time that a message takes.
 * An absent field is ''.
 */
export function readSenderFields(raw: Uint8Array): { sender: string; from: string } {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  const fields = { sender: '', from: '' }
  let current: keyof typeof fields | undefined
  for (let start = 0; start < bytes.length; ) {
    const next = bytes.indexOf(lineFeed, start)
    const end = next === -1 ? bytes.length : next
    const first = bytes[start] ?? 0
    if (end === start || (end === start + 1 && first === 0x0d)) break
    const isFolded = first === 0x20 || first === 0x09
    if (isFolded && current !== undefined && fields[current].length < senderLengthMax)
      fields[current] += ` ${bytes.toString('utf8', start, end).trim()}`
    if (!isFolded) current = undefined
    if (firstLetters.has(first | 0x20)) {
      const line = bytes.toString('utf8', start, end)
      const colon = line.indexOf(':')
      const name = line.slice(0, colon).trim().toLowerCase()
      if ((name === 'from' || name === 'sender') && fields[name] === '') {
        current = name
        fields[name] = line.slice(colon + 1).trim()
      }
    }
    start = end + 1
  }
  return {
    sender: fields.sender.slice(0, senderLengthMax),
    from: fields.from.slice(0, senderLengthMax),
  }
}

/** A field with one mailbox, as most are, needs no parser. */
const oneMailbox = /^[^<>,;:"()\\]*<([^<>,;:"()\\\s]+)>$/
/** The parser leaves out the quotes of a local part. */
const quotedMailbox = new RegExp(`^(?:[^<>",;:]*<)?(${quotedLocalPart}@[^<>",;:()\\s]+)>?$`)

/**
 * Returns the addresses of a field such as From, those in groups too; '' for one that has a name only.
 * @param value At most a few kilobytes: the parser needs seconds for a megabyte.
 */
export function readAddresses(value: string): string[] {
  if (value === '') return []
  const [, only] = oneMailbox.exec(value) ?? quotedMailbox.exec(value) ?? []
  if (only !== undefined) return [only]
  return addressParser(value, { flatten: true }).map(({ address = '' }) => address)
}

function headerSection(raw: Uint8Array): string {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  let section = bytes
  for (const blank of ['\r\n\r\n', '\n\n']) {
    const end = section.indexOf(blank)
    if (end !== -1) section = section.subarray(0, end)
  }
  return section.toString('utf8')
}

/** Returns the header lines of `headers` that the message lacks, each with its CRLF. */
export function missingHeaders(
  raw: Uint8Array,
  headers: readonly (readonly [name: string, value: string])[],
): string {
  const present = new Set(readHeaders(raw).map(({ name }) => name.toLowerCase()))
  return headers
    .filter(([name]) => !present.has(name.toLowerCase()))
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
}

/**
 * The length of the longest encoded word.
 * @see RFC 2047, section 2
 */
const wordLengthMax = 75

/**
 * Encodes a text for a header: printable ASCII stays as it is, other text becomes encoded words. A line end is encoded
 * too, so that it cannot end the header.
 * @see RFC 2047
 */
export function encodeWords(text: string): string {
  const isPlain = /^[\u0020-\u007e]*$/.test(text) && !text.includes('=?')
  return isPlain ? text : encodedWords(text)
}

/** Encodes a text as encoded words, even if it is ASCII. */
export function encodedWords(text: string): string {
  return encodeWord(text, 'B', wordLengthMax)
}

/** Formats a mailbox as `"Doe, Jane" <jane@example.com>`, without encoded words. */
export function formatMailbox({ name, address }: Mailbox): string {
  if (name === '') return address
  const isPlain = /^[\p{L}\p{N} !#$%&'*+/=?^_`{|}~-]+$/u.test(name)
  return `${isPlain ? name : `"${name.replace(/[\\"]/g, '\\$&')}"`} <${address}>`
}

/** Formats mailboxes, separated by commas. */
export function formatMailboxes(mailboxes: readonly Mailbox[]): string {
  return mailboxes.map(formatMailbox).join(', ')
}
