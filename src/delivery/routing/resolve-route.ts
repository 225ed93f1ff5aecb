import { type AssignmentStore, openAssignmentStore } from '../../assignments/index.ts'
import type { AuthTables } from '../../auth/index.ts'
import type { ContactTables } from '../../contacts/index.ts'
import type { EmailTables } from '../../emails/index.ts'
import type { MaybePromise } from '../../kit/maybe-promise.ts'
import { emailKey } from '../../kit/normalize-for-search.ts'
import { createLookUp, type Storage } from '../../storage/index.ts'
import {
  type FindByName,
  openNameLookup,
  type TransportRow,
  type TransportTables,
} from '../../transports/index.ts'
import {
  chooseRoute,
  type Route,
  type RouteFacts,
  type RouteOwner,
  type RouteQuestion,
} from './choose-route.ts'

/** Looks up the facts and chooses the route. Every send uses it, so its answer is what a send does. */
export type ResolveRoute = (question: RouteQuestion) => Promise<Route>

export interface ResolveRouteOptions {
  storage: Storage
  /** Whether an operator has configured a default transport. */
  hasDefault: boolean
}

export function createResolveRoute({ storage, hasDefault }: ResolveRouteOptions): ResolveRoute {
  const assignments = openAssignmentStore(storage)
  const lookups = openLookups(storage)
  return async (question) => {
    const named = await findNamed(question, lookups)
    if (named !== undefined) return chooseRoute({ named, hasDefault, down: question.down })
    const context = { lookups, assignments, unknown: {} }
    const email = await findEmail(question, context)
    const from = email === undefined ? question.from : undefined
    const owner = await findOwner({ ...question, from }, context)
    const { unknown } = context
    return chooseRoute({ email, owner, unknown, hasDefault, down: question.down })
  }
}

interface Lookups {
  transport: (id: number) => MaybePromise<TransportRow | undefined>
  transportsByName: FindByName
  email: (id: number) => MaybePromise<{ id: number } | undefined>
  contact: (id: number) => MaybePromise<{ owner_id: number | null } | undefined>
  user: (id: number) => MaybePromise<RouteOwner | undefined>
  userByEmail: (key: string) => MaybePromise<RouteOwner | undefined>
}

/** Prepares the queries once: every message runs them. */
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
  lookups: Lookups
  assignments: AssignmentStore
  /** Collects the ids that do not exist. */
  unknown: NonNullable<RouteFacts['unknown']>
}

/** An id takes precedence over a name, so that it can select one of several transports with the same name. */
async function findNamed(
  { transport: text }: RouteQuestion,
  lookups: Lookups,
): Promise<RouteFacts['named']> {
  if (text === undefined) return undefined
  const isId = /^\s*\d{1,15}\s*$/.test(text)
  const row = isId ? await lookups.transport(Number(text)) : undefined
  return { text, rows: row === undefined ? await lookups.transportsByName(text) : [row] }
}

async function findEmail(
  { emailId }: RouteQuestion,
  { lookups, assignments, unknown }: Context,
): Promise<RouteFacts['email']> {
  if (emailId === undefined) return undefined
  const email = await lookups.email(emailId)
  if (email === undefined) {
    unknown.email = emailId
    return undefined
  }
  const { transportId = null, useOwnerTransport = false } =
    (await assignments.findForEmail(email.id)) ?? {}
  const row = transportId === null ? undefined : await lookups.transport(transportId)
  return { id: email.id, row, useOwnerTransport }
}

async function findOwner(question: RouteQuestion, context: Context): Promise<RouteFacts['owner']> {
  const { lookups, assignments } = context
  const user = await findOwningUser(question, context)
  if (user === undefined) return undefined
  const transportId = await assignments.findForUser(user.id)
  return { user, row: transportId === undefined ? undefined : await lookups.transport(transportId) }
}

/** The contact's owner; else the given user; else the user with the sender's address. */
async function findOwningUser(
  { contactId, ownerId, from }: RouteQuestion,
  { lookups, unknown }: Context,
): Promise<RouteOwner | undefined> {
  const contact = contactId === undefined ? undefined : await lookups.contact(contactId)
  if (contactId !== undefined && contact === undefined) unknown.contact = contactId
  const id = contact?.owner_id ?? ownerId
  const user = id === undefined ? undefined : await lookups.user(id)
  if (id !== undefined && user === undefined) unknown.user = id
  return user ?? (from === undefined ? undefined : lookups.userByEmail(emailKey(from)))
}
