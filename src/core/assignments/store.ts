import type { Kysely } from 'kysely'
import type { CallerMautic } from '../../kit/caller.ts'
import { createLookUp, routesChannel, type Storage } from '../../platform/storage/index.ts'
import type { EmailTransportRow, UserTransportRow } from './table.ts'
import type { AssignedKind, AssignedTarget, AssignmentInput } from './targets.ts'

/** Whose ids emails and users have: those of a Mautic, or Mailyard's own if undefined. */
export type Namespace = Pick<CallerMautic, 'id'> | undefined

export interface EmailAssignment {
  transportId: number | null
  useOwnerTransport: boolean
}

export type AssignmentStore = ReturnType<typeof openAssignmentStore>
/** Those of one namespace. */
export type NamespaceAssignments = ReturnType<AssignmentStore['in']>

export function openAssignmentStore(storage: Storage) {
  const emails = openLookUp<EmailTransportRow>(storage, 'email')
  const users = openLookUp<UserTransportRow>(storage, 'user')
  const any = { email: openFindAny(storage, 'email'), user: openFindAny(storage, 'user') }
  return {
    /** Whether a Mautic has an assignment of a kind. */
    async hasAny(kind: AssignedKind, mauticId: number): Promise<boolean> {
      return (await any[kind]({ mauticId })) !== undefined
    },
    in: (namespace: Namespace) => ({
      async findForEmail(emailId: number): Promise<EmailAssignment | undefined> {
        const row = await emails(namespace, emailId)
        if (row === undefined) return undefined
        const { transport_id: transportId, use_owner_transport: useOwnerTransport } = row
        return { transportId, useOwnerTransport: Boolean(useOwnerTransport) }
      },
      async findForUser(userId: number): Promise<number | undefined> {
        return (await users(namespace, userId))?.transport_id
      },
    }),
  }
}

/** The tables of all kinds and namespaces: they have the same columns but for the ids. */
type Tables = Record<string, Record<string, number | boolean | null>>

const tableOf = (kind: AssignedKind, namespace: Namespace) =>
  `${namespace === undefined ? '' : 'mautic_'}${kind}_transports`

/** The columns of the key, and their values. */
const assignedKey = (kind: AssignedKind, namespace: Namespace, id: number) => ({
  ...(namespace === undefined ? {} : { mautic_id: namespace.id }),
  [`${kind}_id`]: id,
})

/** Every message needs the look-ups, so their SQL is compiled once. */
function openLookUp<Row>(storage: Storage, kind: AssignedKind) {
  const db = storage.tables<Tables>()
  const openFor = (namespace: Namespace) =>
    createLookUp<{ mauticId: number; id: number }, Row>(storage, ({ mauticId, id }) =>
      db
        .selectFrom(tableOf(kind, namespace))
        .selectAll()
        .where((where) => where.and(assignedKey(kind, namespace && { id: mauticId }, id))),
    )
  const findOwn = openFor(undefined)
  const findOfMautic = openFor({ id: 0 })
  return (namespace: Namespace, id: number) =>
    namespace === undefined
      ? findOwn({ mauticId: 0, id })
      : findOfMautic({ mauticId: namespace.id, id })
}

/** Finds any assignment of a kind in a Mautic. */
function openFindAny(storage: Storage, kind: AssignedKind) {
  const rows = storage.tables<Tables>().selectFrom(tableOf(kind, { id: 0 }))
  return createLookUp<{ mauticId: number }, object>(storage, ({ mauticId }) =>
    rows.select('mautic_id').where('mautic_id', '=', mauticId).limit(1),
  )
}

/**
 * Writes the assignment of an email or a user. Without a transport it is deleted, unless the transport of the owner is asked
 * for. Default of `useOwnerTransport`, which only emails have: unchanged.
 *
 * @throws ConstraintError where the transport, or an email or user of Mailyard, does not exist.
 */
export async function writeAssignment(
  tx: Kysely<object>,
  { kind, namespace, id }: AssignedTarget & { namespace: Namespace },
  { transportId, useOwnerTransport }: AssignmentInput,
): Promise<void> {
  const db = tx.withTables<Tables>()
  const table = tableOf(kind, namespace)
  const key = assignedKey(kind, namespace, id)
  if (transportId === null && useOwnerTransport !== true) {
    await db
      .deleteFrom(table)
      .where((where) => where.and(key))
      .execute()
    return
  }
  const change = {
    transport_id: transportId,
    ...(kind === 'email' ? { deleted_transport_id: null } : {}),
    ...(useOwnerTransport === undefined ? {} : { use_owner_transport: useOwnerTransport }),
  }
  await db
    .insertInto(table)
    .values({ ...key, ...(kind === 'email' ? { use_owner_transport: false } : {}), ...change })
    .onConflict((conflict) => conflict.columns(Object.keys(key)).doUpdateSet(change))
    .execute()
}

/** Deletes the assignments of a Mautic whose ids mean other records than before. */
export async function removeMauticAssignments(storage: Storage, mauticId: number): Promise<void> {
  const db = storage.tables<Tables>()
  for (const kind of ['email', 'user'] as const)
    await db.deleteFrom(`mautic_${kind}_transports`).where('mautic_id', '=', mauticId).execute()
  storage.notify(routesChannel)
}
