import { backOffMs } from '../../kit/back-off.ts'
import type { Fault } from '../../libraries/mailer/index.ts'
import type { RecipientReport } from '../delivery/index.ts'
import {
  defaultTransport,
  isPermanent,
  noTransport,
  unansweredTransport,
} from '../delivery/index.ts'
import type { QueueState } from './shown-state.ts'
import type { QueueRecipientRow } from './table.ts'

/** How long to wait for another attempt of the same message to end. */
const busyWaitMs = 30_000
/** How long to wait for the answer of a Mautic; see `RouteWaker`. */
const unansweredMs = 3_600_000

/** The state of a recipient after an attempt. */
export type NextStep =
  | { state: 'done' }
  | { state: Extract<QueueState, 'uncertain'> }
  | { state: Extract<QueueState, 'queued'>; dueAt: number; attempts: number }

/** The recipient and the time of the attempt, in milliseconds since the epoch. */
export interface AttemptFacts {
  now: number
  /** The attempts before this one. */
  attempts: number
  /** A number from 0 to 1, exclusive. */
  random: number
}

/** Decides what follows an attempt. A temporary refusal is tried again; see `retryAt`. */
export function nextStep(report: RecipientReport, facts: AttemptFacts): NextStep {
  switch (report.state) {
    case 'accepted':
    case 'refused':
    case 'suppressed':
      return { state: 'done' }
    case 'deferred':
      return retry(report, facts)
    case 'uncertain':
      return { state: 'uncertain' }
    case 'duplicate':
      return afterDuplicate(report, facts)
    case 'unsent':
      return isPermanent(report.reply) ? { state: 'done' } : retry(report, facts)
  }
}

function afterDuplicate({ original }: RecipientReport, facts: AttemptFacts): NextStep {
  switch (original?.outcome) {
    case 'accepted':
      return { state: 'done' }
    case 'uncertain':
      return { state: 'uncertain' }
    default:
      return { state: 'queued', dueAt: facts.now + busyWaitMs, attempts: facts.attempts }
  }
}

function retry(report: RecipientReport, facts: AttemptFacts): NextStep {
  const { retryAfterMs, fault } = report
  const { now, attempts } = facts
  // Nothing was tried.
  const until =
    report.answered === undefined
      ? (report.deferredUntil ?? untriedUntil(fault, facts))
      : now + unansweredMs
  if (until !== undefined) return { state: 'queued', dueAt: Math.max(until, now), attempts }
  const dueAt = retryAt({ ...facts, retryAfterMs: retryAfterMs ?? null })
  return { state: 'queued', dueAt, attempts: attempts + 1 }
}

const schedule = { firstMs: 30_000, longestMs: 3_600_000 }

/**
 * Returns when a message that was refused for now is tried again: after 30 s, doubled with each attempt up to 1 h, with
 * 20 % of jitter, and never before the time that the server asks for.
 */
export function retryAt(refused: {
  /** The time of the refusal, in milliseconds since the epoch. */
  now: number
  /** The attempts before this one. */
  attempts: number
  /** What the server asked for, or null. */
  retryAfterMs: number | null
  /** From 0 to 1, exclusive: it spreads the retries. */
  random: number
}): number {
  const { now, attempts, retryAfterMs, random } = refused
  return Math.ceil(now + Math.max(backOffMs(schedule, attempts, random), retryAfterMs ?? 0))
}

/**
 * Returns when a message is due that no server was asked about, because its mailbox has too many waiting messages: after the time
 * that the mailer asks for, with up to 20 % of jitter. Undefined after any other fault. It counts as not tried: with the back-off
 * of `retryAt`, many messages of one mailbox would be sent far more slowly than its limit allows.
 */
export function untriedUntil(
  fault: Fault | null | undefined,
  { now, random }: { now: number; random: number },
): number | undefined {
  if (fault?.code !== 'throttled' || fault.scope !== 'message') return undefined
  const { reply, retryAfterMs } = fault
  if (reply !== null || retryAfterMs === null) return undefined
  return Math.ceil(now + retryAfterMs * (1 + random * 0.2))
}

/** What `waits_for` is while a limit allows no more: its change makes the recipient due. */
export const reachedLimit = -3

/** Returns what has to change before the recipient of a report can be sent to; see `QueueRecipientRow.waits_for`. */
export function waitsForOf(report: RecipientReport): QueueRecipientRow['waits_for'] {
  const { state, fault, waitsForRepair, answered, isLimited } = report
  if (state === 'uncertain') return null
  if (fault?.scope === 'member' || waitsForRepair === true || answered !== undefined)
    return queuedTransportId(report)
  return isLimited === true ? reachedLimit : null
}

/** Returns the value of the column `transport_id` for the transport of a report. */
export function queuedTransportId({ transportId, answered }: RecipientReport): number {
  if (answered !== undefined) return unansweredTransport
  if (transportId === undefined) return noTransport
  return transportId ?? defaultTransport
}
