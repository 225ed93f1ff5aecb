import type { Kysely, Transaction } from 'kysely'
import { AppError, faultsOf } from '../../kit/app-error.ts'
import { type Caller, noBrand } from '../../kit/caller.ts'
import type { Clock } from '../../kit/clock.ts'
import { emailKey, searchTextOf } from '../../kit/normalize-for-search.ts'
import type { Auth } from '../../platform/auth/index.ts'
import { validationError } from '../../platform/http/index.ts'
import {
  brandAccess,
  type Consequence,
  type DeletedRecords,
  openResource,
  type Resource,
} from '../../platform/resource/index.ts'
import { openRecordStore, type Storage } from '../../platform/storage/index.ts'
import { byAlias, contactFieldAliases } from './contact-fields.ts'
import { presentContact } from './present-contact.ts'
import {
  type ContactInput,
  type ContactItem,
  contactListFields,
  contactRecord,
  tagsMax,
} from './schema.ts'
import type { ContactRow, ContactTables } from './table.ts'

export type Contacts = Resource<ContactRow, ContactItem, ContactInput>

export interface ContactsOptions {
  storage: Storage
  clock: Clock
  /** Their owners. */
  auth: Pick<Auth, 'findUsers'> & { users: Pick<Auth['users'], 'dependents'> }
  deleted: DeletedRecords
}

/** Opens the contacts, with the fields of Mautic's that sending needs. */
export function openContacts(options: ContactsOptions): Contacts {
  const { storage, clock, auth, deleted } = options
  auth.users.dependents.add('contacts', {
    release: async (id, tx) => ({ consequence: await describeOwned(id, tx) }),
  })
  const present = async (rows: readonly ContactRow[], caller: Caller) => {
    const owners = await auth.findUsers(ownerIds(rows), { caller })
    const byId = new Map(owners.map((owner) => [owner.id, owner]))
    return rows.map((row) => presentContact(row, byId.get(row.owner_id ?? 0)))
  }
  const checkOwner = async (owner: number, caller: Caller, tx?: Transaction<object>) => {
    if ((await auth.findUsers([owner], { tx, caller })).length > 0) return
    throw validationError({ owner: [`names no user: there is none with the id ${owner}`] })
  }
  const store = openRecordStore<ContactRow>(storage, {
    table: 'contacts',
    nameColumn: 'email',
    fields: {
      ...contactListFields,
      ...byAlias((alias) => ({
        ...contactListFields[alias],
        expression: storage.textMember('field_values', alias),
      })),
    },
    identityColumn: 'identity_key',
    largeColumns: ['field_values', 'tags'],
  })
  return openResource<ContactRow, ContactItem, ContactInput>({
    clock,
    store,
    area: 'contact',
    notFound: contactNotFound,
    access: brandAccess({ label: 'Contact', storage }),
    identity: {
      name: 'email',
      of: ({ email, brand }) => identityKey(email, brand),
      taken: addressTaken,
    },
    findFaults: ({ owner }, { caller }) =>
      Number.isSafeInteger(owner) ? faultsOf(() => checkOwner(owner as number, caller)) : {},
    toInput,
    prepare: ({ input, current, mode }) => ({
      columns: toColumns(input, mode === 'patch' ? current : undefined),
    }),
    present,
    hooks: {
      async beforeWrite(tx, { columns: { owner_id: owner }, current, caller }) {
        if (owner !== null && owner !== current?.owner_id) await checkOwner(owner, caller, tx)
      },
    },
    parts: {
      trash: {
        records: deleted,
        beforeRestore: (tx, { row }) => checkRestoredOwner(tx, row, auth),
      },
    },
  })
}

async function checkRestoredOwner(
  tx: Transaction<object>,
  { owner_id: owner }: ContactRow,
  auth: Pick<Auth, 'findUsers'>,
) {
  if (owner === null || (await auth.findUsers([owner], { tx })).length > 0) return undefined
  const warning = `User ${owner}, who owned the contact, is deleted. The contact has no owner now.`
  return { columns: { owner_id: null }, warnings: [warning] }
}

function ownerIds(rows: readonly ContactRow[]): number[] {
  return [...new Set(rows.flatMap((row) => row.owner_id ?? []))]
}

function toInput(row: ContactRow): ContactInput {
  return {
    ...(JSON.parse(row.field_values) as ContactInput),
    ...contactRecord.toValues(row),
    email: row.email,
    owner: row.owner_id,
    tags: JSON.parse(row.tags) as string[],
  }
}

/** Returns what no two contacts share: a brand and an address. */
function identityKey(email: string | null | undefined, brand: number | null = null): string | null {
  return email?.trim() ? `${brand ?? noBrand} ${emailKey(email.trim())}` : null
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
    ...contactRecord.toColumns(input),
    email,
    email_key: email === null ? null : emailKey(email),
    identity_key: identityKey(email, input.brand),
    owner_id: input.owner ?? null,
    field_values: JSON.stringify(Object.fromEntries(values)),
    tags: JSON.stringify(changeTags(current, input.tags)),
    search_text: searchTextOf(input.firstname, input.lastname, email, company),
  }
}

/** Adds tags, and removes those with a leading `-`. A contact with more tags than the limit may keep and remove them. */
function changeTags(current: ContactRow | undefined, changes: ContactInput['tags'] = []): string[] {
  const before = current === undefined ? [] : (JSON.parse(current.tags) as string[])
  const tags = new Set(before)
  const names = typeof changes === 'string' ? changes.split(',') : changes
  for (const tag of names.map((each) => each.trim()).filter(Boolean)) {
    if (tag.startsWith('-')) tags.delete(tag.slice(1))
    else tags.add(tag)
  }
  if (tags.size > Math.max(tagsMax, before.length)) throw tooManyTags(tags.size)
  return [...tags]
}

export const contactNotFound = () =>
  new AppError('not_found', 'contact_not_found', 'Contact not found')

export const addressTaken = (id: number, address: string) =>
  new AppError(
    'conflict',
    'address_taken',
    `Contact ${id} has the address ${address} already. Change that contact, or delete it first.`,
  )

const tooManyTags = (count: number) =>
  validationError({
    tags: [`must be ${tagsMax} or fewer; the contact would have ${count}. Remove some first`],
  })

/** Describes which contacts lose their owner with a user. Undefined where none does. */
async function describeOwned(userId: number, db: Kysely<object>): Promise<Consequence | undefined> {
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
