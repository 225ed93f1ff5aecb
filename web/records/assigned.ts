import { ask, type Schema } from '../lib/api.ts'
import type { BatchAnswer } from '../lib/batch.ts'

type AssignedTransport = Schema<'EmailAssignment'>['transport']

/** An email or a user, and its transport. */
export interface Row {
  id: number
  name: string
  transport: AssignedTransport
  /** Of emails only. */
  useOwnerTransport?: boolean
}

/** What an email or user is to be assigned to; what is left out stays. */
export interface Assignment {
  id: number
  transportId: number | null
  useOwnerTransport?: boolean | undefined
}

/** Emails or users, as the assignments of one kind. */
export interface AssignedKind {
  name: 'emails' | 'users'
  /** The permission to see them. */
  needs: string
  orderField: string
  /** The path of such records of Mailyard. */
  path: string
  load: (
    query: Record<string, string | number>,
    signal?: AbortSignal,
  ) => Promise<{ rows: Row[]; total: number }>
  assign: (mautic: string, assignments: readonly Assignment[]) => Promise<BatchAnswer>
}

export const assignedKinds: Readonly<Record<AssignedKind['name'], AssignedKind>> = {
  emails: {
    name: 'emails',
    needs: 'email:view',
    orderField: 'name',
    path: '/emails',
    async load(query, signal) {
      const path = '/api/multipleTransport/transportEmail'
      const { body } = await ask('GET', path, { query, signal })
      const rows = body.transportEmails.map(({ email, ...row }) => ({ ...email, ...row }))
      return { rows, total: body.total }
    },
    async assign(mautic, assignments) {
      const body = assignments.map(({ id, transportId, useOwnerTransport }) =>
        useOwnerTransport === undefined
          ? { emailId: id, transportId }
          : { emailId: id, transportId, useOwnerTransport },
      )
      const path = '/api/multipleTransport/transportEmail/batch'
      return (await ask('POST', path, { query: { mautic }, body })).body
    },
  },
  users: {
    name: 'users',
    needs: 'user:view',
    orderField: 'username',
    path: '/access/users',
    async load(query, signal) {
      const path = '/api/multipleTransport/transportUser'
      const { body } = await ask('GET', path, { query, signal })
      const rows = body.transportUsers.map(({ user: { id, username: name }, transport }) => ({
        id,
        name,
        transport,
      }))
      return { rows, total: body.total }
    },
    async assign(mautic, assignments) {
      const body = assignments.map(({ id, transportId }) => ({ userId: id, transportId }))
      const path = '/api/multipleTransport/transportUser/batch'
      return (await ask('POST', path, { query: { mautic }, body })).body
    },
  },
}
