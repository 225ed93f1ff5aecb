import { quotedLocalPart } from '../../../kit/email-address.ts'

/**
 * The sender and the recipients of a message, independent of its header.
 * @see RFC 5321, section 2.3.1
 * @example
 * ```ts
 * const envelope: Envelope = { from: 'bounces@example.com', to: ['jane@example.net'] }
 * ```
 */
export interface Envelope {
  /** The return path; '' is the null sender of bounces. */
  readonly from: string
  readonly to: readonly string[]
}

/**
 * A message that is ready to be sent.
 * @example
 * ```ts
 * const message: Message = {
 *   envelope: { from: 'shop@example.com', to: ['jane@example.net'] },
 *   raw: new TextEncoder().encode('From: shop@example.com\r\nSubject: Hello\r\n\r\nHello Jane!\r\n'),
 * }
 * ```
 */
export interface Message {
  readonly envelope: Envelope
  /**
   * The message in the format of RFC 5322, without dot-stuffing. Line ends are CRLF; a lone CR or LF is sent as CRLF,
   * because servers differ in how they read it. Nothing else is changed.
   */
  readonly raw: Uint8Array
}

const quoted = new RegExp(`^${quotedLocalPart}$`)
/** What could inject a command, or end the address where it stands in a list. */
const unsafe = /[\p{Cc}\s",;<>@\\\ufffd]/u
/** Those too that end the host of a URL: `joe@bücher.example/x` would be sent to bücher.example. */
const unsafeInDomain = /[\p{Cc}\s",;<>@\\\ufffd/?#%]|^[^[]*:/u
const addressBytesMax = 320

/**
 * Checks whether mail can be sent to an address. It has a local part and a domain in at most 320 bytes. Only a quoted local
 * part (RFC 5321, section 4.1.2) has spaces or separators. No address has a control character, or a `-` at the start,
 * which a sendmail command would read as an option. Its domain has no character that ends the host of a URL.
 * @example
 * ```ts
 * isMailAddress('jane@example.net') // true
 * isMailAddress('"jane doe"@example.net') // true
 * isMailAddress('jane@example.net\r\nDATA') // false
 * ```
 */
export function isMailAddress(address: string): boolean {
  const at = address.lastIndexOf('@')
  const [local, domain] = [address.slice(0, at), address.slice(at + 1)]
  return (
    at > 0 &&
    domain !== '' &&
    Buffer.byteLength(address) <= addressBytesMax &&
    (quoted.test(local) || (!local.startsWith('-') && !unsafe.test(local))) &&
    !unsafeInDomain.test(domain)
  )
}
