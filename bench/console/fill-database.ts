import { type Kysely, sql } from 'kysely'
import { type App, openApp } from '../../src/app.ts'
import { everyTransport, hourMs, minuteMs } from '../../src/core/delivery/counts-table.ts'
import { defaultTransport, noTransport } from '../../src/core/delivery/table.ts'
import { systemClock } from '../../src/kit/clock.ts'
import { createLog } from '../../src/kit/log.ts'
import { nameKey, normalizeForSearch } from '../../src/kit/normalize-for-search.ts'
import { type Config, defaultConfig } from '../../src/platform/config/index.ts'
import { apiSettings } from '../../test/mailyard-process.ts'

/** How much to fill a database with. */
export interface FillOptions {
  /** A new SQLite file, such as `sqlite:/tmp/console.db`. */
  databaseUrl: string
  transports: number
  deliveries: number
  /** Default: 50. */
  emails?: number
  /** Default: 10,000. */
  contacts?: number
  /** The time that the deliveries are spread over, up to now. Default: a week. */
  overMs?: number
}

const rowsPerInsert = 100_000
const transportsPerInsert = 5_000

/**
 * Creates a SQLite database with many transports, deliveries, emails and contacts: 100,000 transports and 1,000,000
 * deliveries take less than a minute. Half of the deliveries go through the first fifty transports. The secret key and the
 * administrator are those of `apiSettings`.
 */
export async function fillDatabase(options: FillOptions): Promise<void> {
  const { emails = 50, contacts = 10_000, overMs = 7 * 24 * hourMs } = options
  const app = await openApp({
    config: configOf(options.databaseUrl),
    rereadConfig: () => configOf(options.databaseUrl),
    log: createLog('warn'),
    clock: systemClock,
    createSecret: () => 'unused',
  })
  try {
    await addTransports(app, options.transports)
    const db = app.storage.tables<unknown>()
    await addEmails(db, emails)
    await addContacts(db, contacts)
    await addDeliveries(db, { ...options, emails, contacts, overMs })
    await sql`analyze`.execute(db)
  } finally {
    await app.close()
  }
}

function configOf(databaseUrl: string): Config {
  const { MAILYARD_SECRET_KEY: secretKey, MAILYARD_ADMIN_PASSWORD: adminPassword } = apiSettings
  return { ...defaultConfig(), databaseUrl, secretKey, adminPassword, smtpPort: 0 }
}

const stamps = sql.raw('is_published, date_added, created_by, created_by_id, revision, search_text')
const stampValues = sql`1, ${Date.now()}, 'Admin', 1, 1`

async function addTransports({ storage, keyring }: App, count: number): Promise<void> {
  const sealer = await keyring.sealer(storage.tables<unknown>())
  const rowOf = (index: number) => {
    const name = `Transport ${index}`
    const description = `For the customers of brand ${index}`
    const dsn = `smtp://user${index}:s3cret-${index}@smtp${index % 977}.example.com:587`
    return [
      name,
      nameKey(name),
      description,
      sealer.seal('transports.mailer_dsn', dsn),
      `brand${index}@example.com`,
      normalizeForSearch(name, description),
    ]
  }
  for (let from = 1; from <= count; from += transportsPerInsert) {
    const size = Math.min(transportsPerInsert, count - from + 1)
    const rows = JSON.stringify(Array.from({ length: size }, (_, index) => rowOf(from + index)))
    const value = (index: number) => sql`each.value ->> ${sql.lit(index)}`
    await sql`insert into transports (name, name_key, description, mailer_dsn, tested_email_from,
        ${stamps})
      select ${value(0)}, ${value(1)}, ${value(2)}, ${value(3)}, ${value(4)}, ${stampValues},
        ${value(5)}
      from json_each(${rows}) as each`.execute(storage.tables<unknown>())
  }
}

/** The numbers from one to another, as the table `n (i)`. Not as parameters, which SQLite would take for 1.0. */
const numbers = (from: number, to: number) =>
  sql`with recursive n (i) as
    (select ${sql.lit(from)} union all select i + 1 from n where i < ${sql.lit(to)})`

async function addEmails(db: Kysely<unknown>, count: number): Promise<void> {
  await sql`insert into emails (name, subject, from_address, from_name, custom_html, plain_text,
      headers, is_twig, ${stamps})
    ${numbers(1, count)} select 'Newsletter ' || i, 'News ' || i, 'news@example.com', 'The shop',
      '<p>Hello {contactfield=firstname|friend}, this is issue ' || i || '.</p>',
      'Hello, this is issue ' || i || '.', '{}', 0, ${stampValues}, 'newsletter ' || i
    from n`.execute(db)
}

async function addContacts(db: Kysely<unknown>, count: number): Promise<void> {
  await sql`insert into contacts (email, email_key, points, field_values, tags, ${stamps})
    ${numbers(1, count)} select 'reader' || i || '@example.com', 'reader' || i || '@example.com', 0,
      '{"firstname":"Reader ' || i || '"}', '[]', ${stampValues},
      'reader ' || i || ' reader' || i || '@example.com'
    from n`.execute(db)
}

type Filling = Required<FillOptions>

/** Inserts without indexes and triggers, and creates both afterwards, which is many times faster. */
async function addDeliveries(db: Kysely<unknown>, filling: Filling): Promise<void> {
  const definitions = await sql<{ type: string; name: string; text: string }>`
    select type, name, sql as text from sqlite_master
    where tbl_name = 'deliveries' and type in ('index', 'trigger') and sql is not null`.execute(db)
  for (const { type, name } of definitions.rows)
    await sql`drop ${sql.raw(type)} ${sql.ref(name)}`.execute(db)
  for (let from = 1; from <= filling.deliveries; from += rowsPerInsert) {
    const to = Math.min(from + rowsPerInsert - 1, filling.deliveries)
    await insertDeliveries(db, { from, to, filling })
  }
  await addCounts(db)
  for (const { text } of definitions.rows) await sql.raw(text).execute(db)
}

async function insertDeliveries(
  db: Kysely<unknown>,
  { from, to, filling }: { from: number; to: number; filling: Filling },
): Promise<void> {
  const { transports, emails, contacts, overMs } = filling
  const first = Date.now() - overMs
  const [transportCount, emailCount, contactCount] = [transports, emails, contacts].map((count) =>
    sql.lit(Math.max(count, 1)),
  )
  const transport = sql`case when i % 2 = 0 then i / 2 % min(50, ${transportCount})
    else i * 7919 % ${transportCount} end + 1`
  await sql`insert into deliveries (started_at, duration_ms, source, caller, email_id, contact_id,
      sender, recipient, recipient_key, transport_id, transport, member, outcome,
      reply, reason, message_id, process_id, trace)
    ${numbers(from, to)}, d (i, transport, email, contact, outcome) as (
      select i, ${transport}, i % ${emailCount} + 1, i * 31 % ${contactCount} + 1,
        case when i % 5000 = 1 then 'uncertain' when i % 50 = 3 then 'refused' else 'accepted' end
      from n)
    select ${first} + cast(i * ${overMs / filling.deliveries} as integer), 40 + i % 100,
      case when i % 7 = 0 then 'api' else 'smtp' end, 'Admin', email, contact,
      'news@example.com', 'reader' || contact || '@example.com',
      'reader' || contact || '@example.com', transport, 'Transport ' || transport,
      'smtp://smtp' || (transport % 977) || '.example.com:587', outcome,
      case outcome when 'refused' then '550 5.1.1 no such user' when 'accepted'
        then '250 2.0.0 Ok: queued as ' || i end,
      case outcome when 'refused' then 'The server refused the recipient.' when 'uncertain'
        then 'The connection broke after the last byte.' end,
      '<' || i || '@example.com>', 'filled',
      '[{"source":"email","transport":{"id":' || transport || ',"name":"Transport ' || transport ||
      '"},"outcome":"taken","reason":"The transport of the email."}]'
    from d`.execute(db)
}

/** Counts what the triggers would have counted. */
async function addCounts(db: Kysely<unknown>): Promise<void> {
  const own = sql`coalesce(transport_id, case when transport is null then ${sql.lit(noTransport)}
    else ${sql.lit(defaultTransport)} end)`
  for (const transport of [own, sql`${sql.lit(everyTransport)}`])
    for (const span of [minuteMs, hourMs].map((ms) => sql.lit(ms)))
      await sql`insert into delivery_counts
          (transport_id, span_ms, started_at, source, outcome, count)
        select ${transport}, ${span}, started_at - started_at % ${span}, source, outcome, count(*)
        from deliveries where outcome <> 'started' group by 1, 2, 3, 4, 5`.execute(db)
}
