import { type ContactRow, type Contacts, fieldValuesOf } from '../../contacts/index.ts'
import { AppError } from '../../kit/app-error.ts'
import type { Caller } from '../../kit/caller.ts'
import { ownOnly } from '../mautic-mail/own-only.ts'
import type { Mailbox } from './compose-email.ts'

/** A contact for templates and tokens: its fields by alias, its tags and its segments. */
export type ContactData = Readonly<Record<string, unknown>>

/** The variable `contact` of templates. Tags and segments are keyed by position, where Mautic keys them by id. */
export function contactDataOf(row: ContactRow): ContactData {
  return {
    ...fieldValuesOf(row),
    owner_id: row.owner_id,
    tags: keyed(JSON.parse(row.tags) as string[]),
    segments: keyed((JSON.parse(row.segments) as string[]).map((name) => ({ name, alias: name }))),
  }
}

/** Reads the contact that a preview is for. Throws an AppError: `forbidden`, `not_found`. */
export function createReadContactData(contacts: Pick<Contacts, 'getRow'>) {
  return async (id: number, caller: Caller): Promise<ContactData> => {
    checkContactPermission(caller)
    return contactDataOf(await contacts.getRow(id))
  }
}

function checkContactPermission(caller: Caller): void {
  if (caller.mautic !== undefined) throw ownOnly('Contact data of Mailyard')
  if (caller.can('contact:view')) return
  const message = 'You do not have permission to view contacts (contact:view).'
  throw new AppError('forbidden', 'contacts_forbidden', message)
}

/** The mailbox of a contact. */
export function contactMailbox({ email, firstname, lastname }: ContactData): Mailbox {
  const name = [firstname, lastname].filter((part) => typeof part === 'string').join(' ')
  return { address: typeof email === 'string' ? email : '', name: name.trim() }
}

/** The data of a recipient who is not a contact. */
export function strangerData(email: string): ContactData {
  return { id: null, email, tags: {}, segments: {} }
}

function keyed<T>(values: readonly T[]): Record<string, T> {
  return Object.fromEntries(values.map((value, index) => [String(index + 1), value]))
}
