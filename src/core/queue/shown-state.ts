import {
  defaultTransport,
  type Lane,
  noTransport,
  outcomes,
  unansweredTransport,
} from '../delivery/index.ts'

/**
 * The states of a recipient in the queue, in the order in which they are shown: how each is stored, and what it means.
 * `queued` and `deferred` are stored alike: a recipient is due at `due_at`.
 */
const table = {
  queued: { stored: 'queued', meaning: 'due now' },
  deferred: { stored: 'queued', meaning: 'due later' },
  sending: { stored: 'claimed', meaning: 'a process is sending it' },
  held: { stored: 'held', meaning: 'waits until it is released' },
  uncertain: {
    stored: 'uncertain',
    meaning: `${outcomes.uncertain.meaning}, and a person decides`,
  },
} as const

/** The states that the API shows. */
export type ShownState = keyof typeof table
export const shownStates = Object.keys(table) as ShownState[]

/** The states of the column. Recipients with any other outcome are deleted: the delivery log has it. */
export type QueueState = (typeof table)[ShownState]['stored']

const meanings = shownStates.map((each) => `\`${each}\`: ${table[each].meaning}`)
export const stateDescription = `${meanings.join('; ')}.`

export const lanes: readonly Lane[] = ['transactional', 'bulk']

/** The words of filters for values of `transport_id` that are no transport. */
export const transportNames = {
  default: defaultTransport,
  none: noTransport,
  unanswered: unansweredTransport,
} as const
export const transportWords = Object.keys(transportNames) as (keyof typeof transportNames)[]

/** Returns the state that the API shows. */
export function shownState(row: { state: QueueState; due_at: number }, now: number): ShownState {
  if (row.state === 'queued') return row.due_at > now ? 'deferred' : 'queued'
  return row.state === 'claimed' ? 'sending' : row.state
}

export function storedState(state: ShownState): QueueState {
  return table[state].stored
}

export function noCounts(): Record<ShownState, number> {
  return { queued: 0, deferred: 0, sending: 0, held: 0, uncertain: 0 }
}
