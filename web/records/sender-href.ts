import { withQuery } from '../lib/api.ts'

/**
 * The path of the screen of a From domain.
 * @param transport The id of a transport that the screen shows even if it does not send the domain; 0: the default.
 */
export function senderHref(domain: string, transport?: number): string {
  return withQuery(`/senders/${encodeURIComponent(domain)}`, { transport })
}
