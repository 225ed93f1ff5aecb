import { sql } from 'kysely'
import type { Caller } from '../kit/caller.ts'
import { type ListParameter, oneOf } from '../resource/index.ts'
import { type ListQuery, type ListTable, listRows, type Storage } from '../storage/index.ts'
import type { AssignedKind, Namespace } from './store.ts'

/** The members of a row that both lists have. */
interface AssignedRow {
  id: number
  is_published: boolean
  transport_id: number | null
  transport_name: string | null
  transport_published: boolean | null
}

interface AssignedEmailRow extends AssignedRow {
  name: string
  use_owner_transport: boolean
}

interface AssignedUserRow extends AssignedRow {
  username: string
  email: string
}

const commonFields = {
  id: { column: 'id', type: 'number' },
  isPublished: { column: 'is_published', type: 'boolean' },
  transportId: { column: 'transport_id', type: 'number' },
  transportName: { column: 'transport_name', type: 'text' },
} as const

export const emailListFields = {
  ...commonFields,
  name: { column: 'name', type: 'text' },
  useOwnerTransport: { column: 'use_owner_transport', type: 'boolean' },
} as const

export const userListFields = {
  ...commonFields,
  username: { column: 'username', type: 'text' },
  email: { column: 'email', type: 'text' },
} as const

/** The emails or users of a namespace with their transports. A left join: where a transport is gone, there is none. */
function listTable(kind: AssignedKind, namespace: Namespace): ListTable {
  const { source, owner, isShown } = sourceOf(kind, namespace)
  const { nameColumn, fields, columns } = kinds[kind]
  const records = sql.table(`${kind}s`)
  return {
    table: `assigned_${kind}s`,
    nameColumn,
    fields,
    from: sql`(select ${records}.id, ${records}.is_published, ${records}.search_text, ${owner}, ${columns},
      transports.id as transport_id, transports.name as transport_name,
      transports.is_published as transport_published
      from ${source} on assigned.${sql.ref(`${kind}_id`)} = ${records}.id
      left join transports on transports.id = assigned.transport_id and ${isShown})`,
  }
}

/** What differs between the lists. */
const kinds = {
  email: {
    nameColumn: 'name',
    fields: emailListFields,
    columns: sql`emails.name, coalesce(assigned.use_owner_transport, false) as use_owner_transport`,
  },
  user: {
    nameColumn: 'username',
    fields: userListFields,
    columns: sql`users.username, users.email`,
  },
}

/** What a list joins: the emails or users of a namespace, and their assignments. */
function sourceOf(kind: AssignedKind, namespace: Namespace) {
  const records = `${kind}s`
  const assigned = `${kind}_transports`
  if (namespace === undefined)
    return {
      source: sql`${sql.table(records)} left join ${sql.table(assigned)} as assigned`,
      owner: sql`${sql.ref(`${records}.created_by_id`)}`,
      isShown: sql`1 = 1`,
    }
  const ofMautic = (table: string) =>
    sql`(select * from ${sql.table(`mautic_${table}`)} where mautic_id = ${namespace.id})`
  return {
    source: sql`${ofMautic(records)} as ${sql.table(records)} left join ${ofMautic(assigned)} as assigned`,
    owner: sql`null as created_by_id`,
    // Callers of a Mautic do not see the transports of others.
    isShown: sql`coalesce(transports.mautic_id, 0) in (0, ${namespace.id})`,
  }
}

const flag = (field: string, value: boolean) => ({ op: 'eq', field, value }) as const

const transportParameter: ListParameter = {
  fault: 'must be the id of a transport, or default for those without one',
  toFilter(text) {
    const id = text === 'default' ? 0 : /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined
    return id === undefined ? undefined : { op: 'eq', field: 'transportId', value: id }
  },
}

/** The query parameters of both lists. */
export const userListParameters = {
  transport: transportParameter,
  state: oneOf({ published: flag('isPublished', true), unpublished: flag('isPublished', false) }),
}

export const emailListParameters = {
  ...userListParameters,
  useOwnerTransport: oneOf({
    '1': flag('useOwnerTransport', true),
    '0': flag('useOwnerTransport', false),
  }),
}

/** A list of emails or users with their transports: those of the caller's Mautic, or Mailyard's own. */
export class AssignmentList<Item extends object> {
  readonly #storage: Storage
  readonly #kind: AssignedKind

  constructor(storage: Storage, kind: AssignedKind) {
    this.#storage = storage
    this.#kind = kind
  }

  list(query: ListQuery, caller: Caller) {
    const rows = this.#rows(query, caller)
    return {
      count: () => rows.count(),
      async *pages() {
        for await (const page of rows.pages()) yield page.map((row) => present(row) as Item)
      },
    }
  }

  /** Returns the entries with these ids, by id. */
  async findMany(ids: readonly number[], caller: Caller) {
    const filter = { op: 'ids' as const, ids: [...new Set(ids)] }
    const rows = this.#rows({ start: 0, limit: undefined, filter, order: [] }, caller)
    const entries = new Map<number, Item>()
    for await (const page of rows.pages())
      for (const row of page) entries.set(row.id, present(row) as Item)
    return entries
  }

  #rows(query: ListQuery, caller: Caller) {
    const table = listTable(this.#kind, caller.mautic)
    return listRows<AssignedEmailRow | AssignedUserRow>(this.#storage, table, { query, caller })
  }
}

function presentTransport({ transport_id: id, transport_name, transport_published }: AssignedRow) {
  if (id === null) return null
  return { id, name: transport_name ?? '', isPublished: Boolean(transport_published) }
}

function present(row: AssignedEmailRow | AssignedUserRow): object {
  const { id } = row
  const isPublished = Boolean(row.is_published)
  const transport = presentTransport(row)
  if ('username' in row) {
    const { username, email } = row
    return { user: { id, username, email, isPublished }, transport }
  }
  const useOwnerTransport = Boolean(row.use_owner_transport)
  return { email: { id, name: row.name, isPublished }, transport, useOwnerTransport }
}
