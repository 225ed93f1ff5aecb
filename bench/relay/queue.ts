// Messages of 10 KB per second that Mailyard in the mode `queue`, and Postfix, accept and deliver to the same
// smtp-sink, in one run: `node bench/relay/queue.ts [rounds]`. `postgres` as the second argument: on PostgreSQL. PROFILE (a folder).
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { openStorage, type Storage } from '../../src/storage/index.ts'
import { startPostgres } from '../../test/postgres-server.ts'
import { startSmtpSink } from '../mailer/smtp-sink.ts'
import { median, print } from '../print.ts'
import { cpuSeconds } from '../process-usage.ts'
import { startPostfix } from './postfix.ts'
import { runSource } from './smtp-source.ts'
import { startRelay } from './start-relay.ts'

/** One form of load, and the goals as multiples of Postfix's rates. */
const loads = [
  { connections: 1, messages: 1_500, bars: { accepted: 1, delivered: 2 } },
  { connections: 20, messages: 4_000, bars: { accepted: 3, delivered: 2 } },
  { connections: 100, messages: 4_000, bars: { accepted: 3, delivered: 2 } },
] as const
const warmUpMessages = 10_000

/** Messages per second. */
interface Rates {
  accepted: number
  delivered: number
}

async function measure(
  load: { connections: number; messages: number },
  { port, drain }: { port: number; drain: () => Promise<void> },
): Promise<Rates> {
  const startedAt = performance.now()
  await runSource({ ...load, port })
  const acceptedAt = performance.now()
  await drain()
  const perSecond = (until: number) => (load.messages / (until - startedAt)) * 1_000
  return { accepted: perSecond(acceptedAt), delivered: perSecond(performance.now()) }
}

/** Resolves once the queue of a Mailyard is empty. */
async function drainQueue(storage: Storage): Promise<void> {
  const db = storage.tables<{ queue_messages: { id: number } }>()
  while ((await db.selectFrom('queue_messages').select('id').limit(1).execute()).length > 0)
    await setTimeout(10)
}

async function run(rounds: number, databaseUrl: string, folder: string): Promise<void> {
  const sink = await startSmtpSink()
  const postfix = sink === undefined ? undefined : await startPostfix(sink.port)
  if (sink === undefined || postfix === undefined) {
    await sink?.stop()
    return print('Skipped: postfix is not installed (Debian: postfix), or this is not root.')
  }
  const profile = process.env['PROFILE']
  const nodeOptions =
    profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(profile)}`]
  const relay = await startRelay(sink.port, { mode: 'queue', databaseUrl, folder, nodeOptions })
  const storage = openStorage({ url: databaseUrl, onIdleError: () => undefined })
  const ours = { port: relay.smtpPort, drain: () => drainQueue(storage) }
  await measure({ connections: 20, messages: warmUpMessages }, ours)
  for (const load of loads) {
    const { connections, messages, bars } = load
    const rows: { ours: Rates; theirs: Rates; cpu: number }[] = []
    // Alternately, so that other load on this machine affects both.
    for (let round = 0; round < rounds; round += 1) {
      const theirs = await measure(load, postfix)
      const before = cpuSeconds(relay.pid)
      rows.push({
        theirs,
        ours: await measure(load, ours),
        cpu: ((cpuSeconds(relay.pid) - before) / messages) * 1e6,
      })
    }
    const of = (value: (row: (typeof rows)[number]) => number) => median(rows.map(value))
    print(`${connections} connections, ${of(({ cpu }) => cpu).toFixed(0)} µs of processor time:`)
    for (const key of ['accepted', 'delivered'] as const) {
      const [our, their] = [of((row) => row.ours[key]), of((row) => row.theirs[key])]
      const ratio = of((row) => row.ours[key] / row.theirs[key])
      print(
        `  ${key}: mailyard ${our.toFixed(0)}/s, postfix ${their.toFixed(0)}/s; ` +
          `mailyard : postfix = ${ratio.toFixed(2)} (bar: ${bars[key]})`,
      )
    }
  }
  await storage.close()
  await relay.stop()
  await postfix.stop()
  await sink.stop()
}

if (import.meta.main) {
  const rounds = Number(process.argv[2] ?? 3)
  const folder = mkdtempSync(join(tmpdir(), 'mailyard-bench-'))
  const postgres =
    process.argv[3] === 'postgres' ? await startPostgres({ isDurable: true }) : undefined
  try {
    await run(rounds, postgres?.url ?? `sqlite:${join(folder, 'mailyard.db')}`, folder)
  } finally {
    await postgres?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
