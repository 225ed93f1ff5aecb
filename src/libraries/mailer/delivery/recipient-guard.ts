/**
 * Decides who gets mail. A message to others is given to `capture` of the mailer instead of a server.
 * @example
 * ```ts
 * const guard: RecipientGuard = {
 *   allows: (address) => address.endsWith('@example.com'),
 *   reason: 'Mail of this test system goes to example.com only.',
 * }
 * const mailer = createMailer({ guard, capture: async () => ({ outcome: 'captured', id: 1 }) })
 * ```
 */
export interface RecipientGuard {
  /** Whether mail to an address may leave. It is asked for each recipient of each message, and must not throw. */
  allows(address: string): boolean
  /** Why the others get no mail, for replies and reports: a sentence. */
  readonly reason: string
}
