import { defaultTransport, noTransport } from '../delivery/index.ts'
import type { Migrations } from '../storage/index.ts'

/** A change after which messages may have another route. */
interface RoutingChange {
  table: string
  event: 'insert' | 'update' | 'delete'
  /** Default: each such change. */
  when?: string
  /** The transport that messages may have waited for. */
  transport: string
  /** The Mautic whose messages may have waited for any; 0 for Mailyard's own, null for all. */
  mautic: string
  /** The Mautic whose messages may have waited for `transport`. */
  transportMautic: string
}

const events = ['insert', 'update', 'delete'] as const

const transportChanges = events.map((event): RoutingChange => {
  const row = event === 'delete' ? 'old' : 'new'
  return {
    table: 'transports',
    event,
    // Encrypting a DSN again is no edit.
    ...(event === 'update' ? { when: 'new.revision <> old.revision' } : {}),
    transport: `${row}.id`,
    mautic: `${row}.mautic_id`,
    transportMautic: 'null',
  }
})

/** Without a transport, the messages of an email were sent through the default. */
const previousTransport = `coalesce(old.transport_id, ${defaultTransport})`

const assignmentChanges = (['email', 'user'] as const).flatMap((target) =>
  [true, false].flatMap((isOfMautic) =>
    events.map((event): RoutingChange => {
      const mautic = isOfMautic ? `${event === 'delete' ? 'old' : 'new'}.mautic_id` : '0'
      return {
        table: `${isOfMautic ? 'mautic_' : ''}${target}_transports`,
        event,
        transport: event === 'insert' ? String(defaultTransport) : previousTransport,
        mautic,
        transportMautic: mautic,
      }
    }),
  ),
)

const mauticChange: RoutingChange = {
  table: 'mautics',
  event: 'update',
  when: 'new.transport_id is distinct from old.transport_id',
  transport: previousTransport,
  mautic: 'new.id',
  transportMautic: 'new.id',
}

/**
 * Triggers that write down each change of the routes, in its transaction, for the queue: see `RouteRepairs`. So none is missed,
 * whichever part of Mailyard makes it, and the queue need not be known to what it is made from.
 */
export const routeRepairMigrations: Migrations = {
  async '20261124_94_route_repairs_triggers'(db, database) {
    for (const change of [...transportChanges, ...assignmentChanges, mauticChange]) {
      const { table, event, when, transport, mautic, transportMautic } = change
      const statement = `insert into route_repairs (waits_for, mautic_id)
        values (${noTransport}, ${mautic}), (${transport}, ${transportMautic})`
      const name = `${table}_${event}_repairs`
      await database.createRowTrigger(db, { name, table, event, when, statement })
    }
  },
}
