import type { TransportRow } from '../../transports/index.ts'

/** What is known of a message when its way is chosen; each may be missing. */
export interface WayQuestion {
  /** A transport by name or id, as `X-Mailyard-Transport` names it. */
  transport?: string | undefined
  emailId?: number | undefined
  contactId?: number | undefined
  /** The user who owns the contact, where the contact does not say. */
  ownerId?: number | undefined
  /** The sender's address: that of a user makes this user the owner of a message without an email. */
  from?: string | undefined
}

/** Where a candidate came from. */
export type WaySource = 'named' | 'owner' | 'email' | 'default'

/** One transport that was thought of, in order, and why it was taken or not. */
export interface WayStep {
  source: WaySource
  /** Null where there was none to think of. */
  transport: { id: number; name: string } | null
  outcome: 'taken' | 'skipped'
  reason: string
}

/**
 * The transport that a message is sent through: a row, the configured default, none because nothing leads to
 * one, or none because the transport that the message names cannot be used.
 */
export type Exit =
  | { kind: 'transport'; row: TransportRow }
  | { kind: 'default' }
  | { kind: 'none' }
  | { kind: 'refused'; problem: string }

/** The way of a message, and how it was found. */
export interface Way {
  exit: Exit
  trace: readonly WayStep[]
}

/** Somebody whose transport may be used. */
export interface WayOwner {
  id: number
  username: string
}

/** A transport that a message names, and the transports that have this id or name. */
export interface NamedTransport {
  text: string
  rows: readonly TransportRow[]
}

/** What the choice is made of: everything that was looked up, so that the same facts give the same way. */
export interface WayFacts {
  /** Undefined where the message names none. */
  named?: NamedTransport | undefined
  /** The email and what is assigned to it; undefined where there is no email. */
  email?: { id: number; row: TransportRow | undefined; useOwnerTransport: boolean } | undefined
  /** Whose mail it is, and his transport. */
  owner?: { user: WayOwner; row: TransportRow | undefined } | undefined
  /** The ids that were asked with and stand for nothing. */
  unknown?: { email?: number; contact?: number; user?: number }
  /** Whether an operator has configured a default. */
  hasDefault: boolean
}
