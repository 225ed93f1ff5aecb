import { ask, type Schema } from '../lib/api.ts'

/** The API returns no more at once; a domain may have many subdomains, which match its name too. */
const limit = 1_000

/** Finds a From domain that is in use, as the list of senders has it; undefined for one that nothing uses. */
export async function findSender(
  domain: string,
  signal: AbortSignal,
): Promise<Schema<'ListedSender'> | undefined> {
  const query = { search: domain, limit }
  const { body } = await ask('GET', '/api/senders', { query, signal, isBackground: true })
  return body.senders.find((sender) => sender.domain === domain)
}
