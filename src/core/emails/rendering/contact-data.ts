import { AppError } from '../../../kit/app-error.ts'
import type { Caller } from '../../../kit/caller.ts'
import { type MaybePromise, mapMaybe } from '../../../kit/maybe-promise.ts'
import type { AuthTables } from '../../../platform/auth/index.ts'
import { createLookUp, type Storage } from '../../../platform/storage/index.ts'
import { type ContactRow, type Contacts, fieldValuesOf } from '../../contacts/index.ts'
import type { Mailbox } from './compose-email.ts'

/** A contact for templates and tokens: its fields by alias, its owner and its tags. */
export type ContactData = Readonly<Record<string, unknown>>

/** The user who owns a contact, as templates show them. */
interface OwnerData {
  id: number
  username: string
  firstName: string
  lastName: string
  email: string
}

/** Reads a contact for templates, with its owner. */
export type ReadContact = (row: ContactRow) => MaybePromise<ContactData>

export function openReadContact(storage: Storage): ReadContact {
  const db = storage.tables<AuthTables>()
  const findOwner = createLookUp(storage, ({ id }: { id: number }) =>
    db
      .selectFrom('users')
      .select(['id', 'username', 'first_name as firstName', 'last_name as lastName', 'email'])
      .where('id', '=', id),
  )
  return (row) => {
    const owner = row.owner_id === null ? undefined : findOwner({ id: row.owner_id })
    return mapMaybe(owner, (found) => contactDataOf(row, found))
  }
}

/** The variable `contact` of templates. Tags are keyed by position, where Mautic keys them by id; segments are Mautic's only. */
function contactDataOf(row: ContactRow, owner: OwnerData | undefined): ContactData {
  const tags = JSON.parse(row.tags) as string[]
  return {
    ...fieldValuesOf(row),
    owner_id: row.owner_id,
    owner: owner ?? null,
    tags: Object.fromEntries(tags.map((tag, index) => [String(index + 1), tag])),
    segments: {},
  }
}

/** Reads the contact that a preview is for. Throws an AppError: `forbidden`, `not_found`. */
export function createReadContactData(
  contacts: Pick<Contacts, 'getRow'>,
  readContact: ReadContact,
) {
  return async (id: number, caller: Caller): Promise<ContactData> => {
    checkContactPermission(caller)
    return readContact(await contacts.getRow(id, caller))
  }
}

function checkContactPermission(caller: Caller): void {
  if (caller.can('contact:view')) return
  const message = 'You do not have permission to view contacts (contact:view).'
  throw new AppError('forbidden', 'contacts_forbidden', message)
}

export function contactMailbox({ email, firstname, lastname }: ContactData): Mailbox {
  const name = [firstname, lastname].filter((part) => typeof part === 'string').join(' ')
  return { address: typeof email === 'string' ? email : '', name: name.trim() }
}

/** The data of a recipient who is not a contact. */
export function strangerData(email: string): ContactData {
  return { id: null, email, owner_id: null, owner: null, tags: {}, segments: {} }
}
