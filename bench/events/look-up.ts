// What it takes to apply 1,000 events and to look them up, with a thousand stored events and with a million, in one run, on
// SQLite and PostgreSQL. Goal: a ratio of about 1. `node bench/events/look-up.ts [events]`.
import { join } from 'node:path'
import { sql } from 'kysely'
import { openStorage, type Storage } from '../../src/storage/index.ts'
import { createDatabase } from '../../test/databases.ts'
import { apiSettings, startMailyard } from '../../test/mailyard-process.ts'
import { startPostgres } from '../../test/postgres-server.ts'
import { createBenchFolder } from '../broadcasts/service.ts'
import { median, print } from '../print.ts'
import { addAccount, ask, eventsOf, logMessages, post, untilApplied } from './parts/environment.ts'

const few = 1_000
const eventsPerRequest = 1_000
const repeats = 15

interface Service {
  url: string
  storage: Storage
  transportId: number
  webhook: string
}

/** What is measured, in milliseconds, by its name. */
type Times = Record<string, number>

async function run(many: number): Promise<void> {
  const { folder, remove } = createBenchFolder()
  const postgres = await startPostgres()
  try {
    await compare('SQLite', many, { folder, databaseUrl: `sqlite:${join(folder, 'mailyard.db')}` })
    const databaseUrl = await createDatabase(postgres.url, { name: 'mailyard' })
    await compare('PostgreSQL', many, { folder, databaseUrl })
  } finally {
    await postgres.stop()
    remove()
  }
}

async function compare(
  name: string,
  many: number,
  { folder, databaseUrl }: { folder: string; databaseUrl: string },
): Promise<void> {
  const service = await startMailyard({
    folder,
    databaseUrl,
    env: { ...apiSettings, MAILYARD_PUBLIC_URL: 'https://mail.example.com' },
  })
  const storage = openStorage({ url: databaseUrl, onIdleError: () => undefined })
  try {
    const { transportId, path } = await addAccount(service.url)
    const target = { url: service.url, storage, transportId, webhook: `${service.url}${path}` }
    await fill(target, { first: 0, count: few })
    const before = await measure(target, few)
    const first = few + repeats * eventsPerRequest
    await fill(target, { first, count: many - first })
    const after = await measure(target, many)
    for (const [what, beforeMs] of Object.entries(before)) {
      const afterMs = after[what] ?? Number.NaN
      const ratio = (afterMs / beforeMs).toFixed(2)
      print(
        `${name}, ${what}: ${few} events ${beforeMs.toFixed(1)} ms, ${many} events ${afterMs.toFixed(1)} ms, ratio ${ratio}`,
      )
    }
  } finally {
    await storage.close()
    await service.stop()
  }
}

/** Logs messages of which each has an event. */
async function fill(
  { storage, transportId }: Service,
  { first, count }: { first: number; count: number },
): Promise<void> {
  await logMessages(storage, { transportId, first, count })
  await sql`insert into delivery_events (delivery_id, started_at, transport_id, type, class, at,
      received_at, reason, provider, source, is_guess, is_first, event_key)
    select id, started_at, transport_id, case when id % 25 = 0 then 'bounced' else 'delivered' end, null,
      started_at, started_at, null, 'sendgrid', 'webhook', false, true, 'bench'
    from deliveries where event is null`.execute(storage.tables())
  await sql`update deliveries set event = case when id % 25 = 0 then 'bounced' else 'delivered' end
    where event is null`.execute(storage.tables())
  // As PostgreSQL does automatically after a while.
  await sql`analyze`.execute(storage.tables())
}

/** Measures with new messages, whose numbers begin at `first`. */
async function measure(service: Service, first: number): Promise<Times> {
  const { url, storage, transportId, webhook } = service
  const count = repeats * eventsPerRequest
  await logMessages(storage, { transportId, first, count })
  const applyMs: number[] = []
  for (let start = first; start < first + count; start += eventsPerRequest) {
    const body = eventsOf(start, eventsPerRequest)
    applyMs.push(
      await timeOf(async () => {
        await post(webhook, body)
        await untilApplied(storage)
      }),
    )
  }
  const { deliveries } = await ask(`${url}/api/deliveries?event=bounced&limit=1`, 'GET')
  const get = () => ask(`${url}/api/deliveries/${deliveries[0].id}`, 'GET')
  const list = () => ask(`${url}/api/deliveries?event=bounced`, 'GET')
  return {
    'apply 1000 events': median(applyMs),
    'one delivery': median(await timesOf(get)),
    'list of bounced': median(await timesOf(list)),
  }
}

async function timesOf(work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  for (let repeat = 0; repeat < repeats; repeat += 1) times.push(await timeOf(work))
  return times
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

if (import.meta.main) await run(Number(process.argv[2] ?? 1_000_000))
