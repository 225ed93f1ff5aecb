/**
 * What receivers answer who do not believe the sender: the same codes and words as those of the mailer, which the console
 * does not contain. A test compares both.
 *
 * @see https://support.google.com/a/answer/3221692: Gmail SMTP errors and codes.
 */
const unbelieved =
  /\b[45]\.7\.(?:2[0-4]|26|27|30|32|40|509|515)(?!\d)|\bspf\b|dkim|dmarc|unauthenticated (?:mail|email)/i

/** Whether a receiver refused a message because of SPF, DKIM or DMARC. */
export function refusesSender(reply: string): boolean {
  return unbelieved.test(reply)
}
