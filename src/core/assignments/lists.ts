import { type RawBuilder, sql } from 'kysely'
import type { Caller } from '../../kit/caller.ts'
import { usersOf } from '../../platform/auth/index.ts'
import { seenBy } from '../../platform/resource/index.ts'
import {
  type ListQuery,
  type ListTable,
  listRows,
  type Storage,
} from '../../platform/storage/index.ts'
import type { Namespace } from './store.ts'
import { type AssignedKind, targets } from './targets.ts'

/** A row of a list, with the texts that its record is shown by. */
interface AssignedRow extends Readonly<Record<string, unknown>> {
  id: number
  is_published: boolean
  transport_id: number | null
  transport_name: string | null
  transport_published: boolean | null
  /** Only of emails. */
  use_owner_transport?: boolean
}

/** An entry of a list: an email or a user as the API shows it, and their transport. */
interface AssignmentItem {
  email?: { id: number }
  user?: { id: number; username: string }
  transport: { id: number; name: string; isPublished: boolean } | null
  useOwnerTransport?: boolean
}

/** The emails or users of a namespace with their transports. A left join: where a transport is gone, there is none. */
function listTable(kind: AssignedKind, caller: Caller): ListTable {
  const { source, owner } = sourceOf(kind, caller.mautic)
  const { names, fields } = targets[kind]
  const records = `${kind}s`
  const columns: RawBuilder<unknown>[] = names.map((name) => sql.ref(`${records}.${name}`))
  if (kind === 'email')
    columns.push(sql`coalesce(assigned.use_owner_transport, false) as use_owner_transport`)
  return {
    table: `assigned_${records}`,
    nameColumn: names[0] ?? 'id',
    fields,
    from: sql`(select ${sql.ref(`${records}.id`)}, ${sql.ref(`${records}.is_published`)},
      ${sql.ref(`${records}.search_text`)}, ${owner}, ${sql.join(columns)},
      transports.id as transport_id, transports.name as transport_name,
      transports.is_published as transport_published
      from ${source} on assigned.${sql.ref(`${kind}_id`)} = ${sql.ref(`${records}.id`)}
      left join transports on transports.id = assigned.transport_id
        and ${seenBy(caller, 'transports.brand_id')}
      where ${isTarget(kind, caller)})`,
  }
}

/** What a list joins: the emails or users of a namespace, and their assignments. */
function sourceOf(kind: AssignedKind, namespace: Namespace) {
  const records = `${kind}s`
  const assigned = `${kind}_transports`
  if (namespace === undefined)
    return {
      source: sql`${sql.table(records)} left join ${sql.table(assigned)} as assigned`,
      owner: sql`${sql.ref(`${records}.created_by_id`)}`,
    }
  const ofMautic = (table: string) =>
    sql`(select * from ${sql.table(`mautic_${table}`)} where mautic_id = ${namespace.id})`
  return {
    source: sql`${ofMautic(records)} as ${sql.table(records)} left join ${ofMautic(assigned)} as assigned`,
    owner: sql`null as created_by_id`,
  }
}

/** Which emails or users exist for a caller; those of a Mautic are chosen by it. */
function isTarget(kind: AssignedKind, caller: Caller): RawBuilder<unknown> {
  if (caller.mautic !== undefined) return sql`1 = 1`
  return kind === 'email' ? seenBy(caller, 'emails.brand_id') : usersOf(caller)
}

/** A list of emails or users with their transports: those of the caller's Mautic, or Mailyard's own. */
export class AssignmentList {
  readonly #storage: Storage
  readonly #kind: AssignedKind

  constructor(storage: Storage, kind: AssignedKind) {
    this.#storage = storage
    this.#kind = kind
  }

  list(query: ListQuery, caller: Caller) {
    const rows = this.#rows(query, caller)
    const present = (row: AssignedRow) => this.#present(row)
    return {
      count: () => rows.count(),
      async *pages() {
        for await (const page of rows.pages()) yield page.map(present)
      },
    }
  }

  /** Returns the entries with these ids, by id. */
  async findMany(ids: readonly number[], caller: Caller) {
    const filter = { op: 'ids' as const, ids: [...new Set(ids)] }
    const rows = this.#rows({ start: 0, limit: undefined, filter, order: [] }, caller)
    const entries = new Map<number, AssignmentItem>()
    for await (const page of rows.pages())
      for (const row of page) entries.set(row.id, this.#present(row))
    return entries
  }

  #rows(query: ListQuery, caller: Caller) {
    const table = listTable(this.#kind, caller)
    return listRows<AssignedRow>(this.#storage, table, { query, caller })
  }

  #present(row: AssignedRow): AssignmentItem {
    const { id, transport_id: transportId, transport_name: name } = row
    const texts = Object.fromEntries(targets[this.#kind].names.map((each) => [each, row[each]]))
    const isPublished = Boolean(row.transport_published)
    return {
      [this.#kind]: { id, ...texts, isPublished: Boolean(row.is_published) },
      transport: transportId === null ? null : { id: transportId, name: name ?? '', isPublished },
      ...(this.#kind === 'email' && { useOwnerTransport: Boolean(row.use_owner_transport) }),
    }
  }
}
