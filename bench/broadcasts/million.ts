// A broadcast to a million contacts on SQLite: how long it takes until the first message is accepted, how many are sent
// within half a minute, how long pausing takes and what is sent after it, and the memory: `node bench/broadcasts/million.ts`.
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { openStorage } from '../../src/storage/index.ts'
import { startSmtpSink } from '../mailer/smtp-sink.ts'
import { residentMegabytes } from '../process-usage.ts'
import { type BenchService, createBenchFolder, seedService, startBenchService } from './service.ts'

const contactCount = Number(process.env['CONTACTS'] ?? 1_000_000)
const sendForMs = 30_000

/** Copies the first contact, so that there are so many in its segment. */
async function multiplyContacts(url: string): Promise<void> {
  const storage = openStorage({ url, onIdleError: () => undefined })
  const db = storage.tables()
  const { rows } = await sql<{
    name: string
  }>`select name from pragma_table_info('contacts')`.execute(db)
  const copied = rows
    .map(({ name }) => name)
    .filter((name) => !['id', 'email', 'email_key'].includes(name))
  const columns = sql.join(copied.map((name) => sql.ref(name)))
  await sql`insert into contacts (email, email_key, ${columns})
    with recursive numbers (n) as (select 2 union all select n + 1 from numbers where n < ${contactCount})
    select 'reader' || n || '@example.com', 'reader' || n || '@example.com', ${columns}
    from numbers, (select * from contacts limit 1)`.execute(db)
  await sql`insert into contact_segments (segment, contact_id)
    select 'readers', id from contacts where id not in (select contact_id from contact_segments)`.execute(
    db,
  )
  await storage.close()
}

async function measure(
  service: BenchService,
  { emailId, segment }: { emailId: number; segment: string },
): Promise<void> {
  const memory: number[] = []
  const get = async (id: number) => {
    memory.push(residentMegabytes(service.pid))
    return (await service.ask('GET', `/api/broadcasts/${id}`)).broadcast
  }
  const startedAt = performance.now()
  const { job } = await service.ask('POST', `/api/emails/${emailId}/send`, { segment })
  const createdMs = performance.now() - startedAt
  while ((await get(job.id)).accepted === 0) await setTimeout(10)
  const firstMs = performance.now() - startedAt
  const early = residentMegabytes(service.pid)
  for (const end = performance.now() + sendForMs; performance.now() < end; await setTimeout(500))
    await get(job.id)
  const pausedAt = performance.now()
  const { broadcast: paused } = await service.ask('POST', `/api/broadcasts/${job.id}/pause`)
  const pauseMs = performance.now() - pausedAt
  const perSecond = paused.accepted / ((pausedAt - startedAt) / 1_000)
  await setTimeout(1_000)
  const after = (await get(job.id)).accepted
  await setTimeout(2_000)
  const later = (await get(job.id)).accepted
  process.stdout.write(
    `${contactCount} contacts: created in ${createdMs.toFixed(0)} ms, first accepted after ${firstMs.toFixed(0)} ms, ` +
      `${perSecond.toFixed(0)} messages/s; paused in ${pauseMs.toFixed(0)} ms, ${after - paused.accepted} accepted in the ` +
      `second after it and ${later - after} then; ${early.toFixed(0)} MB at the start, ${Math.max(...memory).toFixed(0)} MB at most\n`,
  )
}

if (import.meta.main) {
  const sink = await startSmtpSink()
  if (sink === undefined) {
    process.stdout.write('skipped: smtp-sink is not installed (Debian: postfix).\n')
  } else {
    const { folder, remove } = createBenchFolder()
    const url = `sqlite:${join(folder, 'mailyard.db')}`
    let service = await startBenchService(url)
    try {
      const seeded = await seedService(service, { port: sink.port, contactCount: 1, hasText: true })
      await service.stop()
      await multiplyContacts(url)
      service = await startBenchService(url)
      await measure(service, seeded)
    } finally {
      await service.stop()
      await sink.stop()
      remove()
    }
  }
}
