import { type Caller, type CallerMautic, mayUse, noBrand } from '../../kit/caller.ts'
import type { TransportRow } from '../transports/index.ts'

/** A transport that may be taken. */
interface Candidate {
  source: RouteSource
  row: TransportRow | undefined
  /** Why it is a candidate, for the trace. */
  because: string
  /** Why it has no transport, for the trace. */
  missing: string
}

/**
 * Chooses the transport of a message and records why. A transport that the message names is the only candidate. Else
 * the candidates of an email are the owner's transport (if the email uses it), the email's and the default; without an
 * email they are the owner's and the default. The default of the Mautic that the message comes from goes before the default.
 * The first candidate with a published transport is taken.
 */
export function chooseRoute(facts: RouteFacts): Route {
  if (facts.named !== undefined) return chooseNamed(facts.named, facts.down)
  const trace: RouteStep[] = []
  for (const candidate of candidatesOf(facts)) {
    const step = stepOf(candidate, facts)
    trace.push(step)
    if (step.outcome === 'taken' && candidate.row !== undefined) {
      const { row } = candidate
      // What this transport decides holds for those that take its place, too.
      const brand = facts.brand ?? row.brand_id
      return { target: { kind: 'transport', row }, trace, next: nextOf({ ...facts, brand }) }
    }
  }
  const target: RouteTarget = { kind: facts.hasDefault ? 'default' : 'none' }
  return { target, trace: [...trace, defaultStep(facts.hasDefault)] }
}

/** The brand of a message: its own, else that of the transport that its route leads to first. */
export function brandOf(brand: number | null, { target }: Route): number {
  return brand ?? (target.kind === 'transport' ? target.row.brand_id : noBrand)
}

function chooseNamed(named: NamedTransport, down?: ReadonlySet<number>): Route {
  const { rows } = named
  const [row] = rows
  const only = rows.length === 1 ? row : undefined
  const transport = only === undefined ? null : { id: only.id, name: only.name }
  if (only?.is_published && down?.has(only.id) !== true) {
    const reason = 'the message names it'
    const step: RouteStep = { source: 'named', transport, outcome: 'taken', reason }
    return { target: { kind: 'transport', row: only }, trace: [step] }
  }
  const problem = problemOf(named)
  const reason = problem.slice(0, -1)
  const step: RouteStep = { source: 'named', transport, outcome: 'skipped', reason }
  return { target: { kind: 'refused', problem }, trace: [step] }
}

const idsShown = 10

/** Explains why the transport that a message names cannot be used, and what to do. */
function problemOf({ text, rows }: NamedTransport): string {
  const name = JSON.stringify(text.slice(0, 100))
  const [row] = rows
  if (row === undefined) return `Transport ${name}, which the message names, was not found.`
  if (rows.length === 1)
    return `Transport ${name} (id ${row.id}), which the message names, is ${row.is_published ? 'down' : 'not published'}.`
  const ids = rows.slice(0, idsShown).map(({ id }) => id)
  const more = rows.length > idsShown ? ', …' : ''
  return `Transport name ${name} is ambiguous: transports ${ids.join(', ')}${more} have it; name one by its id.`
}

function candidatesOf(facts: RouteFacts): Candidate[] {
  const { email, owner, unknown = {}, mautic } = facts
  const candidates: Candidate[] = []
  const of = ofMautic(facts)
  if (unknown.email !== undefined)
    candidates.push(missingCandidate('email', `email ${unknown.email}${of}`))
  if (unknown.contact !== undefined)
    candidates.push(missingCandidate('owner', `contact ${unknown.contact}${of}`))
  if (unknown.user !== undefined)
    candidates.push(missingCandidate('owner', `user ${unknown.user}${of}`))
  const usesOwner = email === undefined ? owner !== undefined : email.useOwnerTransport
  const isExplained = unknown.contact !== undefined || unknown.user !== undefined
  if (usesOwner && (owner !== undefined || !isExplained)) candidates.push(ownerCandidate(owner, of))
  if (email !== undefined) {
    const because = `it is assigned to the email${of}`
    const missing = `no transport is assigned to the email${of}`
    candidates.push({ source: 'email', row: email.row, because, missing })
  }
  if (mautic !== undefined) candidates.push(...mauticCandidates(mautic))
  return candidates
}

function mauticCandidates(mautic: MauticFacts): Candidate[] {
  const name = `Mautic ${JSON.stringify(mautic.name)}`
  const [because, missing] = [`it is the default of ${name}`, `${name} has no default transport`]
  const candidate: Candidate = { source: 'mautic', row: mautic.row, because, missing }
  if (!mautic.isReinstalled) return [candidate]
  const reason = 'it was reinstalled, and no administrator has accepted it yet'
  const unused = `the assignments of ${name} are not used: ${reason}`
  return [{ source: 'email', row: undefined, because: '', missing: unused }, candidate]
}

/** Says in the trace whose ids these are. */
function ofMautic({ mautic }: RouteFacts): string {
  return mautic === undefined ? '' : ` of Mautic ${JSON.stringify(mautic.name)}`
}

function missingCandidate(source: RouteSource, noun: string): Candidate {
  return { source, row: undefined, because: '', missing: `there is no ${noun}` }
}

function ownerCandidate(owner: RouteFacts['owner'], of: string): Candidate {
  if (owner === undefined) {
    return { source: 'owner', row: undefined, because: '', missing: 'the contact has no owner' }
  }
  const { username } = owner.user
  const who = `${username}${of}`
  return {
    source: 'owner',
    row: owner.row,
    because: `it is assigned to ${who}, the owner`,
    missing: `no transport is assigned to ${who}, the owner`,
  }
}

/** Creates the function that chooses the route again, without a transport whose limit is reached. */
function nextOf(facts: RouteFacts): NonNullable<Route['next']> {
  return (transportId, reason) => {
    const limited = new Map([...(facts.limited ?? []), [transportId, reason]])
    return chooseRoute({ ...facts, limited })
  }
}

function stepOf(
  { source, row, because, missing }: Candidate,
  { down, limited, brand = null }: Pick<RouteFacts, 'down' | 'limited' | 'brand'>,
): RouteStep {
  if (row === undefined) return { source, transport: null, outcome: 'skipped', reason: missing }
  if (!mayUse(row, brand)) {
    const reason = `${because}, but it belongs to another brand`
    return { source, transport: null, outcome: 'skipped', reason }
  }
  const transport = { id: row.id, name: row.name }
  if (down?.has(row.id) === true)
    return { source, transport, outcome: 'skipped', reason: `${because}, but it is down` }
  const limit = limited?.get(row.id)
  if (limit !== undefined)
    return { source, transport, outcome: 'skipped', reason: `${because}, but ${limit}` }
  if (row.is_published) return { source, transport, outcome: 'taken', reason: because }
  return { source, transport, outcome: 'skipped', reason: `${because}, but it is not published` }
}

function defaultStep(hasDefault: boolean): RouteStep {
  return hasDefault
    ? { source: 'default', transport: null, outcome: 'taken', reason: 'nothing else was found' }
    : {
        source: 'default',
        transport: null,
        outcome: 'skipped',
        reason: 'no default transport is configured (MAILYARD_MAILER_DSN)',
      }
}

/** The facts about a message that decide its route; each may be missing. */
export interface RouteQuestion {
  /** Whose ids the ids below are. Default: Mailyard's own. */
  mautic?: CallerMautic | undefined
  /** The brand of the message; null (default) where its transport decides. */
  brand?: number | null | undefined
  /** Who asks: what they do not see is unknown. Default: a message, which sees all. */
  caller?: Pick<Caller, 'brands'> | undefined
  /** A transport by name or id, as `X-Mailyard-Transport` names it. */
  transport?: string | undefined
  emailId?: number | undefined
  contactId?: number | undefined
  /** The user who owns the contact, if the contact has no owner itself. */
  ownerId?: number | undefined
  /** The sender's address. A user with this address owns a message without an email. */
  from?: string | undefined
  /** What the Mautic has not answered yet about the message, as a clause; undefined if nothing. */
  unanswered?: string | undefined
  /** Whether a person has decided that it is sent without an answer. Default: no. */
  isDecided?: boolean
  /** Transports that count as unpublished, for a fire drill. */
  down?: ReadonlySet<number> | undefined
}

/** Why a transport is a candidate: the message names it, or it is the owner's, the email's, the Mautic's or the default. */
export const routeSources = ['named', 'owner', 'email', 'mautic', 'default'] as const

export type RouteSource = (typeof routeSources)[number]

/** `noted` steps are no candidates: they say how the email and the contact of a message were found. */
export const routeOutcomes = ['taken', 'skipped', 'noted'] as const

/** One candidate, in order, and why it was taken or skipped; or a note. */
export interface RouteStep {
  source: RouteSource
  /** Null if the candidate has no transport. */
  transport: { id: number; name: string } | null
  outcome: (typeof routeOutcomes)[number]
  reason: string
}

/**
 * The transport that a message is sent through: a row or the configured default. `none`: no candidate has a transport;
 * `refused`: the transport that the message names cannot be used; `open`: what decides about it is not known yet, as `unanswered`
 * says.
 */
export type RouteTarget =
  | { kind: 'transport'; row: TransportRow }
  | { kind: 'default' }
  | { kind: 'none' }
  | { kind: 'refused'; problem: string }
  | { kind: 'open'; problem: string; unanswered: string }

/** The route of a message, and how it was chosen. */
export interface Route {
  target: RouteTarget
  trace: readonly RouteStep[]
  /** Returns the route without this transport, and says why in the trace. Undefined if the message names it. */
  next?: (transportId: number, reason: string) => Route
}

/** A user whose transport may be used. */
export interface RouteOwner {
  id: number
  username: string
  /** As stored; left out for a user of a Mautic. */
  brands?: string
}

/** The transport that a message names, and the rows with this id or name. */
export interface NamedTransport {
  text: string
  rows: readonly TransportRow[]
}

/** A Mautic and its default transport. */
export interface MauticFacts extends CallerMautic {
  row: TransportRow | undefined
  /** Whether its assignments are not used, because its ids mean other records now. Default: no. */
  isReinstalled?: boolean
  /** Default: no. */
  isDeleted?: boolean
}

/** Everything that was looked up for the choice. The same facts give the same route. */
export interface RouteFacts {
  /** Undefined if the message names none. */
  named?: NamedTransport | undefined
  /** See `RouteQuestion`. */
  brand?: number | null | undefined
  /** The Mautic that the message comes from, and its default. Default: none. */
  mautic?: MauticFacts | undefined
  /** The email and its assignment; undefined without an email. */
  email?: { id: number; row: TransportRow | undefined; useOwnerTransport: boolean } | undefined
  /** The owner and their transport. */
  owner?: { user: RouteOwner; row: TransportRow | undefined } | undefined
  /** The ids in the question that do not exist. */
  unknown?: { email?: number; contact?: number; user?: number }
  /** Whether an operator has configured a default. */
  hasDefault: boolean
  /** Transports that count as unpublished, for a fire drill. */
  down?: ReadonlySet<number> | undefined
  /** Transports whose limit is reached, and why they are skipped. */
  limited?: ReadonlyMap<number, string>
}
