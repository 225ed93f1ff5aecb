import { type AssignmentStore, openAssignmentStore } from '../../assignments/index.ts'
import type { AuthTables } from '../../auth/index.ts'
import type { ContactTables } from '../../contacts/index.ts'
import type { EmailTables } from '../../emails/index.ts'
import { emailKey } from '../../kit/email-key.ts'
import type { Eventual } from '../../kit/eventual.ts'
import { createLookUp, type Storage } from '../../storage/index.ts'
import {
  type FindByName,
  openNameLookup,
  type TransportRow,
  type TransportTables,
} from '../../transports/index.ts'
import { chooseWay } from './choose-way.ts'
import type { Way, WayFacts, WayOwner, WayQuestion } from './way.ts'

/** Looks up what a choice is made of, and chooses. What it says is what a send does: a send asks it too. */
export type FindWay = (question: WayQuestion) => Promise<Way>

/** What ways are found with. */
export interface FindWayOptions {
  storage: Storage
  /** Whether an operator has configured a default transport. */
  hasDefault: boolean
}

export function createFindWay({ storage, hasDefault }: FindWayOptions): FindWay {
  const assignments = openAssignmentStore(storage)
  const look = openLookups(storage)
  return async (question) => {
    const named = await findNamed(question, look)
    if (named !== undefined) return chooseWay({ named, hasDefault })
    const context = { look, assignments, unknown: {} }
    const email = await findEmail(question, context)
    const from = email === undefined ? question.from : undefined
    const owner = await findOwner({ ...question, from }, context)
    return chooseWay({ email, owner, unknown: context.unknown, hasDefault })
  }
}

interface Lookups {
  transport: (id: number) => Eventual<TransportRow | undefined>
  transportsByName: FindByName
  email: (id: number) => Eventual<{ id: number } | undefined>
  contact: (id: number) => Eventual<{ owner_id: number | null } | undefined>
  user: (id: number) => Eventual<WayOwner | undefined>
  userByEmail: (key: string) => Eventual<WayOwner | undefined>
}

/** Compiled once: every message asks them. */
function openLookups(storage: Storage): Lookups {
  const db = storage.tables<TransportTables & EmailTables & ContactTables & AuthTables>()
  return {
    transport: createLookUp(storage, () =>
      db.selectFrom('transports').selectAll().where('id', '=', 0).compile(),
    ),
    transportsByName: openNameLookup(storage),
    email: createLookUp(storage, () =>
      db.selectFrom('emails').select('id').where('id', '=', 0).compile(),
    ),
    contact: createLookUp(storage, () =>
      db.selectFrom('contacts').select('owner_id').where('id', '=', 0).compile(),
    ),
    user: createLookUp(storage, () =>
      db.selectFrom('users').select(['id', 'username']).where('id', '=', 0).compile(),
    ),
    userByEmail: createLookUp(storage, () =>
      db.selectFrom('users').select(['id', 'username']).where('email_key', '=', '').compile(),
    ),
  }
}

interface Context {
  look: Lookups
  assignments: AssignmentStore
  /** Gets the ids that stand for nothing. */
  unknown: NonNullable<WayFacts['unknown']>
}

/** An id goes before a name, so that it can always tell transports of one name apart. */
async function findNamed(
  { transport: text }: WayQuestion,
  look: Lookups,
): Promise<WayFacts['named']> {
  if (text === undefined) return undefined
  const isId = /^\s*\d{1,15}\s*$/.test(text)
  const row = isId ? await look.transport(Number(text)) : undefined
  return { text, rows: row === undefined ? await look.transportsByName(text) : [row] }
}

async function findEmail(
  { emailId }: WayQuestion,
  { look, assignments, unknown }: Context,
): Promise<WayFacts['email']> {
  if (emailId === undefined) return undefined
  const email = await look.email(emailId)
  if (email === undefined) {
    unknown.email = emailId
    return undefined
  }
  const { transportId = null, useOwnerTransport = false } =
    (await assignments.findForEmail(email.id)) ?? {}
  const row = transportId === null ? undefined : await look.transport(transportId)
  return { id: email.id, row, useOwnerTransport }
}

async function findOwner(question: WayQuestion, context: Context): Promise<WayFacts['owner']> {
  const { look, assignments } = context
  const user = await findOwningUser(question, context)
  if (user === undefined) return undefined
  const transportId = await assignments.findForUser(user.id)
  return { user, row: transportId === undefined ? undefined : await look.transport(transportId) }
}

/** The contact's owner; else the user who is named; else the one whose address the sender is. */
async function findOwningUser(
  { contactId, ownerId, from }: WayQuestion,
  { look, unknown }: Context,
): Promise<WayOwner | undefined> {
  const contact = contactId === undefined ? undefined : await look.contact(contactId)
  if (contactId !== undefined && contact === undefined) unknown.contact = contactId
  const id = contact?.owner_id ?? ownerId
  const user = id === undefined ? undefined : await look.user(id)
  if (id !== undefined && user === undefined) unknown.user = id
  return user ?? (from === undefined ? undefined : look.userByEmail(emailKey(from)))
}
