/** The columns of a brake that holds what Mailyard itself sends in bulk; a test adds the sender domain and the transport. */
export const brakedGroup = {
  mautic_id: 0,
  kind: 'refusals',
  messages: 60,
  affected: 58,
  braked_at: 1,
} as const
