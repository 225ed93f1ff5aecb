import { type Kysely, sql } from 'kysely'
import {
  columnsOf,
  type DatabaseFeatures,
  dropColumns,
  dropIndexes,
  dropTrigger,
  hasTable,
  type Migrations,
  type Note,
} from '../../platform/storage/index.ts'

/** Removes what earlier versions queued in other ways. A new database never has it. */
export const queueRemovals: Migrations = {
  async '20261128_01_own_campaigns'(db, database, note) {
    if (await hasTable(db, 'broadcasts')) await cancelBroadcasts(db, note)
    await dropIndexes(db, [
      'deliveries_broadcast_id',
      'deliveries_recipients',
      'queue_messages_broadcast_id',
      'queue_recipients_broadcast_id',
      'suppressions_broadcast_id',
    ])
    await dropColumns(db, 'deliveries', ['broadcast_id', 'is_permanent'])
    await dropColumns(db, 'delivery_processes', ['rendering'])
    await dropColumns(db, 'queue_messages', ['broadcast_id', 'is_paused'])
    await dropColumns(db, 'queue_recipients', ['broadcast_id', 'contact_id', 'expires_at'])
    await dropColumns(db, 'suppressions', ['broadcast_id'])
    await dropColumns(db, 'contacts', ['segments'])
    await forgetSegments(db, database)
    for (const table of ['broadcasts', 'broadcast_recipients', 'contact_segments'])
      await db.schema.dropTable(table).ifExists().execute()
  },
  /** Three brakes became one. */
  async '20261128_31_one_brake'(db) {
    if (!(await columnsOf(db, 'queue_brakes')).includes('brake_kind')) return
    await sql`update queue_brakes set brake_kind = coalesce(brake_kind, 'refusals'),
      brake_accepted = coalesce(brake_accepted, brake_attempts),
      brake_events = coalesce(brake_events, brake_refused)`.execute(db)
    const names = { brake_kind: 'kind', brake_accepted: 'messages', brake_events: 'affected' }
    for (const [column, name] of Object.entries(names))
      await db.schema.alterTable('queue_brakes').renameColumn(column, name).execute()
    await dropColumns(db, 'queue_brakes', ['brake_attempts', 'brake_refused', 'counted_at'])
    // They only counted.
    await sql`delete from queue_brakes where braked_at is null and continued_at is null`.execute(db)
  },
  /** DSN, DELIVERBY, and notifications of anything but a failure. A message that waits only for one of these is done. */
  async '20261128_60_notifications'(db) {
    const isOther = sql`status not like '%"action":"failed"%'`
    await sql`delete from queue_messages
      where id in (select message_id from queue_notices where ${isOther})
        and id not in (select message_id from queue_notices where not (${isOther}))
        and id not in (select message_id from queue_recipients)`.execute(db)
    await sql`delete from queue_notices where ${isOther}`.execute(db)
    await dropColumns(db, 'queue_messages', ['notification', 'deliver_by'])
    await dropColumns(db, 'queue_notices', ['created_at'])
  },
  /** Database triggers that wrote down changes of routes. */
  async '20261128_40_route_repairs'(db, database) {
    const assigned = ['email', 'user'].flatMap((kind) => [
      `${kind}_transports`,
      `mautic_${kind}_transports`,
    ])
    for (const table of ['transports', 'mautics', ...assigned])
      for (const event of ['insert', 'update', 'delete'])
        await dropTrigger(db, database, `${table}_${event}_repairs`)
    await db.schema.dropTable('route_repairs').ifExists().execute()
  },
}

/**
 * Sends nothing more of any broadcast, and says of each that was not done how many contacts do not get it. Its deliveries stay
 * in the log, as those of the API: what may have arrived stays uncertain there.
 */
async function cancelBroadcasts(db: Kysely<unknown>, note: Note): Promise<void> {
  const { rows } = await sql<{ broadcastId: number; emailId: number; waiting: number }>`
    select id as "broadcastId", email_id as "emailId", total - accepted - refused - uncertain - suppressed as waiting
    from broadcasts where state in ('running', 'paused') order by id`.execute(db)
  for (const broadcast of rows) note('broadcast cancelled', broadcast)
  await sql`delete from queue_recipients where broadcast_id is not null`.execute(db)
  await sql`delete from queue_messages where broadcast_id is not null`.execute(db)
  await sql`delete from delivery_keys where kind = 'bulk' and key like 'email % contact %'`.execute(
    db,
  )
  await sql`update deliveries set source = 'api' where source = 'broadcast'`.execute(db)
  // A trigger of PostgreSQL has appended changes of both sources.
  await sql`update delivery_count_changes set source = 'api' where source = 'broadcast'`.execute(db)
  await sql`insert into delivery_counts (transport_id, span_ms, started_at, source, outcome, count)
    select transport_id, span_ms, started_at, 'api', outcome, count from delivery_counts where source = 'broadcast'
    on conflict (transport_id, span_ms, started_at, source, outcome)
    do update set count = delivery_counts.count + excluded.count`.execute(db)
  await sql`delete from delivery_counts where source = 'broadcast'`.execute(db)
}

/** Deleted contacts can be restored. */
async function forgetSegments(db: Kysely<unknown>, { isShared }: DatabaseFeatures): Promise<void> {
  const record = isShared
    ? sql`(record::jsonb - 'segments')::text`
    : sql`json_remove(record, '$.segments')`
  await sql`update deleted_records set record = ${record} where kind = 'contacts'`.execute(db)
}
