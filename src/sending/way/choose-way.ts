import type { TransportRow } from '../../transports/index.ts'
import type { Exit, NamedTransport, Way, WayFacts, WaySource, WayStep } from './way.ts'

/** A transport to think of. */
interface Candidate {
  source: WaySource
  row: TransportRow | undefined
  /** Why it is thought of, for the trace. */
  because: string
  /** Why there is none, for the trace. */
  missing: string
}

/**
 * Decides which transport a message is sent through, and says why. A transport that the message names is
 * the only candidate: where it cannot be used, the message is not sent through another. Otherwise, for an
 * email, the owner's where the email says so, then the email's; without an email, the owner's; then the
 * default. A candidate that is missing or not published falls to the next.
 */
export function chooseWay(facts: WayFacts): Way {
  if (facts.named !== undefined) return chooseNamed(facts.named)
  const trace: WayStep[] = []
  for (const candidate of candidatesOf(facts)) {
    const step = judge(candidate)
    trace.push(step)
    if (step.outcome === 'taken' && candidate.row !== undefined) {
      return { exit: { kind: 'transport', row: candidate.row }, trace }
    }
  }
  const exit: Exit = { kind: facts.hasDefault ? 'default' : 'none' }
  return { exit, trace: [...trace, defaultStep(facts.hasDefault)] }
}

function chooseNamed(named: NamedTransport): Way {
  const { rows } = named
  const [row] = rows
  const only = rows.length === 1 ? row : undefined
  const transport = only === undefined ? null : { id: only.id, name: only.name }
  if (only?.is_published) {
    const reason = 'the message names it'
    const step: WayStep = { source: 'named', transport, outcome: 'taken', reason }
    return { exit: { kind: 'transport', row: only }, trace: [step] }
  }
  const problem = problemOf(named)
  const reason = problem.slice(0, -1)
  const step: WayStep = { source: 'named', transport, outcome: 'skipped', reason }
  return { exit: { kind: 'refused', problem }, trace: [step] }
}

const idsShown = 10

/** Why the one transport that a message names cannot be used, and what to do about it. */
function problemOf({ text, rows }: NamedTransport): string {
  const name = JSON.stringify(text.slice(0, 100))
  const [row] = rows
  if (row === undefined) return `Transport ${name}, which the message names, was not found.`
  if (rows.length === 1)
    return `Transport ${name} (id ${row.id}), which the message names, is not published.`
  const ids = rows.slice(0, idsShown).map(({ id }) => id)
  const more = rows.length > idsShown ? ', …' : ''
  return `Transport name ${name} is ambiguous: transports ${ids.join(', ')}${more} have it; name one by its id.`
}

function candidatesOf({ email, owner, unknown = {} }: WayFacts): Candidate[] {
  const candidates: Candidate[] = []
  if (unknown.email !== undefined) candidates.push(nobody('email', 'email', unknown.email))
  if (unknown.contact !== undefined) candidates.push(nobody('owner', 'contact', unknown.contact))
  if (unknown.user !== undefined) candidates.push(nobody('owner', 'user', unknown.user))
  const isOwnersTurn = email === undefined ? owner !== undefined : email.useOwnerTransport
  const isSaid = unknown.contact !== undefined || unknown.user !== undefined
  if (isOwnersTurn && (owner !== undefined || !isSaid)) candidates.push(ownerCandidate(owner))
  if (email !== undefined) {
    const because = `it is assigned to email ${email.id}`
    const missing = `no transport is assigned to email ${email.id}`
    candidates.push({ source: 'email', row: email.row, because, missing })
  }
  return candidates
}

function nobody(source: WaySource, what: string, id: number): Candidate {
  return { source, row: undefined, because: '', missing: `there is no ${what} ${id}` }
}

function ownerCandidate(owner: WayFacts['owner']): Candidate {
  if (owner === undefined) {
    return { source: 'owner', row: undefined, because: '', missing: 'the contact has no owner' }
  }
  const { id, username } = owner.user
  const who = `user ${id} (${username})`
  return {
    source: 'owner',
    row: owner.row,
    because: `it is assigned to ${who}, the owner`,
    missing: `no transport is assigned to ${who}, the owner`,
  }
}

function judge({ source, row, because, missing }: Candidate): WayStep {
  if (row === undefined) return { source, transport: null, outcome: 'skipped', reason: missing }
  const transport = { id: row.id, name: row.name }
  if (row.is_published) return { source, transport, outcome: 'taken', reason: because }
  return { source, transport, outcome: 'skipped', reason: `${because}, but it is not published` }
}

function defaultStep(hasDefault: boolean): WayStep {
  return hasDefault
    ? { source: 'default', transport: null, outcome: 'taken', reason: 'nothing else was found' }
    : {
        source: 'default',
        transport: null,
        outcome: 'skipped',
        reason: 'no default transport is configured (MAILYARD_MAILER_DSN)',
      }
}
