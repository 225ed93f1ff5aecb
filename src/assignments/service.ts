import type { Auth } from '../auth/index.ts'
import type { Emails } from '../emails/index.ts'
import { unwrap } from '../kit/batch-item-result.ts'
import type { Caller } from '../kit/caller.ts'
import { mayUse } from '../resource/index.ts'
import type { Storage } from '../storage/index.ts'
import type { TransportItem, TransportRow, Transports } from '../transports/index.ts'
import {
  type AssignmentCaller,
  type AssignmentEntry,
  ManyAssignments,
  type MauticDirectory,
  targetNotFound,
} from './assign-many.ts'
import type { EmailAssignmentAnswer, EmailAssignmentInput, UserAssignmentAnswer } from './schema.ts'
import { type AssignedKind, type AssignmentStore, openAssignmentStore } from './store.ts'

interface AssignmentsParts {
  storage: Storage
  transports: Transports
  emails: Pick<Emails, 'getRow'>
  users: Pick<Auth['users'], 'getRow'>
  mautics: MauticDirectory
}

/** The transports that emails and users are assigned to: those of the caller's Mautic, or Mailyard's own. */
export class Assignments {
  readonly many: ManyAssignments
  readonly #parts: AssignmentsParts
  readonly #store: AssignmentStore

  constructor(parts: AssignmentsParts) {
    const { storage, mautics } = parts
    this.many = new ManyAssignments({ storage, mautics })
    this.#parts = parts
    this.#store = openAssignmentStore(storage)
  }

  /** Throws an AppError (`not_found`, `upstream`), as all methods do. */
  async getForEmail(emailId: number, caller: AssignmentCaller): Promise<EmailAssignmentAnswer> {
    const { id, name } = await this.#getTarget('email', emailId, caller)
    const assigned = await this.#store.in(caller.mautic).findForEmail(id)
    const { transportId = null, useOwnerTransport = false } = assigned ?? {}
    const transport = await this.#presentTransport(transportId, caller)
    return { transportEmail: { email: { id, name }, transport, useOwnerTransport } }
  }

  async getForUser(userId: number, caller: AssignmentCaller): Promise<UserAssignmentAnswer> {
    const { id, username, email } = await this.#getTarget('user', userId, caller)
    const transportId = (await this.#store.in(caller.mautic).findForUser(id)) ?? null
    const transport = await this.#presentTransport(transportId, caller)
    return { transportUser: { user: { id, username, email }, transport } }
  }

  /** Without a transport, deletes the assignment, unless the transport of the owner is asked for. */
  async assignToEmail(
    emailId: number,
    input: EmailAssignmentInput,
    caller: AssignmentCaller,
  ): Promise<EmailAssignmentAnswer> {
    await this.#assign('email', { emailId, ...input }, caller)
    return this.getForEmail(emailId, caller)
  }

  async assignToUser(
    userId: number,
    transportId: number | null,
    caller: AssignmentCaller,
  ): Promise<UserAssignmentAnswer> {
    await this.#assign('user', { userId, transportId }, caller)
    return this.getForUser(userId, caller)
  }

  async #assign(kind: AssignedKind, entry: AssignmentEntry, caller: AssignmentCaller) {
    const [result] = await this.many.assign([entry], { kind, caller })
    // As for other requests about one email or user, the error does not name its id.
    if (result?.ok === false && result.error.code === `${kind}_not_found`)
      await this.#getTarget(kind, entry.emailId ?? entry.userId ?? 0, caller)
    unwrap(result)
  }

  async #getTarget<Kind extends AssignedKind>(
    kind: Kind,
    id: number,
    { mautic }: Caller,
  ): Promise<Targets[Kind]> {
    const { emails, users, mautics } = this.#parts
    const find: { [Each in AssignedKind]: () => Promise<Targets[Each] | undefined> } =
      mautic === undefined
        ? { email: () => emails.getRow(id), user: () => users.getRow(id) }
        : {
            email: () => mautics.emails.find(mautic.id, id),
            user: () => mautics.users.find(mautic.id, id),
          }
    const target = await find[kind]()
    if (target === undefined) throw targetNotFound({ kind, id, mautic })
    return target
  }

  async #presentTransport(id: number | null, caller: Caller): Promise<TransportItem | null> {
    const { transports } = this.#parts
    const row = id === null ? undefined : await transports.findRow(id)
    if (row === undefined || isHidden(row, caller)) return null
    return (await transports.get(row.id, caller)).item
  }
}

/** What a transport is assigned to, as answers show it. */
interface Targets {
  email: { id: number; name: string }
  user: { id: number; username: string; email: string }
}

/** Callers of a Mautic do not see the transports of others. */
function isHidden(row: TransportRow, { mautic }: Caller): boolean {
  return mautic !== undefined && !mayUse(row, mautic.id)
}
