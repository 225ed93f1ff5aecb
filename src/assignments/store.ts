import type { Kysely } from 'kysely'
import type { CallerMautic } from '../kit/caller.ts'
import type { MaybePromise } from '../kit/maybe-promise.ts'
import { createLookUp, type Storage } from '../storage/index.ts'
import type { AssignmentTables, EmailTransportRow, UserTransportRow } from './table.ts'

/** The assignment of an email. */
export interface EmailAssignment {
  transportId: number | null
  useOwnerTransport: boolean
}

/** Whose ids emails and users have: those of a Mautic, or Mailyard's own if undefined. */
export type Namespace = Pick<CallerMautic, 'id'> | undefined

/** Changes of assignments in one namespace. */
export interface AssignmentChanges {
  /** Default of `useOwnerTransport`: unchanged. Throws ConstraintError where email or transport does not exist. */
  assignToEmail(emailId: number, assignment: Partial<EmailAssignment>): Promise<void>
  removeFromEmail(emailId: number): Promise<void>
  assignToUser(userId: number, transportId: number): Promise<void>
  removeFromUser(userId: number): Promise<void>
}

/** The stored assignments of one namespace. */
export interface NamespaceAssignments extends AssignmentChanges {
  findForEmail(emailId: number): Promise<EmailAssignment | undefined>
  findForUser(userId: number): Promise<number | undefined>
}

/** The stored assignments. */
export interface AssignmentStore {
  in(namespace: Namespace): NamespaceAssignments
}

export function openAssignmentStore(storage: Storage): AssignmentStore {
  const db = storage.tables<object>()
  const ownLookUps = openOwnLookUps(storage)
  const mauticLookUps = openMauticLookUps(storage)
  return {
    in(namespace) {
      const lookUps = namespace === undefined ? ownLookUps : mauticLookUps(namespace.id)
      return {
        async findForEmail(emailId) {
          const row = await lookUps.ofEmail(emailId)
          return row === undefined ? undefined : toAssignment(row)
        },
        async findForUser(userId) {
          return (await lookUps.ofUser(userId))?.transport_id
        },
        ...changesIn(db, namespace),
      }
    },
  }
}

/** Every message needs them, so their SQL is compiled once. */
interface LookUps {
  ofEmail: (id: number) => MaybePromise<EmailTransportRow | undefined>
  ofUser: (id: number) => MaybePromise<Pick<UserTransportRow, 'transport_id'> | undefined>
}

function openOwnLookUps(storage: Storage): LookUps {
  const db = storage.tables<AssignmentTables>()
  return {
    ofEmail: createLookUp(storage, () =>
      db.selectFrom('email_transports').selectAll().where('email_id', '=', 0).compile(),
    ),
    ofUser: createLookUp(storage, () =>
      db.selectFrom('user_transports').select('transport_id').where('user_id', '=', 0).compile(),
    ),
  }
}

function openMauticLookUps(storage: Storage): (mauticId: number) => LookUps {
  const db = storage.tables<AssignmentTables>()
  const ofEmail = createLookUp<EmailTransportRow>(storage, () =>
    db
      .selectFrom('mautic_email_transports')
      .selectAll()
      .where('mautic_id', '=', 0)
      .where('email_id', '=', 0)
      .compile(),
  )
  const ofUser = createLookUp<UserTransportRow>(storage, () =>
    db
      .selectFrom('mautic_user_transports')
      .selectAll()
      .where('mautic_id', '=', 0)
      .where('user_id', '=', 0)
      .compile(),
  )
  return (mauticId) => ({
    ofEmail: (id) => ofEmail(mauticId, id),
    ofUser: (id) => ofUser(mauticId, id),
  })
}

/** The tables of a namespace, and the columns that its rows have in common. */
function tablesOf(namespace: Namespace) {
  // The tables of Mautics have the same columns, and the id of the Mautic.
  if (namespace === undefined)
    return { emails: 'email_transports', users: 'user_transports', key: {} } as const
  const key = { mautic_id: namespace.id }
  return {
    emails: 'mautic_email_transports' as 'email_transports',
    users: 'mautic_user_transports' as 'user_transports',
    key: key as object,
  }
}

/** The changes on a database, or in a transaction. */
export function changesIn(tx: Kysely<object>, namespace: Namespace): AssignmentChanges {
  const db = tx.withTables<AssignmentTables>()
  const { emails, users, key } = tablesOf(namespace)
  const keyColumns = Object.keys(key) as never[]
  return {
    async assignToEmail(emailId, { transportId = null, useOwnerTransport }) {
      const change = {
        transport_id: transportId,
        deleted_transport_id: null,
        ...(useOwnerTransport === undefined ? {} : { use_owner_transport: useOwnerTransport }),
      }
      await db
        .insertInto(emails)
        .values({ ...key, email_id: emailId, use_owner_transport: false, ...change })
        .onConflict((conflict) => conflict.columns([...keyColumns, 'email_id']).doUpdateSet(change))
        .execute()
    },
    async removeFromEmail(emailId) {
      const rows = db.deleteFrom(emails).where('email_id', '=', emailId)
      await rows.where((where) => where.and(key)).execute()
    },
    async assignToUser(userId, transportId) {
      const change = { transport_id: transportId }
      await db
        .insertInto(users)
        .values({ ...key, user_id: userId, ...change })
        .onConflict((conflict) => conflict.columns([...keyColumns, 'user_id']).doUpdateSet(change))
        .execute()
    },
    async removeFromUser(userId) {
      const rows = db.deleteFrom(users).where('user_id', '=', userId)
      await rows.where((where) => where.and(key)).execute()
    },
  }
}

function toAssignment(row: EmailTransportRow): EmailAssignment {
  return {
    transportId: row.transport_id,
    useOwnerTransport: Boolean(row.use_owner_transport),
  }
}

/** Deletes the assignments of a Mautic whose ids mean other records than before. */
export async function removeMauticAssignments(tx: Kysely<object>, mauticId: number): Promise<void> {
  const db = tx.withTables<AssignmentTables>()
  await db.deleteFrom('mautic_email_transports').where('mautic_id', '=', mauticId).execute()
  await db.deleteFrom('mautic_user_transports').where('mautic_id', '=', mauticId).execute()
}
