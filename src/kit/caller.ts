/**
 * Who asks: a user, or an OAuth client that acts for itself. Rooms see this and nothing else of
 * authentication.
 */
export interface Caller {
  /** Undefined for a client that acts for itself. */
  readonly userId: number | undefined
  /** The id of the record of such a client. */
  readonly clientId?: number
  /** As shown in `createdBy`: "Ada Admin", the user name where no name is given, or the client's name. */
  readonly name: string
  readonly email: string | undefined
  readonly isAdmin: boolean
  /** Whether the caller's role grants `area:level`, such as `multipleTransports:edit`. */
  can(permission: string): boolean
}
