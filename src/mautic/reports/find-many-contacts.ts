import { emailKey } from '../../kit/normalize-for-search.ts'
import type { MauticClient } from '../client/mautic-client.ts'
import { asCount, asList, asObject } from '../client/read-answer.ts'
import { contactAddress } from '../contact-address.ts'
import type { MauticReportRow } from '../table.ts'
import type { ReportStore } from './report-store.ts'

const reportsMax = 100
const contactsMax = 300
/** Servers limit the length of a URL, mostly to 8,000 bytes. */
const addressesBytesMax = 4_000

/**
 * Finds the contacts of many reports of suppressions with one request, and deletes the reports of addresses that no contact
 * has: an import may add 100,000.
 *
 * @returns For how many reports that is known now.
 * @throws {MauticError}
 */
export async function findManyContacts(
  client: MauticClient,
  store: Pick<ReportStore, 'listUnidentified' | 'identify' | 'removeNeedless'>,
  { mauticId, now, signal }: { mauticId: number; now: number; signal: AbortSignal },
): Promise<number> {
  const reports = fitting(await store.listUnidentified(mauticId, { now, limit: reportsMax }))
  if (reports.length < 2) return 0
  const addresses = reports.map(({ address }) => address).join(',')
  const where = { 'where[0][col]': 'email', 'where[0][expr]': 'in', 'where[0][val]': addresses }
  const query = { minimal: 1, limit: contactsMax, ...where }
  const { contacts } = asObject(await client.get('/api/contacts', query, { signal }))
  const found = asList(contacts)
  // There may be more of them.
  if (found.length >= contactsMax) return 0
  const byAddress = Map.groupBy(found, (contact) => emailKey(contactAddress(contact)))
  const unknown = reports.filter(({ address_key: key }) => !byAddress.has(key))
  await store.removeNeedless(unknown.map(({ id }) => id))
  let identified = 0
  for (const { id, address_key: key } of reports) {
    const [contact, ...others] = byAddress.get(key) ?? []
    const contactId = asCount(asObject(contact)['id'])
    if (contactId === undefined || others.length > 0) continue
    await store.identify(id, contactId)
    identified += 1
  }
  return unknown.length + identified
}

/** Returns the first reports whose addresses fit into a URL. A comma separates addresses. */
function fitting(reports: readonly MauticReportRow[]): MauticReportRow[] {
  let bytes = 0
  return reports.filter(({ address }) => {
    const size = encodeURIComponent(address).length + 3
    if (address.includes(',') || bytes + size > addressesBytesMax) return false
    bytes += size
    return true
  })
}
