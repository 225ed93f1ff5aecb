import { AppError } from '../kit/app-error.ts'
import type { Caller } from '../kit/caller.ts'
import { mayUse } from '../resource/index.ts'
import { ConstraintError, type Storage } from '../storage/index.ts'
import type { TransportItem, TransportRow, Transports } from '../transports/index.ts'
import type { EmailAssignmentAnswer, EmailAssignmentInput, UserAssignmentAnswer } from './schema.ts'
import { openAssignmentStore } from './store.ts'
import { createTargetsOf, type TargetOptions } from './targets.ts'

/** Options of `openAssignments`. */
export interface AssignmentsOptions extends TargetOptions {
  storage: Storage
  transports: Transports
}

/** A caller, in the namespace that a request chose. */
export interface AssignmentCaller extends Caller {
  /** Whether it is a caller of Mailyard itself, who may see the transports of every Mautic. Default: no. */
  readonly isOfMailyard?: boolean
}

/** The transports that emails and users are assigned to: those of the caller's Mautic, or Mailyard's own. */
export interface Assignments {
  getForEmail(emailId: number, caller: AssignmentCaller): Promise<EmailAssignmentAnswer>
  /** Without a transport, deletes the assignment, unless the transport of the owner is asked for. */
  assignToEmail(
    emailId: number,
    input: EmailAssignmentInput,
    caller: AssignmentCaller,
  ): Promise<EmailAssignmentAnswer>
  getForUser(userId: number, caller: AssignmentCaller): Promise<UserAssignmentAnswer>
  assignToUser(
    userId: number,
    transportId: number | null,
    caller: AssignmentCaller,
  ): Promise<UserAssignmentAnswer>
}

export function openAssignments(options: AssignmentsOptions): Assignments {
  const { transports } = options
  const store = openAssignmentStore(options.storage)
  const targetsOf = createTargetsOf(options)
  const show = createShow(options)
  return {
    ...show,
    async assignToEmail(emailId, { transportId, useOwnerTransport }, caller) {
      const { mautic } = caller
      const getEmail = () => targetsOf(mautic).getEmail(emailId)
      await getEmail()
      if (transportId === null && useOwnerTransport !== true)
        await store.in(mautic).removeFromEmail(emailId)
      else {
        if (transportId !== null) await checkTransport(transports, transportId, caller)
        const change = useOwnerTransport === undefined ? {} : { useOwnerTransport }
        await store
          .in(mautic)
          .assignToEmail(emailId, { transportId, ...change })
          .catch(throwMissing(getEmail, transportId))
      }
      return show.getForEmail(emailId, caller)
    },
    async assignToUser(userId, transportId, caller) {
      const { mautic } = caller
      const getUser = () => targetsOf(mautic).getUser(userId)
      await getUser()
      if (transportId === null) await store.in(mautic).removeFromUser(userId)
      else {
        await checkTransport(transports, transportId, caller)
        await store
          .in(mautic)
          .assignToUser(userId, transportId)
          .catch(throwMissing(getUser, transportId))
      }
      return show.getForUser(userId, caller)
    },
  }
}

/** Reads assignments as this caller may see them. */
function createShow(options: AssignmentsOptions): Pick<Assignments, 'getForEmail' | 'getForUser'> {
  const { transports } = options
  const store = openAssignmentStore(options.storage)
  const targetsOf = createTargetsOf(options)
  const presentTransport = async (
    id: number | null,
    caller: Caller,
  ): Promise<TransportItem | null> => {
    const row = id === null ? undefined : await transports.findRow(id)
    if (row === undefined || isHidden(row, caller)) return null
    return (await transports.get(row.id, caller)).item
  }
  return {
    async getForEmail(emailId, caller) {
      const { mautic } = caller
      const { id, name } = await targetsOf(mautic).getEmail(emailId)
      const assigned = await store.in(mautic).findForEmail(id)
      const { transportId = null, useOwnerTransport = false } = assigned ?? {}
      const transport = await presentTransport(transportId, caller)
      return { transportEmail: { email: { id, name }, transport, useOwnerTransport } }
    },
    async getForUser(userId, caller) {
      const { mautic } = caller
      const { id, username, email } = await targetsOf(mautic).getUser(userId)
      const transportId = await store.in(mautic).findForUser(id)
      const transport = await presentTransport(transportId ?? null, caller)
      return { transportUser: { user: { id, username, email }, transport } }
    },
  }
}

/** Callers of a Mautic do not see the transports of others. */
function isHidden(row: TransportRow, { mautic }: Caller): boolean {
  return mautic !== undefined && !mayUse(row, mautic.id)
}

async function checkTransport(
  transports: Transports,
  id: number,
  caller: AssignmentCaller,
): Promise<void> {
  const fault = transportFault(await transports.findRow(id), { id, caller })
  if (fault !== undefined) throw fault
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

/** Finds which of the two was deleted between the check and the change, and throws its `not_found`. */
function throwMissing(getTarget: () => Promise<unknown>, transportId: number | null) {
  return async (error: unknown): Promise<never> => {
    if (!(error instanceof ConstraintError)) throw error
    await getTarget()
    throw transportNotFound(transportId ?? 0)
  }
}

const transportNotFound = (id: number) =>
  new AppError('not_found', 'transport_not_found', `Transport not found: ${id}`)
