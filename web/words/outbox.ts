import { formatNumber } from './format.ts'

/** The words of lists of what is sent to a receiver until it accepts it. */
export const outboxWords = {
  state: 'State',
  states: { queued: 'Waiting', done: 'Accepted', failed: 'Failed' },
  attempts: (count: number) =>
    count === 1 ? 'after 1 attempt' : `after ${formatNumber(count)} attempts`,
  added: 'Since',
  next: 'Next attempt',
  inTurn: 'after the one before it',
  actions: 'Action',
  retry: 'Send now',
} as const
