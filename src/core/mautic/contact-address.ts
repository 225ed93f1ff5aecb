import { emailKey } from '../../kit/normalize-for-search.ts'
import {
  asCount,
  asObject,
  asText,
  type Condition,
  listOf,
  type MauticClient,
  type MauticRequestOptions,
  where,
} from '../mautic-client/index.ts'
import { storable } from './mirror/mirror-records.ts'

/** Returns the address of a contact as Mautic's API shows it; empty if it has none. */
export function contactAddress(contact: unknown): string {
  // Administrators may move the field to another group.
  for (const group of Object.values(asObject(asObject(contact)['fields']))) {
    const { value } = asObject(asObject(group)['email'])
    const address = asText(value).trim()
    if (address !== '') return address
  }
  return ''
}

/** Lists the contacts that meet a condition, with their addresses. Throws a MauticError, also for an answer without a list. */
export async function listAddresses(
  client: Pick<MauticClient, 'get'>,
  { condition, limit }: { condition: Condition; limit: number },
  options: MauticRequestOptions,
): Promise<{ id: number; address: string }[]> {
  const query = { minimal: 1, limit, ...where(condition) }
  // Without a list, none of them would have an address, and none would be suppressed.
  const contacts = listOf(await client.get('/api/contacts', query, options), 'contacts')
  return contacts.flatMap((contact) => {
    const id = asCount(asObject(contact)['id'])
    return id === undefined ? [] : [{ id, address: contactAddress(contact) }]
  })
}

/** Whether a text may be an address that databases store. */
export function isAddress(text: string): boolean {
  return /^[^\s\0]{1,255}$/.test(text) && text.includes('@') && text.isWellFormed()
}

/** Returns the key by which lists, reports and suppressions compare an address. */
export function addressKeyOf(address: string): string {
  return emailKey(storable(address))
}
