import { emailKey } from '../../kit/normalize-for-search.ts'
import { asObject, asText } from './client/read-answer.ts'
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

/** Whether a text may be an address that databases store. */
export function isAddress(text: string): boolean {
  return /^[^\s\0]{1,255}$/.test(text) && text.includes('@') && text.isWellFormed()
}

/** Returns the key by which lists, reports and suppressions compare an address. */
export function addressKeyOf(address: string): string {
  return emailKey(storable(address))
}
