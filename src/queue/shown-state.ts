import type { Lane } from '../delivery/index.ts'
import { defaultTransport, noTransport, unansweredTransport } from '../delivery/index.ts'
import type { QueueState } from './table.ts'

/** The states that the API shows: `queued` is due now, `deferred` is due later, `sending` is claimed. */
export const shownStates = ['queued', 'deferred', 'sending', 'held', 'uncertain'] as const
export type ShownState = (typeof shownStates)[number]

export const lanes: readonly Lane[] = ['transactional', 'bulk']

/** The words of filters. `transports` are the values of `transport_id` that are no transport. */
export const queueFilterWords = {
  states: shownStates,
  lanes,
  transports: { default: defaultTransport, none: noTransport, unanswered: unansweredTransport },
} as const

/** Returns the state that the API shows. */
export function shownState(row: { state: QueueState; due_at: number }, now: number): ShownState {
  if (row.state === 'queued') return row.due_at > now ? 'deferred' : 'queued'
  return row.state === 'claimed' ? 'sending' : row.state
}

export function noCounts(): Record<ShownState, number> {
  return { queued: 0, deferred: 0, sending: 0, held: 0, uncertain: 0 }
}
