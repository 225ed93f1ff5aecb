import { sql } from 'kysely'
import type { Migrations } from '../storage/index.ts'
import {
  addWaitsFor,
  createQueue,
  createQueueBrakes,
  createQueueHolds,
  createQueueNotices,
  swapQueueTransports,
} from './table.ts'

/** The tables of queued messages with their recipients, brakes, holds and notices. */
export const queueMigrations: Migrations = {
  async '20261124_72_queue_brakes'(db, database) {
    await createQueue(db, database)
    await createQueueHolds(db)
    await createQueueBrakes(db, database)
  },
  '20261124_76_queue_transports': swapQueueTransports,
  '20261124_77_queue_notices': createQueueNotices,
  '20261124_94_route_repairs': addWaitsFor,
  async '20261127_40_event_brakes'(db) {
    // SQLite adds one column in a statement.
    for (const column of [
      'brake_kind text',
      'brake_events bigint',
      'brake_accepted bigint',
      'continued_at bigint',
    ])
      await sql`alter table queue_brakes add column ${sql.raw(column)}`.execute(db)
  },
  async '20261128_31_one_brake'(db) {
    await sql`update queue_brakes set brake_kind = coalesce(brake_kind, 'refusals'),
      brake_accepted = coalesce(brake_accepted, brake_attempts),
      brake_events = coalesce(brake_events, brake_refused)`.execute(db)
    const names = { brake_kind: 'kind', brake_accepted: 'messages', brake_events: 'affected' }
    for (const [column, name] of Object.entries(names))
      await sql`alter table queue_brakes rename column ${sql.raw(column)} to ${sql.raw(name)}`.execute(
        db,
      )
    for (const column of ['brake_attempts', 'brake_refused', 'counted_at'])
      await sql`alter table queue_brakes drop column ${sql.raw(column)}`.execute(db)
    // They only counted.
    await sql`delete from queue_brakes where braked_at is null and continued_at is null`.execute(db)
  },
}
