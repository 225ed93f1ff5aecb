import { AppError } from '../kit/app-error.ts'
import type { Caller } from '../kit/caller.ts'
import { mayUse } from '../resource/index.ts'
import { ConstraintError, routesChannel, type Storage } from '../storage/index.ts'
import type { TransportItem, TransportRow, Transports } from '../transports/index.ts'
import type { EmailAssignmentAnswer, EmailAssignmentInput, UserAssignmentAnswer } from './schema.ts'
import {
  type AssignedKind,
  type AssignmentStore,
  openAssignmentStore,
  writeAssignment,
} from './store.ts'
import type { AssignmentTargets } from './targets.ts'

/** A caller, in the namespace that a request chose. */
export interface AssignmentCaller extends Caller {
  /** Whether it is a caller of Mailyard itself, who may see the transports of every Mautic. Default: no. */
  readonly isOfMailyard?: boolean
}

/** The transports that emails and users are assigned to: those of the caller's Mautic, or Mailyard's own. */
export class Assignments {
  readonly #storage: Storage
  readonly #store: AssignmentStore
  readonly #transports: Transports
  readonly #targets: AssignmentTargets

  constructor(parts: { storage: Storage; transports: Transports; targets: AssignmentTargets }) {
    this.#storage = parts.storage
    this.#store = openAssignmentStore(parts.storage)
    this.#transports = parts.transports
    this.#targets = parts.targets
  }

  async getForEmail(emailId: number, caller: AssignmentCaller): Promise<EmailAssignmentAnswer> {
    const { id, name } = await this.#targets.getEmail(emailId, caller.mautic)
    const assigned = await this.#store.in(caller.mautic).findForEmail(id)
    const { transportId = null, useOwnerTransport = false } = assigned ?? {}
    const transport = await this.#presentTransport(transportId, caller)
    return { transportEmail: { email: { id, name }, transport, useOwnerTransport } }
  }

  async getForUser(userId: number, caller: AssignmentCaller): Promise<UserAssignmentAnswer> {
    const { id, username, email } = await this.#targets.getUser(userId, caller.mautic)
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
    await this.#assign({ kind: 'email', id: emailId }, input, caller)
    return this.getForEmail(emailId, caller)
  }

  async assignToUser(
    userId: number,
    transportId: number | null,
    caller: AssignmentCaller,
  ): Promise<UserAssignmentAnswer> {
    await this.#assign({ kind: 'user', id: userId }, { transportId }, caller)
    return this.getForUser(userId, caller)
  }

  async #assign(
    { kind, id }: { kind: AssignedKind; id: number },
    input: EmailAssignmentInput,
    caller: AssignmentCaller,
  ): Promise<void> {
    const { mautic: namespace } = caller
    const { transportId } = input
    const checkTarget = () =>
      kind === 'email'
        ? this.#targets.getEmail(id, namespace)
        : this.#targets.getUser(id, namespace)
    await checkTarget()
    if (transportId !== null) {
      const row = await this.#transports.findRow(transportId)
      const fault = transportFault(row, { id: transportId, caller })
      if (fault !== undefined) throw fault
    }
    try {
      await writeAssignment(this.#storage.tables(), { kind, namespace, id }, input)
    } catch (error) {
      if (!(error instanceof ConstraintError)) throw error
      // One of the two was deleted between the check and the change.
      await checkTarget()
      throw transportNotFound(transportId ?? 0)
    }
    this.#storage.notify(routesChannel)
  }

  async #presentTransport(id: number | null, caller: Caller): Promise<TransportItem | null> {
    const row = id === null ? undefined : await this.#transports.findRow(id)
    if (row === undefined || isHidden(row, caller)) return null
    return (await this.#transports.get(row.id, caller)).item
  }
}

/** Callers of a Mautic do not see the transports of others. */
function isHidden(row: TransportRow, { mautic }: Caller): boolean {
  return mautic !== undefined && !mayUse(row, mautic.id)
}

/** Returns why a transport cannot be assigned; undefined if it can. Callers of a Mautic do not see those of others. */
export function transportFault(
  row: Pick<TransportRow, 'mautic_id'> | undefined,
  { id, caller }: { id: number; caller: Pick<AssignmentCaller, 'mautic' | 'isOfMailyard'> },
): AppError | undefined {
  const { mautic, isOfMailyard = mautic === undefined } = caller
  if (row !== undefined && mayUse(row, mautic?.id)) return undefined
  if (row === undefined || !isOfMailyard) return transportNotFound(id)
  const which = mautic === undefined ? 'a connected' : 'another'
  const message =
    `Transport ${id} belongs to ${which} Mautic (id ${row.mautic_id}): only its messages are sent through it. ` +
    'Choose another transport, or change "mautic" of this one.'
  return new AppError('invalid', 'transport_of_mautic', message)
}

const transportNotFound = (id: number) =>
  new AppError('not_found', 'transport_not_found', `Transport not found: ${id}`)
