import { sql } from 'kysely'
import type { Caller } from '../kit/caller.ts'
import { type ListParameter, oneOf } from '../resource/index.ts'
import { type ListQuery, type ListTable, listRows, type Storage } from '../storage/index.ts'
import type { EmailAssignmentItem, UserAssignmentItem } from './schema.ts'
import type { Namespace } from './store.ts'

/** The members of a row that both lists have. */
interface AssignedRow {
  id: number
  transport_id: number | null
  transport_name: string | null
  transport_published: boolean | null
}

interface AssignedEmailRow extends AssignedRow {
  name: string
  is_published: boolean
  use_owner_transport: boolean
}

interface AssignedUserRow extends AssignedRow {
  username: string
  email: string
  is_published: boolean
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

const transportColumns = sql`transports.id as transport_id, transports.name as transport_name,
  transports.is_published as transport_published`

// A left join: an assignment whose transport is gone has no transport.
function emailTable(namespace: Namespace): ListTable {
  const { source, owner, isShown } = sourceOf('emails', namespace)
  return {
    table: 'assigned_emails',
    nameColumn: 'name',
    fields: emailListFields,
    from: sql`(select emails.id, emails.name, emails.is_published, ${owner}, emails.search_text,
      coalesce(assigned.use_owner_transport, false) as use_owner_transport, ${transportColumns}
      from ${source} on assigned.email_id = emails.id
      left join transports on transports.id = assigned.transport_id and ${isShown})`,
  }
}

function userTable(namespace: Namespace): ListTable {
  const { source, owner, isShown } = sourceOf('users', namespace)
  return {
    table: 'assigned_users',
    nameColumn: 'username',
    fields: userListFields,
    from: sql`(select users.id, users.username, users.email, users.is_published, ${owner},
      users.search_text, ${transportColumns}
      from ${source} on assigned.user_id = users.id
      left join transports on transports.id = assigned.transport_id and ${isShown})`,
  }
}

/** What a list joins: the emails or users of a namespace, and their assignments. */
function sourceOf(kind: 'emails' | 'users', namespace: Namespace) {
  const assigned = kind === 'emails' ? 'email_transports' : 'user_transports'
  if (namespace === undefined)
    return {
      source: sql`${sql.table(kind)} left join ${sql.table(assigned)} as assigned`,
      owner: sql`${sql.ref(`${kind}.created_by_id`)}`,
      isShown: sql`1 = 1`,
    }
  const ofMautic = (table: string) =>
    sql`(select * from ${sql.table(`mautic_${table}`)} where mautic_id = ${namespace.id})`
  return {
    source: sql`${ofMautic(kind)} as ${sql.table(kind)} left join ${ofMautic(assigned)} as assigned`,
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

/** The lists of emails and users with their transports: those of the caller's Mautic, or Mailyard's own. */
export function openAssignmentLists(storage: Storage) {
  return {
    emails: openList(storage, emailTable, presentEmail),
    users: openList(storage, userTable, presentUser),
  }
}

function openList<Row extends AssignedRow, Item>(
  storage: Storage,
  tableOf: (namespace: Namespace) => ListTable,
  present: (row: Row) => Item,
) {
  const list = (query: ListQuery, caller: Caller) => {
    const found = listRows<Row>(storage, tableOf(caller.mautic), { query, caller })
    return {
      count: () => found.count(),
      async *pages() {
        for await (const rows of found.pages()) yield rows.map(present)
      },
    }
  }
  return {
    list,
    /** The entries with these ids, by id. */
    async findMany(ids: readonly number[], caller: Caller): Promise<Map<number, Item>> {
      const query = {
        start: 0,
        limit: undefined,
        filter: { op: 'ids' as const, ids: [...new Set(ids)] },
        order: [],
      }
      const found = new Map<number, Item>()
      const rows = listRows<Row>(storage, tableOf(caller.mautic), { query, caller })
      for await (const page of rows.pages()) for (const row of page) found.set(row.id, present(row))
      return found
    },
  }
}

function presentTransport({ transport_id: id, transport_name, transport_published }: AssignedRow) {
  if (id === null) return null
  return { id, name: transport_name ?? '', isPublished: Boolean(transport_published) }
}

function presentEmail(row: AssignedEmailRow): EmailAssignmentItem {
  return {
    email: { id: row.id, name: row.name, isPublished: Boolean(row.is_published) },
    transport: presentTransport(row),
    useOwnerTransport: Boolean(row.use_owner_transport),
  }
}

function presentUser(row: AssignedUserRow): UserAssignmentItem {
  const { id, username, email } = row
  return {
    user: { id, username, email, isPublished: Boolean(row.is_published) },
    transport: presentTransport(row),
  }
}
