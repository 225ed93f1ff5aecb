import type { RenderedEmail } from './compose-email.ts'
import type { Links, MessageLinks } from './links.ts'

const header = 'List-Unsubscribe'

/** Whether an email has a `List-Unsubscribe` of its own, which is used instead of Mailyard's. */
function hasOwnUnsubscribe(headers: Readonly<Record<string, string>>): boolean {
  return Object.entries(headers).some(
    ([name, value]) => name.toLowerCase() === header.toLowerCase() && value.trim() !== '',
  )
}

const withoutUrl =
  'The messages have no List-Unsubscribe header, because MAILYARD_PUBLIC_URL is not set. Large providers want it in bulk email.'
const withoutHttps =
  'Mail programs cannot unsubscribe with one click, because MAILYARD_PUBLIC_URL does not begin with https.'

/** What the messages of a broadcast lack. */
export function warnOfLinks(
  headers: Readonly<Record<string, string>>,
  links: Links | undefined,
): string[] {
  if (hasOwnUnsubscribe(headers)) return []
  if (links === undefined) return [withoutUrl]
  return links.isOneClick ? [] : [withoutHttps]
}

/**
 * Adds `List-Unsubscribe` (RFC 2369, section 3.2), and `List-Unsubscribe-Post` (RFC 8058, section 3.1) where a mail program
 * may unsubscribe by itself.
 */
export function addUnsubscribeHeaders(
  email: RenderedEmail,
  links: MessageLinks | undefined,
  { isOneClick }: { isOneClick: boolean },
): RenderedEmail {
  if (links === undefined || hasOwnUnsubscribe(email.headers)) return email
  const post = isOneClick ? { [`${header}-Post`]: `${header}=One-Click` } : {}
  return { ...email, headers: { ...email.headers, [header]: `<${links.unsubscribe()}>`, ...post } }
}
