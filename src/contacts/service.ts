import { type Kysely, sql, type Transaction } from 'kysely'
import { validationError } from '../http/index.ts'
import { AppError, faultsOf } from '../kit/app-error.ts'
import type { Clock } from '../kit/clock.ts'
import { emailKey, searchTextOf } from '../kit/normalize-for-search.ts'
import {
  type Consequence,
  type DeletedRecords,
  openResource,
  type Resource,
  type RestoredItem,
} from '../resource/index.ts'
import { openRecordStore, type Storage } from '../storage/index.ts'
import { contactFieldAliases } from './contact-fields.ts'
import { type ContactOwner, presentContact } from './present-contact.ts'
import {
  type ContactInput,
  type ContactItem,
  contactListFields,
  segmentsMax,
  tagsMax,
} from './schema.ts'
import type { ContactRow, ContactTables } from './table.ts'

/** Rows in one insert. */
const segmentsPerBatch = 5_000

export type Contacts = Resource<ContactRow, ContactItem, ContactInput>

/** Options of `openContacts`. */
export interface ContactsOptions {
  storage: Storage
  clock: Clock
  /** Finds the users with these ids; in a transaction, through it. */
  findOwners: (ids: readonly number[], tx?: Transaction<object>) => Promise<ContactOwner[]>
  deleted: DeletedRecords
}

/** Opens the contacts, with the fields of Mautic's that sending needs. */
export function openContacts(options: ContactsOptions): Contacts {
  const { storage, clock, findOwners, deleted } = options
  const present = async (rows: readonly ContactRow[]) => {
    const owners = await findOwners(ownerIds(rows))
    const byId = new Map(owners.map((owner) => [owner.id, owner]))
    return rows.map((row) => presentContact(row, byId.get(row.owner_id ?? 0)))
  }
  const checkOwner = async (id: number | null | undefined, tx?: Transaction<object>) => {
    if (id === null || id === undefined || (await findOwners([id], tx)).length > 0) return
    throw validationError({ owner: [`names no user: there is none with the id ${id}`] })
  }
  const store = openRecordStore<ContactRow>(storage, {
    table: 'contacts',
    nameColumn: 'email',
    fields: {
      ...contactListFields,
      segments: { ...contactListFields.segments, idsOf: idsOfSegment },
    },
    identityColumn: 'email_key',
  })
  return openResource<ContactRow, ContactItem, ContactInput>({
    storage,
    clock,
    store,
    area: 'contact',
    largeColumns: ['field_values', 'tags', 'segments'],
    notFound: contactNotFound,
    identity: {
      name: 'email',
      of: ({ email }) => (email?.trim() ? emailKey(email.trim()) : null),
      taken: addressTaken,
      merge: addSegments,
    },
    findFaults: async ({ owner }) =>
      Number.isSafeInteger(owner) ? faultsOf(() => checkOwner(owner as number)) : {},
    toInput,
    prepare: ({ input, current, mode }) => ({
      columns: toColumns(input, mode === 'patch' ? current : undefined),
    }),
    async beforeWrite(tx, { columns, current }) {
      if (columns.owner_id !== current?.owner_id) await checkOwner(columns.owner_id, tx)
    },
    async afterWrite(tx, { rows, before }) {
      // Writing segments is most of the work of an edit.
      if (before !== undefined && rows[0]?.segments === before.segments) return
      await writeSegments(tx.withTables<ContactTables>(), rows)
    },
    deleted,
    beforeRestore: (tx, { row }) => checkRestoredOwner(tx, row, findOwners),
    afterRestore: restoreSegments,
    present,
  })
}

async function restoreSegments(
  tx: Transaction<object>,
  { row }: RestoredItem<ContactRow>,
): Promise<string[]> {
  await writeSegments(tx.withTables<ContactTables>(), [row])
  return []
}

async function checkRestoredOwner(
  tx: Transaction<object>,
  { owner_id: owner }: ContactRow,
  findOwners: ContactsOptions['findOwners'],
) {
  if (owner === null || (await findOwners([owner], tx)).length > 0) return undefined
  const warning = `User ${owner}, who owned the contact, is deleted. The contact has no owner now.`
  return { columns: { owner_id: null }, warnings: [warning] }
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
    tags: JSON.parse(row.tags) as string[],
    segments: JSON.parse(row.segments) as string[],
    isPublished: Boolean(row.is_published),
  }
}

/** The columns for the values of a contact. Tags are added to those of `current`. */
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
    search_text: searchTextOf(input.firstname, input.lastname, email, company),
  }
}

/** Creating a contact that exists adds segments and removes none. */
function addSegments(input: ContactInput, current: ContactRow): ContactInput {
  if (input.segments === undefined) return input
  const before = JSON.parse(current.segments) as string[]
  const segments = [...new Set([...before, ...input.segments])]
  if (segments.length > Math.max(segmentsMax, before.length)) {
    throw tooMany('segments', segments.length, segmentsMax)
  }
  return { ...input, segments }
}

/** Adds tags, and removes those with a leading `-`. A contact with more tags than the limit may keep and remove them. */
function changeTags(current: ContactRow | undefined, changes: readonly string[] = []): string[] {
  const before = current === undefined ? [] : (JSON.parse(current.tags) as string[])
  const tags = new Set(before)
  for (const tag of changes) {
    if (tag.startsWith('-')) tags.delete(tag.slice(1))
    else tags.add(tag)
  }
  if (tags.size > Math.max(tagsMax, before.length)) throw tooMany('tags', tags.size, tagsMax)
  return [...tags]
}

const idsOfSegment = (segment: string) =>
  sql`select contact_id from contact_segments where segment = ${segment}`

/** Writes the table that finds the contacts of a segment. The contact itself has its segments for reading. */
async function writeSegments(
  tx: Transaction<ContactTables>,
  rows: readonly ContactRow[],
): Promise<void> {
  // A new contact has no rows. PostgreSQL would scan the whole table for them until it has statistics.
  const changed = rows.filter(({ revision }) => revision > 1).map(({ id }) => id)
  if (changed.length > 0)
    await tx.deleteFrom('contact_segments').where('contact_id', 'in', changed).execute()
  const members = rows.flatMap(({ id, segments }) =>
    (JSON.parse(segments) as string[]).map((segment) => ({ segment, contact_id: id })),
  )
  for (let start = 0; start < members.length; start += segmentsPerBatch) {
    const values = members.slice(start, start + segmentsPerBatch)
    await tx.insertInto('contact_segments').values(values).execute()
  }
}

export const contactNotFound = () =>
  new AppError('not_found', 'contact_not_found', 'Contact not found')

export const addressTaken = (id: number, address: string) =>
  new AppError(
    'conflict',
    'address_taken',
    `Contact ${id} has the address ${address} already. Change that contact, or delete it first.`,
  )

export const tooMany = (field: 'tags' | 'segments', count: number, max: number) =>
  validationError({
    [field]: [`must be ${max} or fewer; the contact would have ${count}. Remove some first`],
  })

/** Describes which contacts lose their owner with a user. Undefined where none does. */
export async function describeOwned(
  userId: number,
  db: Kysely<object>,
): Promise<Consequence | undefined> {
  const owned = db.withTables<ContactTables>().selectFrom('contacts').where('owner_id', '=', userId)
  const query = owned.select((row) => row.fn.countAll<number>().as('count'))
  const count = Number((await query.executeTakeFirstOrThrow()).count)
  if (count === 0) return undefined
  return count === 1
    ? { planned: '1 contact loses its owner.', done: '1 contact has no owner now.' }
    : {
        planned: `${count} contacts lose their owner.`,
        done: `${count} contacts have no owner now.`,
      }
}
