import type { TransportRow } from '../../transports/index.ts'
import type { Exit, Way, WayFacts, WaySource, WayStep } from './way.ts'

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
 * Decides which transport a message leaves through, and says why. The one that is asked for by name
 * goes first; then, for an email, the owner's where the email says so, and the email's; without an
 * email, the owner's; then the default. What is missing or not published falls to the next.
 */
export function chooseWay(facts: WayFacts): Way {
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

function candidatesOf({ named, email, owner, unknown = {} }: WayFacts): Candidate[] {
  const candidates: Candidate[] = []
  if (named !== undefined) candidates.push(namedCandidate(named))
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

function namedCandidate({ text, row }: NonNullable<WayFacts['named']>): Candidate {
  const name = JSON.stringify(text.slice(0, 100))
  return {
    source: 'named',
    row,
    because: 'the message asks for it',
    missing: `there is no transport ${name}`,
  }
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
