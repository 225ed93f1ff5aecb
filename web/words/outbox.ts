/** The words of lists of what is sent to a receiver until it accepts it. */
export const outboxWords = {
  states: { queued: 'Waiting', done: 'Accepted', failed: 'Failed' },
  every: 'Every state',
  added: 'Since',
  next: 'Next attempt',
  inTurn: 'after the one before it',
  actions: 'Action',
  retry: 'Send now',
} as const
