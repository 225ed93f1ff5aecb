import type { SmtpMode } from './smtp-mode.ts'

/** The authenticated caller: a user, or an OAuth client that acts for itself. */
export interface Caller {
  /** Undefined for a client that acts for itself. */
  readonly userId: number | undefined
  /** The id of the client that acts for itself. */
  readonly clientId?: number
  /** The user name that a Mautic gives to a client of its own, which has no id. */
  readonly clientName?: string | undefined
  /** The name for `createdBy`: "Ada Admin", the user name of a user without names, or the client's name. */
  readonly name: string
  readonly email: string | undefined
  readonly isAdmin: boolean
  /** What 250 means to its SMTP clients. Default: the setting. */
  readonly smtpMode?: SmtpMode | undefined
  /** The Mautic that the caller comes from: ids of emails, users and contacts are that Mautic's. Default: Mailyard's own. */
  readonly mautic?: CallerMautic | undefined
  /** Whether the caller's role grants `area:level`, such as `multipleTransports:edit`. */
  can(permission: string): boolean
}

/** The name of the caller of commands, which no user or client has: it has no id. */
export const operatorName = 'Operator'

/** A connected Mautic. */
export interface CallerMautic {
  readonly id: number
  readonly name: string
  /** Whether the caller has a role of Mailyard (`roleMap`): its permissions apply to records without a Mautic too. */
  readonly hasOwnRole?: boolean
}

/** Identifies a caller across renames: by user or by client, of this installation or of a Mautic. */
export function callerKey({
  userId,
  clientId,
  clientName,
  mautic,
}: Pick<Caller, 'userId' | 'clientId' | 'clientName' | 'mautic'>): string {
  const key = userId === undefined ? `client ${clientId ?? clientName}` : `user ${userId}`
  return mautic === undefined ? key : `mautic ${mautic.id} ${key}`
}

/** The caller's id among the users of this installation; undefined for a client, and for a caller of a Mautic. */
export function ownUserId({ userId, mautic }: Pick<Caller, 'userId' | 'mautic'>) {
  return mautic === undefined ? userId : undefined
}
