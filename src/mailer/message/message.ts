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

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const unsafe = /[\u0000-\u0020\u007f<>\ufffd]/
/** Characters that end the host of a URL: `joe@bücher.example/x` would be sent to bücher.example. */
const unsafeInDomain = /[/\\?#%]|^[^[]*:/
const addressBytesMax = 320

/**
 * Checks whether mail can be sent to an address. It has a local part and a domain in at most 320 bytes. It has no space
 * or control character, which could inject a command, and no `-` at the start, which a sendmail command would read
 * as an option. Its domain has no character that ends the host of a URL.
 * @example
 * ```ts
 * isMailAddress('jane@example.net') // true
 * isMailAddress('jane@example.net\r\nDATA') // false
 * ```
 */
export function isMailAddress(address: string): boolean {
  const at = address.lastIndexOf('@')
  return (
    at > 0 &&
    at < address.length - 1 &&
    Buffer.byteLength(address) <= addressBytesMax &&
    !address.startsWith('-') &&
    !unsafe.test(address) &&
    !unsafeInDomain.test(address.slice(at + 1))
  )
}
