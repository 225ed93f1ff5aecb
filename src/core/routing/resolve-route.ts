import { mayUse, noBrand, type OfBrand, owns, sees } from '../../kit/caller.ts'
import { brandsOf, coversUser } from '../../platform/auth/index.ts'
import type { Storage } from '../../platform/storage/index.ts'
import {
  type AssignedKind,
  type NamespaceAssignments,
  openAssignmentStore,
} from '../assignments/index.ts'
import type { MauticDirectory } from '../mautic/index.ts'
import {
  chooseRoute,
  type MauticFacts,
  type Route,
  type RouteFacts,
  type RouteOwner,
  type RouteQuestion,
} from './choose-route.ts'
import { openRouteLookups, type RouteLookups } from './route-lookups.ts'

/** Looks up the facts and chooses the route. Every send uses it, so its answer is what a send does. */
export type ResolveRoute = (question: RouteQuestion) => Promise<Route>

export interface ResolveRouteOptions {
  storage: Storage
  mautics: MauticDirectory
  /** Whether an operator has configured a default transport. */
  hasDefault: boolean
}

export function createResolveRoute(options: ResolveRouteOptions): ResolveRoute {
  const { storage, mautics, hasDefault } = options
  const assignments = openAssignmentStore(storage)
  const lookupsOf = openRouteLookups(storage, mautics)
  return async (question) => {
    const lookups = lookupsOf(question.mautic)
    const { transport: text, down, brand = null } = question
    if (text !== undefined) {
      const named = { text, rows: await lookups.namedTransports(text, brand) }
      return chooseRoute({ named, hasDefault, down })
    }
    const mautic = await findMautic(question, lookups)
    const { mautic: caller, unanswered, isDecided } = question
    const mayHave = async (kind: AssignedKind) =>
      caller !== undefined && (await assignments.hasAny(kind, caller.id))
    if (mautic?.isDeleted || mautic?.isReinstalled) {
      // Its assignments are gone, or were made for other records: none of them says what decides about the message.
      const mayDecide = mautic.isDeleted || (await mayHave('email')) || (await mayHave('user'))
      const isOpen = isDecided !== true && mayDecide
      return isOpen ? openRoute(whyOpen(mautic)) : chooseRoute({ brand, mautic, hasDefault, down })
    }
    const context = { lookups, assignments: assignments.in(question.mautic), unknown: {} }
    const email = await findEmail(question, context)
    const from = question.emailId === undefined ? question.from : undefined
    const owner = await findOwner({ ...question, from }, context)
    if (unanswered !== undefined && isDecided !== true) {
      // The owner by the sender is a guess until the contact is known.
      const isOwnerKnown = owner !== undefined && question.ownerId !== undefined
      const mayBeOwners = email?.useOwnerTransport !== false && !isOwnerKnown
      const isOpen =
        (email === undefined && (await mayHave('email'))) ||
        (mayBeOwners && (await mayHave('user')))
      if (isOpen) return openRoute(unanswered)
    }
    const { unknown } = context
    return chooseRoute({ brand, email, owner, mautic, unknown, hasDefault, down })
  }
}

/** The route that depends on an answer. */
function openRoute(unanswered: string): Route {
  const reason = `${unanswered}, and the transport depends on it`
  const step = { source: 'email', transport: null, outcome: 'skipped', reason } as const
  return { target: { kind: 'open', problem: `${reason}.`, unanswered }, trace: [step] }
}

function whyOpen({ name, isDeleted }: MauticFacts): string {
  const why = 'was reinstalled, and no administrator has accepted it yet'
  return `Mautic ${JSON.stringify(name)} ${isDeleted ? 'was deleted' : why}`
}

interface Context {
  lookups: RouteLookups
  assignments: NamespaceAssignments
  /** Collects the ids that do not exist. */
  unknown: NonNullable<RouteFacts['unknown']>
}

async function findMautic(
  { mautic }: RouteQuestion,
  lookups: RouteLookups,
): Promise<RouteFacts['mautic']> {
  if (mautic === undefined) return undefined
  const { transportId: id, ...settings } = await lookups.mautic()
  return { ...mautic, row: id === null ? undefined : await lookups.transport(id), ...settings }
}

async function findEmail(
  { emailId, mautic, brand = null, caller = sender }: RouteQuestion,
  { lookups, assignments, unknown }: Context,
): Promise<RouteFacts['email']> {
  if (emailId === undefined) return undefined
  const assigned = await assignments.findForEmail(emailId)
  const isOfAny = mautic !== undefined || (brand === null && caller.brands === 'all')
  const isKnown = assigned !== undefined && isOfAny
  if (!isKnown && !isSeen(await lookups.email(emailId), caller, brand)) {
    unknown.email = emailId
    return undefined
  }
  const { transportId = null, useOwnerTransport = false } = assigned ?? {}
  const row = transportId === null ? undefined : await lookups.transport(transportId)
  return { id: emailId, row, useOwnerTransport }
}

async function findOwner(question: RouteQuestion, context: Context): Promise<RouteFacts['owner']> {
  const { lookups, assignments } = context
  const user = await findOwningUser(question, context)
  if (user === undefined) return undefined
  const transportId = await assignments.findForUser(user.id)
  return { user, row: transportId === undefined ? undefined : await lookups.transport(transportId) }
}

/** Asks for a message. */
const sender = { brands: 'all' } as const

/** Whether a record exists for a caller and a message of a brand; those of Mautics have no brand of their own. */
function isSeen(
  record: Partial<OfBrand> | undefined,
  caller: NonNullable<RouteQuestion['caller']>,
  brand: number | null,
) {
  const { brand_id = noBrand } = record ?? {}
  return record !== undefined && sees(caller, brand_id) && mayUse({ brand_id }, brand)
}

/** The contact's owner; else the given user; else the user with the sender's address. */
async function findOwningUser(
  { contactId, ownerId, from, brand = null, caller = sender }: RouteQuestion,
  { lookups, unknown }: Context,
): Promise<RouteOwner | undefined> {
  const found = contactId === undefined ? undefined : await lookups.contact(contactId)
  const contact = isSeen(found, caller, brand) ? found : undefined
  if (contactId !== undefined && contact === undefined) unknown.contact = contactId
  const id = contact?.owner_id ?? ownerId
  // A message and who asks know only users of their brands; but the owner of a contact is known by it.
  const visible = (user: RouteOwner | undefined) => {
    if (user?.brands === undefined) return user
    const { brands } = user
    const isOfBrand = brand === null || owns({ brands: brandsOf({ brands }) }, brand)
    return isOfBrand && coversUser(caller, { brands }) ? user : undefined
  }
  const named = id === undefined ? undefined : await lookups.user(id)
  const user = id === contact?.owner_id ? named : visible(named)
  if (id !== undefined && user === undefined) unknown.user = id
  return user ?? (from === undefined ? undefined : visible(await lookups.userByEmail(from)))
}
