// The start of Mailyard and claims of the queue, with a million messages in it beside a thousand, in one run:
// `node bench/relay/queued-million.ts`. Goals: start within 2 seconds, claims as fast.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { createGroupCommit } from '../../src/core/delivery/log/group-commit.ts'
import { QueueStore } from '../../src/core/queue/queue-store.ts'
import { openStorage } from '../../src/platform/storage/index.ts'
import { startMailyard } from '../../test/mailyard-process.ts'
import { median, print } from '../print.ts'
import { residentMegabytes } from '../process-usage.ts'

const env = {
  MAILYARD_SECRET_KEY: 'a secret key for benches, of 32 characters or more',
  // Nothing listens there: the first attempts fail, and the others wait for the transport.
  MAILYARD_MAILER_DSN: 'smtp://127.0.0.1:9',
}
const transports = 200
const dayMs = 86_400_000

/** Fills a queue: the messages are due tomorrow, but for a thousand that are due now. */
async function fill(url: string, count: number): Promise<void> {
  const storage = openStorage({ url, onIdleError: () => undefined })
  const now = Date.now()
  const numbers = sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count})`
  const due = sql`${now} + case when i % ${Math.ceil(count / 1_000)} = 0 then 0 else ${dayMs} end`
  const lane = sql`case when i % 2 = 0 then 'bulk' else 'transactional' end`
  const db = storage.tables<object>()
  await sql`insert into queue_messages (created_at, expires_at, lane, caller, submitter, sender, size_bytes, key_id, body)
    ${numbers} select ${now}, ${now + 3 * dayMs}, ${lane}, 'Admin', '{}', 'a@b.test', 300, 'x', zeroblob(300) from n`.execute(
    db,
  )
  await sql`insert into queue_recipients (message_id, address, address_key, state, lane, transport_id,
      due_at, created_at, attempts, message_key)
    ${numbers} select i, i || '@b.test', i || '@b.test', 'queued', ${lane}, i % ${transports} + 1,
      ${due}, ${now}, 1, i from n`.execute(db)
  await sql`insert into delivery_processes (id, seen_at) values ('bench', ${now + dayMs})`.execute(
    db,
  )
  await storage.close()
}

/** The median time of finding the due transports and of a claim, in milliseconds. */
async function timeClaims(url: string): Promise<number> {
  const storage = openStorage({ url, onIdleError: () => undefined })
  const store = new QueueStore({
    storage,
    processId: 'bench',
    group: createGroupCommit(storage),
    onRemoved: () => undefined,
  })
  const times: number[] = []
  for (let round = 0; round < 10; round += 1) {
    const startedAt = performance.now()
    for (const transportId of [...(await store.findDue(Date.now())).lanesByTransport.keys()].slice(
      0,
      10,
    ))
      await store.claim({ transportId, lane: 'bulk', limit: 2 }, Date.now())
    times.push(performance.now() - startedAt)
  }
  await storage.close()
  return median(times)
}

async function measure(count: number) {
  const folder = mkdtempSync(join(tmpdir(), 'mailyard-bench-'))
  const url = `sqlite:${join(folder, 'mailyard.db')}`
  try {
    const first = await startMailyard({ folder, databaseUrl: url, env })
    await first.stop()
    await fill(url, count)
    const claimMs = await timeClaims(url)
    const startedAt = performance.now()
    const running = await startMailyard({ folder, databaseUrl: url, env })
    const startMs = performance.now() - startedAt
    const memory = residentMegabytes(running.pid)
    await running.stop()
    return { claimMs, startMs, memory }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  const few = await measure(1_000)
  const many = await measure(1_000_000)
  const line = (name: string, key: 'claimMs' | 'startMs') =>
    print(
      `${name}: a million messages ${many[key].toFixed(1)} ms, a thousand ${few[key].toFixed(1)} ms; ` +
        `ratio ${(many[key] / few[key]).toFixed(2)}`,
    )
  line('start', 'startMs')
  line('due transports and 10 claims', 'claimMs')
  print(`memory after the start: ${many.memory.toFixed(0)} and ${few.memory.toFixed(0)} MB`)
}
