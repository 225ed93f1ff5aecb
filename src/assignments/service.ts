import type { Auth } from '../auth/index.ts'
import type { Emails } from '../emails/index.ts'
import { AppError } from '../kit/app-error.ts'
import type { Caller } from '../kit/caller.ts'
import { ConstraintError, type Storage } from '../storage/index.ts'
import type { TransportItem, Transports } from '../transports/index.ts'
import type { EmailAssignmentAnswer, EmailAssignmentInput, UserAssignmentAnswer } from './schema.ts'
import { openAssignmentStore } from './store.ts'

/** Options of `openAssignments`. */
export interface AssignmentsOptions {
  storage: Storage
  emails: Emails
  users: Auth['users']
  transports: Transports
}

/** The transports that emails and users are assigned to. */
export interface Assignments {
  getForEmail(emailId: number, caller: Caller): Promise<EmailAssignmentAnswer>
  /** Without a transport, deletes the assignment, unless the transport of the owner is asked for. */
  assignToEmail(
    emailId: number,
    input: EmailAssignmentInput,
    caller: Caller,
  ): Promise<EmailAssignmentAnswer>
  getForUser(userId: number, caller: Caller): Promise<UserAssignmentAnswer>
  assignToUser(
    userId: number,
    transportId: number | null,
    caller: Caller,
  ): Promise<UserAssignmentAnswer>
}

export function openAssignments(options: AssignmentsOptions): Assignments {
  const { emails, users, transports } = options
  const store = openAssignmentStore(options.storage)

  const presentTransport = async (
    id: number | null,
    caller: Caller,
  ): Promise<TransportItem | null> => {
    if (id === null || (await transports.findRow(id)) === undefined) return null
    return (await transports.get(id, caller)).item
  }

  const getForEmail = async (emailId: number, caller: Caller) => {
    const { id, name } = await emails.getRow(emailId)
    const { transportId = null, useOwnerTransport = false } = (await store.findForEmail(id)) ?? {}
    const transport = await presentTransport(transportId, caller)
    return { transportEmail: { email: { id, name }, transport, useOwnerTransport } }
  }
  const getForUser = async (userId: number, caller: Caller) => {
    const { id, username, email } = await users.getRow(userId)
    const transport = await presentTransport((await store.findForUser(id)) ?? null, caller)
    return { transportUser: { user: { id, username, email }, transport } }
  }
  return {
    getForEmail,
    getForUser,
    async assignToEmail(emailId, { transportId, useOwnerTransport }, caller) {
      await emails.getRow(emailId)
      if (transportId === null && useOwnerTransport !== true) await store.removeFromEmail(emailId)
      else {
        if (transportId !== null) await checkTransport(transports, transportId)
        const change = useOwnerTransport === undefined ? {} : { useOwnerTransport }
        await store
          .assignToEmail(emailId, { transportId, ...change })
          .catch(throwMissing(() => emails.getRow(emailId), transportId))
      }
      return getForEmail(emailId, caller)
    },
    async assignToUser(userId, transportId, caller) {
      await users.getRow(userId)
      if (transportId === null) await store.removeFromUser(userId)
      else {
        await checkTransport(transports, transportId)
        await store
          .assignToUser(userId, transportId)
          .catch(throwMissing(() => users.getRow(userId), transportId))
      }
      return getForUser(userId, caller)
    },
  }
}

async function checkTransport(transports: Transports, id: number): Promise<void> {
  if ((await transports.findRow(id)) === undefined) throw transportNotFound(id)
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
