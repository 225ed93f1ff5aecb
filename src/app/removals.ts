import { type Kysely, sql } from 'kysely'
import { notifier } from '../core/delivery/index.ts'
import { createTagMarks } from '../core/mautic/index.ts'
import { AppError } from '../kit/app-error.ts'
import { createPublishedConditions } from '../modules/health/index.ts'
import { addInboxSource } from '../modules/inbox/index.ts'
import { createSenderChecks, indexDkimKeys } from '../modules/senders/index.ts'
import type { DatabaseFeatures, Migrations, Note } from '../platform/storage/index.ts'

/** What the tables have from the beginning now. Databases of 28 November 2026 have run these. */
const contained = [
  '20261124_30_account_search',
  '20261124_30_contact_search',
  '20261124_30_email_search',
  '20261124_30_inbox_search',
  '20261124_30_limit_search',
  '20261124_30_mautic_search',
  '20261124_30_suppression_search',
  '20261124_30_template_search',
  '20261124_30_transport_search',
  '20261124_41_public_only',
  '20261124_61_twig_template_names',
  '20261124_70_default_transport',
  '20261124_71_broadcast_brake',
  '20261124_72_queue_permissions',
  '20261124_73_suppression_evidence',
  '20261124_74_report_removals',
  '20261124_75_grant_times',
  '20261124_76_queue_transports',
  '20261124_77_queue_notices',
  '20261124_90_inbox_pieces',
  '20261124_91_deleted_transports',
  '20261124_94_route_repairs',
  '20261124_94_route_repairs_triggers',
  '20261125_10_own_webhooks',
  '20261125_12_do_not_contact',
  '20261125_14_mautic_subjects',
  '20261125_20_refusals',
  '20261125_21_delivery_refusals',
  '20261126_10_refresh_tokens',
  '20261126_15_deferred',
  '20261126_16_logged_transport',
  '20261126_17_broadcast_state',
  '20261126_20_mirror_leases',
  '20261126_30_broadcasts_in_queue',
  '20261126_40_subjects',
  '20261126_41_kept_tests',
  '20261127_10_provider_events',
  '20261127_40_event_brakes',
]

const tooOld =
  'The database was made before 28 November 2026, and this Mailyard cannot migrate it. Migrate it with a version of that day first.'

/**
 * Removes what earlier versions stored and this one does not use. The migrations that created it are changed so that a new
 * database never has it.
 */
export const removalMigrations: Migrations = {
  ...Object.fromEntries(contained.map((name) => [name, async () => undefined])),
  async '20261128_00_recent'(db) {
    // The last column that was added before that day.
    if (!(await columnsOf(db, 'queue_brakes')).includes('continued_at'))
      throw new AppError('upstream', 'database_too_old', tooOld)
  },
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
  async '20261128_72_senders'(db) {
    await db.schema.dropTable('sender_proofs').ifExists().execute()
    // Its rows had reasons and records in another form. Each domain is checked again within a day.
    await createSenderChecks(db)
    await sql`delete from signing_keys where purpose in ('sender checks', 'test messages')`.execute(
      db,
    )
  },
  /**
   * The rotation of DKIM keys. The current key of each domain stays; the next key of a rotation goes, whose record was not found
   * yet: its private half is encrypted for its column.
   */
  async '20261128_73_dkim_keys'(db, database) {
    if (!(await columnsOf(db, 'dkim_keys')).includes('next_selector')) return
    await dropIndexes(db, ['dkim_keys_check_at'])
    const next = ['algorithm', 'selector', 'private_key', 'public_key', 'problem', 'added_at']
    const ofNext = next.map((column) => `next_${column}`)
    await dropColumns(db, 'dkim_keys', ['state', 'check_at', 'removable', ...ofNext])
    await database.dropUnique(db, 'dkim_keys', 'domain')
    await indexDkimKeys(db)
  },
  /** The daily email about refused messages. */
  async '20261128_30_refusal_digests'(db) {
    await dropColumns(db, 'mautics', ['refusals_to'])
    if (!(await hasTable(db, 'mautic_refusal_marks'))) return
    await createTagMarks(db)
    await sql`insert into mautic_tag_marks (mautic_id, reached_at)
      select mautic_id, reached_at from mautic_refusal_marks where purpose = 'tag'`.execute(db)
    await db.schema.dropTable('mautic_refusal_marks').execute()
  },
  /**
   * Webhooks that sent emails. Each stays, unpublished and with its address in its name, until a person deletes it or enters a URL.
   * Emails that are still queued are sent as notifications are.
   */
  async '20261128_31_webhooks_by_email'(db) {
    if (!(await columnsOf(db, 'webhooks')).includes('email_to')) return
    const ids = sql`select id from webhooks where format = 'email'`
    for (const table of ['webhook_messages', 'webhook_states', 'webhook_alerts'])
      await sql`delete from ${sql.table(table)} where webhook_id in (${ids})`.execute(db)
    await sql`update webhooks set format = 'chat', is_published = false, revision = revision + 1,
      name = name || ' (was an email to ' || coalesce(email_to, '') || ')' where format = 'email'`.execute(
      db,
    )
    await sql`update queue_messages set submitter = ${JSON.stringify(notifier)}
      where submitter like ${`{"key":"${notifier.key}",%`}`.execute(db)
    await dropColumns(db, 'webhooks', ['email_to', 'transport_id'])
  },
  /** Webhooks of Mautics that call Mailyard for each message: one that does so in Mautic is a finding, and is created again. */
  async '20261128_35_announced_messages'(db) {
    await dropColumns(db, 'mautic_webhooks', ['announces_messages'])
  },
  /** The repair of the webhooks that Mailyard created in Mautics. */
  async '20261128_32_webhook_repairs'(db) {
    await dropColumns(db, 'mautic_webhooks', ['is_by_user', 'replaced_at'])
  },
  /** Signals: what goes on is found as findings, and what was published of it is kept. */
  async '20261128_34_signals'(db) {
    if (!(await hasTable(db, 'signals'))) return
    await createPublishedConditions(db)
    await sql`insert into published_conditions (key, at)
      select key, at from signals where ended_at is null
      union select 'webhook.dead ' || webhook_id, dead_at from webhook_states
        where dead_at is not null`.execute(db)
    await db.schema.dropTable('signals').execute()
  },
  /** The event `transport.failover`. A webhook that asks for nothing else is unpublished. */
  async '20261128_33_failover_events'(db) {
    const { rows } = await sql<{ id: number; events: string }>`
      select id, events from webhooks where events like '%transport.failover%'`.execute(db)
    for (const { id, events } of rows) {
      const others = (JSON.parse(events) as string[]).filter(
        (type) => type !== 'transport.failover',
      )
      await sql`update webhooks set events = ${JSON.stringify(others)}, revision = revision + 1,
        is_published = is_published and ${sql.lit(others.length > 0)} where id = ${id}`.execute(db)
    }
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
  /**
   * The search of the inbox, and its messages in pieces. A message is stored in one row, encrypted in another form, so those that
   * were captured before are deleted. The table stays, because ids are never given twice.
   */
  async '20261128_61_inbox'(db, database) {
    if (!(await hasTable(db, 'inbox_pieces'))) return
    await db.schema.dropTable('inbox_pieces').execute()
    await sql`delete from inbox_messages`.execute(db)
    await dropIndexes(db, [
      'inbox_messages_complete',
      'inbox_messages_captured_at',
      'inbox_messages_search_text',
    ])
    await dropColumns(db, 'inbox_messages', ['search_text', 'is_complete'])
    await addInboxSource(db, database)
  },
  /** The tests of values that were not saved. */
  async '20261128_62_kept_tests'(db) {
    await db.schema.dropTable('kept_tests').ifExists().execute()
    await sql`delete from signing_keys where purpose = 'kept tests'`.execute(db)
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

async function hasTable(db: Kysely<unknown>, name: string): Promise<boolean> {
  return (await db.introspection.getTables()).some((table) => table.name === name)
}

async function dropIndexes(db: Kysely<unknown>, names: readonly string[]): Promise<void> {
  for (const name of names) await sql`drop index if exists ${sql.ref(name)}`.execute(db)
}

/** Drops a trigger, and on PostgreSQL the function of its name. */
async function dropTrigger(
  db: Kysely<unknown>,
  { runsInProcess }: DatabaseFeatures,
  name: string,
): Promise<void> {
  if (runsInProcess) await sql`drop trigger if exists ${sql.ref(name)}`.execute(db)
  else await sql`drop function if exists ${sql.ref(name)}() cascade`.execute(db)
}

/** Drops those of some columns that a table has. Their indexes go first: SQLite refuses to drop a column with one. */
async function dropColumns(
  db: Kysely<unknown>,
  table: string,
  names: readonly string[],
): Promise<void> {
  for (const name of await columnsOf(db, table))
    if (names.includes(name)) await db.schema.alterTable(table).dropColumn(name).execute()
}

async function columnsOf(db: Kysely<unknown>, table: string): Promise<string[]> {
  const tables = await db.introspection.getTables()
  return tables.find(({ name }) => name === table)?.columns.map(({ name }) => name) ?? []
}
