// The list of deliveries with ten thousand rows and with ten million, in one run:
// `node bench/deliveries/paging.ts`. ROWS, DATABASE=postgres.
import { sql } from 'kysely'
import { migrations } from '../../src/app/database.ts'
import type { DeliveryQuery } from '../../src/core/deliveries/delivery-query.ts'
import { listDeliveries } from '../../src/core/deliveries/list-deliveries.ts'
import { deliveriesByMonth } from '../../src/core/delivery/table.ts'
import {
  createPartitions,
  migrate,
  openStorage,
  type Storage,
} from '../../src/platform/storage/index.ts'
import { startPostgres } from '../../test/postgres-server.ts'
import { createBenchFolder } from '../bench-folder.ts'

const small = 10_000
const large = Number(process.env['ROWS'] ?? 10_000_000)
const repeats = 15
const firstAt = Date.parse('2026-01-01T00:00:00Z')
/** The time between two rows. */
const stepMs = 500

const queries: Record<string, (count: number) => Partial<DeliveryQuery>> = {
  'first page': () => ({}),
  'deep page': (count) => ({ after: Math.floor(count / 2) }),
  'by email': () => ({ emailId: 3 }),
  'by email, deep': (count) => ({ emailId: 3, after: Math.floor(count / 2) }),
  'by contact': () => ({ contactId: 77 }),
  'by recipient': () => ({ recipient: 'reader77@example.com' }),
  'by transport': () => ({ transportId: 2 }),
  'by member': () => ({ member: 'smtp://mail1.example.com:25' }),
  'by source': () => ({ source: 'api' }),
  'by outcome accepted': () => ({ outcomes: ['accepted'] }),
  'by outcome refused': () => ({ outcomes: ['refused'] }),
  'by outcome uncertain': () => ({ outcomes: ['uncertain'] }),
  'by outcomes': () => ({ outcomes: ['refused', 'uncertain'] }),
  'by prefix of few': () => ({ recipient: 'reader77*' }),
  'by prefix of all': () => ({ recipient: 'reader*' }),
  'by time': (count) => ({ to: firstAt + Math.floor(count / 3) * stepMs, from: firstAt }),
  'by email and outcome': () => ({ emailId: 3, outcomes: ['refused'] }),
}

if (import.meta.main) await compare()

async function compare(): Promise<void> {
  const isPostgres = process.env['DATABASE'] === 'postgres'
  const postgres = isPostgres ? await startPostgres() : undefined
  const { folder, remove } = createBenchFolder()
  const urlOf = (count: number) => postgres?.url ?? `sqlite:${folder}/${count}.db`
  try {
    const few = await measureAll(urlOf(small), small)
    const many = await measureAll(urlOf(large), large)
    process.stdout.write(`${isPostgres ? 'PostgreSQL' : 'SQLite'}, 30 rows a page, medians in ms\n`)
    for (const name of Object.keys(queries)) {
      const [before = Number.NaN, after = Number.NaN] = [few.get(name), many.get(name)]
      process.stdout.write(
        `${name.padEnd(24)} ${small}: ${before.toFixed(2)}  ${large}: ${after.toFixed(2)}  ratio ${(after / before).toFixed(2)}\n`,
      )
    }
  } finally {
    await postgres?.stop()
    remove()
  }
}

async function measureAll(url: string, count: number): Promise<Map<string, number>> {
  const storage = openStorage({ url, onIdleError: () => undefined })
  try {
    await fill(storage, count)
    const medians = new Map<string, number>()
    for (const [name, build] of Object.entries(queries))
      medians.set(name, await median(() => list(storage, build(count))))
    return medians
  } finally {
    await storage.close()
  }
}

function list(storage: Storage, query: Partial<DeliveryQuery>): Promise<unknown> {
  return listDeliveries(
    { ...storage.lists('bench'), storage },
    { after: undefined, start: 0, limit: 30, ...query },
  )
}

async function median(work: () => Promise<unknown>): Promise<number> {
  await work()
  const times: number[] = []
  for (let repeat = 0; repeat < repeats; repeat++) {
    const startedAt = performance.now()
    await work()
    times.push(performance.now() - startedAt)
  }
  return times.sort((one, other) => one - other)[Math.floor(repeats / 2)] ?? Number.NaN
}

/** Fills the table before it creates the indexes, which takes minutes instead of hours. */
async function fill(storage: Storage, count: number): Promise<void> {
  const db = storage.tables<unknown>()
  if (!storage.runsInProcess)
    await sql`drop schema public cascade; create schema public`.execute(db)
  await migrate(storage, migrations)
  if (!storage.runsInProcess)
    await createPartitions(storage, deliveriesByMonth, {
      from: firstAt,
      to: firstAt + count * stepMs,
    })
  const indexes = await takeIndexes(storage)
  const chunk = 250_000
  for (let from = 1; from <= count; from += chunk)
    await insertRows(storage, from, Math.min(from + chunk - 1, count))
  for (const text of indexes) await sql.raw(text).execute(db)
  if (!storage.runsInProcess) await sql`vacuum analyze deliveries`.execute(db)
}

async function takeIndexes(storage: Storage): Promise<string[]> {
  const db = storage.tables<unknown>()
  const query = storage.runsInProcess
    ? sql<{ name: string; text: string }>`select name, sql as text from sqlite_master
          where type = 'index' and tbl_name = 'deliveries' and sql is not null`
    : sql<{ name: string; text: string }>`select indexname as name,
          replace(indexdef, ' ON ONLY ', ' ON ') as text
          from pg_indexes where tablename = 'deliveries' and indexname <> 'deliveries_pkey'`
  const { rows } = await query.execute(db)
  for (const { name } of rows) await sql`drop index ${sql.ref(name)}`.execute(db)
  return rows.map(({ text }) => text)
}

async function insertRows(storage: Storage, from: number, to: number): Promise<void> {
  const numbers = storage.runsInProcess
    ? sql`with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${to})`
    : sql`with n(i) as (select generate_series(${from}::bigint, ${to}::bigint))`
  await sql`insert into deliveries (started_at, duration_ms, source, caller, email_id, contact_id,
      sender, recipient, recipient_key, transport_id, transport, member, outcome,
      reply, message_id, process_id, trace)
    ${numbers} select ${sql.lit(firstAt)} + i * ${sql.lit(stepMs)}, 12,
      case when i % 500 = 0 then 'api' else 'smtp' end, 'Admin',
      i % 50, i % 9973, 'news@example.com', 'reader' || (i % 9973) || '@example.com',
      'reader' || (i % 9973) || '@example.com', i % 7, 'transport ' || (i % 7),
      'smtp://mail' || (i % 7) || '.example.com:25',
      case when i % 1000 = 1 then 'uncertain' when i % 50 = 3 then 'refused' else 'accepted' end,
      '250 2.0.0 Ok: queued', '<' || i || '@example.com>', 'p',
      '[{"source":"email","transport":{"id":1,"name":"t"},"outcome":"taken","reason":"it is assigned"}]'
    from n`.execute(storage.tables<unknown>())
}
