import type { Transaction } from 'kysely'
import { validationError } from '../http/index.ts'
import { faultsOf } from '../kit/app-error.ts'
import type { Clock } from '../kit/clock.ts'
import { emailKey } from '../kit/email-key.ts'
import { fold } from '../kit/fold.ts'
import { openRecords, type Records, type Storage } from '../storage/index.ts'
import { contactFieldAliases } from './contact-fields.ts'
import { addressTaken, contactNotFound, tooMany } from './errors.ts'
import { type ContactOwner, presentContact } from './present-contact.ts'
import {
  type ContactInput,
  type ContactItem,
  contactListFields,
  segmentsMax,
  tagsMax,
} from './schema.ts'
import type { ContactRow, ContactTables } from './table.ts'

/** How many rows one statement inserts. */
const segmentsAtOnce = 5_000

export type Contacts = Records<ContactRow, ContactItem, ContactInput>

/** What contacts are opened with. */
export interface ContactsOptions {
  storage: Storage
  clock: Clock
  /** The users with these ids, as far as there are such. Within a transaction it must be asked, and not another connection. */
  findOwners: (ids: readonly number[], tx?: Transaction<object>) => Promise<ContactOwner[]>
}

/** The contacts, as much of Mautic's as sending needs. */
export function openContacts({ storage, clock, findOwners }: ContactsOptions): Contacts {
  const present = async (rows: readonly ContactRow[]) => {
    const owners = await findOwners(ownerIds(rows))
    const byId = new Map(owners.map((owner) => [owner.id, owner]))
    return rows.map((row) => presentContact(row, byId.get(row.owner_id ?? 0)))
  }
  const checkOwner = async (id: number | null | undefined, tx?: Transaction<object>) => {
    if (id === null || id === undefined || (await findOwners([id], tx)).length > 0) return
    throw validationError({ owner: [`names no user: there is none with the id ${id}`] })
  }
  return openRecords<ContactRow, ContactItem, ContactInput>(storage, clock, {
    table: 'contacts',
    nameColumn: 'email',
    fields: contactListFields,
    area: 'contact',
    largeColumns: ['field_values', 'tags', 'segments'],
    notFound: contactNotFound,
    present,
    findFaults: async ({ owner }) =>
      Number.isSafeInteger(owner) ? faultsOf(() => checkOwner(owner as number)) : {},
    identity: {
      column: 'email_key',
      of: ({ email }) => (email?.trim() ? emailKey(email.trim()) : null),
      taken: addressTaken,
      merge: addSegments,
    },
    toInput,
    prepare: ({ input, current, mode }) => ({
      columns: toColumns(input, mode === 'patch' ? current : undefined),
    }),
    begin: ({ tx }) => ({
      async beforeWrite({ columns, current }) {
        if (columns.owner_id !== current?.owner_id) await checkOwner(columns.owner_id, tx)
      },
      async afterWrite(rows, _inputs, before) {
        // To write them is most of the work of an edit.
        if (before !== undefined && rows[0]?.segments === before.segments) return
        await writeSegments(tx.withTables<ContactTables>(), rows)
      },
    }),
  })
}

function ownerIds(rows: readonly ContactRow[]): number[] {
  return [...new Set(rows.flatMap((row) => row.owner_id ?? []))]
}

function toInput(row: ContactRow): ContactInput {
  return {
    ...(JSON.parse(row.field_values) as ContactInput),
    email: row.email,
    points: row.points,
    owner: row.owner_id,
    segments: JSON.parse(row.segments) as string[],
    isPublished: Boolean(row.is_published),
  }
}

/** Tags are added to those of `current`. */
function toColumns(input: ContactInput, current: ContactRow | undefined) {
  const values = contactFieldAliases.flatMap((alias) => {
    const value = input[alias]
    return value === undefined || value === null || value === '' ? [] : [[alias, value]]
  })
  const email = input.email?.trim() || null
  const company = input.company ?? ''
  return {
    email,
    email_key: email === null ? null : emailKey(email),
    owner_id: input.owner ?? null,
    points: input.points ?? 0,
    field_values: JSON.stringify(Object.fromEntries(values)),
    tags: JSON.stringify(changeTags(current, input.tags)),
    segments: JSON.stringify([...new Set(input.segments ?? [])]),
    is_published: input.isPublished ?? true,
    search_text: fold(input.firstname, input.lastname, email, company),
  }
}

/** Creating a contact that exists takes it out of no segment. */
function addSegments(input: ContactInput, current: ContactRow): ContactInput {
  if (input.segments === undefined) return input
  const before = JSON.parse(current.segments) as string[]
  const segments = [...new Set([...before, ...input.segments])]
  if (segments.length > Math.max(segmentsMax, before.length)) {
    throw tooMany('segments', segments.length, segmentsMax)
  }
  return { ...input, segments }
}

/** A contact with more than the limit, of an older database, may keep and remove them. */
function changeTags(current: ContactRow | undefined, given: readonly string[] = []): string[] {
  const before = current === undefined ? [] : (JSON.parse(current.tags) as string[])
  const tags = new Set(before)
  for (const tag of given) {
    if (tag.startsWith('-')) tags.delete(tag.slice(1))
    else tags.add(tag)
  }
  if (tags.size > Math.max(tagsMax, before.length)) throw tooMany('tags', tags.size, tagsMax)
  return [...tags]
}

/** Segments stand in the contact for reading, and in a table of their own for finding who is in one. */
async function writeSegments(
  tx: Transaction<ContactTables>,
  rows: readonly ContactRow[],
): Promise<void> {
  // One that is new is in none; and PostgreSQL would look for them in all of a table that it does not know.
  const changed = rows.filter(({ revision }) => revision > 1).map(({ id }) => id)
  if (changed.length > 0)
    await tx.deleteFrom('contact_segments').where('contact_id', 'in', changed).execute()
  const members = rows.flatMap(({ id, segments }) =>
    (JSON.parse(segments) as string[]).map((segment) => ({ segment, contact_id: id })),
  )
  for (let start = 0; start < members.length; start += segmentsAtOnce) {
    const values = members.slice(start, start + segmentsAtOnce)
    await tx.insertInto('contact_segments').values(values).execute()
  }
}
