import type { RenderedEmail } from './compose-email.ts'
import type { MessageLinks } from './links.ts'

const header = 'List-Unsubscribe'

/** Adds `List-Unsubscribe` (RFC 2369, section 3.2), unless the email has one of its own. */
export function addUnsubscribeHeader(
  email: RenderedEmail,
  links: MessageLinks | undefined,
): RenderedEmail {
  const hasOwn = Object.entries(email.headers).some(
    ([name, value]) => name.toLowerCase() === header.toLowerCase() && value.trim() !== '',
  )
  if (links === undefined || hasOwn) return email
  return { ...email, headers: { ...email.headers, [header]: `<${links.unsubscribe()}>` } }
}
