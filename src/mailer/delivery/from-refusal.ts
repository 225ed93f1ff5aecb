/**
 * The enhanced status codes of messages whose From domain is not authenticated, also temporary ones.
 * @see RFC 7372, section 3
 * @see https://support.google.com/a/answer/3726730 (5.7.26, 5.7.27, 5.7.30, 5.7.32, 5.7.40)
 * @see https://learn.microsoft.com/exchange/mail-flow-best-practices/non-delivery-reports-in-exchange-online (5.7.509)
 */
const codePattern = /\b[45]\.7\.(2[0-4]|26|27|30|32|40|509|515)(?!\d)/

const wordPattern = /\bspf\b|dkim|dmarc|unauthenticated (mail|email)/i

/** What to do about such a refusal. */
export const fromRefusalHint =
  'The server does not accept the From domain: set up SPF, DKIM and DMARC for it. Its page in Mailyard (Senders) shows what was found, and the records to publish.'

/**
 * Whether a server refuses a message because of SPF, DKIM or DMARC of its From domain, as Outlook.com with 5.7.515 and
 * Gmail with 5.7.26.
 * @param text The reply with its codes, or what a bounce quotes of it.
 * @example
 * ```ts
 * refusesFromDomain('550 5.7.515 Access denied, sending domain example.com does not meet …') // true
 * refusesFromDomain('550 5.1.1 No such user') // false
 * ```
 */
export function refusesFromDomain(text: string): boolean {
  return codePattern.test(text) || wordPattern.test(text)
}
