// Messages per second that Mailyard in the mode `queue`, and Postfix, accept and deliver to the same server, in one run:
// `node bench/relay/queue.ts [rounds] [postgres] [slow]`. `postgres`: on PostgreSQL, with the statements and commits of
// each message. `slow`: to a server that answers each step after 50 ms, instead of smtp-sink. PROFILE (a folder).
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { openStorage, type Storage } from '../../src/platform/storage/index.ts'
import type { MailyardProcess } from '../../test/mailyard-process.ts'
import { startPostgres } from '../../test/postgres-server.ts'
import { startSmtpSink } from '../mailer/smtp-sink.ts'
import { countingStatements, countStatements } from '../postgres/count-statements.ts'
import { median, print } from '../print.ts'
import { cpuSeconds } from '../process-usage.ts'
import { startPostfix } from './postfix.ts'
import { startSlowSink } from './slow-sink.ts'
import { messageBytes, runSource } from './smtp-source.ts'
import { startRelay } from './start-relay.ts'

/** One form of load, and the goals as multiples of Postfix's rates. */
interface Load {
  connections: number
  messages: number
  bytes: number
  bars: Rates
}

const fastLoads: readonly Load[] = [
  { connections: 1, messages: 1_500, bytes: messageBytes, bars: { accepted: 1, delivered: 2 } },
  { connections: 20, messages: 4_000, bytes: messageBytes, bars: { accepted: 3, delivered: 2 } },
  { connections: 100, messages: 4_000, bytes: messageBytes, bars: { accepted: 3, delivered: 2 } },
  { connections: 20, messages: 2_000, bytes: 102_400, bars: { accepted: 1.3, delivered: 1.3 } },
]
const slowLoads: readonly Load[] = [
  { connections: 20, messages: 2_000, bytes: messageBytes, bars: { accepted: 3, delivered: 1 } },
]
const warmUpMessages = 10_000
const slowWarmUpMessages = 2_500
const slowMs = 50

/** Messages per second. */
interface Rates {
  accepted: number
  delivered: number
}

/** A server that messages are submitted to. */
interface Server {
  port: number
  /** Resolves once nothing is in its queue. */
  drain: () => Promise<void>
}

async function measure(load: Omit<Load, 'bars'>, { port, drain }: Server): Promise<Rates> {
  const startedAt = performance.now()
  await runSource({ ...load, port })
  const acceptedAt = performance.now()
  await drain()
  const perSecond = (until: number) => (load.messages / (until - startedAt)) * 1_000
  return { accepted: perSecond(acceptedAt), delivered: perSecond(performance.now()) }
}

/** Resolves once the queue of a Mailyard is empty. */
export async function drainQueue(storage: Storage): Promise<void> {
  const db = storage.tables<{ queue_messages: { id: number } }>()
  while ((await db.selectFrom('queue_messages').select('id').limit(1).execute()).length > 0)
    await setTimeout(10)
}

/** What is measured in each round. */
interface Round {
  ours: Rates
  theirs: Rates
  /** Microseconds of processor time of a message. */
  cpu: number
}

interface Services {
  relay: MailyardProcess
  ours: Server
  postfix: Server
  storage: Storage
}

async function compare(load: Load, services: Services, rounds: number): Promise<void> {
  const { relay, ours, postfix, storage } = services
  const done: Round[] = []
  const measureRounds = async () => {
    // Alternately, so that other load on this machine affects both.
    for (let round = 0; round < rounds; round += 1) {
      const theirs = await measure(load, postfix)
      const before = cpuSeconds(relay.pid)
      const rates = await measure(load, ours)
      const cpu = ((cpuSeconds(relay.pid) - before) / load.messages) * 1e6
      done.push({ theirs, ours: rates, cpu })
    }
  }
  const written = !storage.runsInProcess ? await countWritten(storage) : undefined
  if (written === undefined) await measureRounds()
  else {
    const counts = await countStatements(relay, measureRounds)
    const messages = load.messages * rounds
    const bytes = ((await countWritten(storage)) - written) / messages
    const of = (count: number) => (count / messages).toFixed(2)
    const sent = `${of(counts.statements)} statements, ${of(counts.commits)} commits`
    print(`Each message: ${sent}, ${Math.round(bytes)} bytes in the write-ahead log`)
  }
  printRounds(load, done)
}

function printRounds({ connections, bytes, bars }: Load, rounds: readonly Round[]): void {
  const of = (value: (round: Round) => number) => median(rounds.map(value))
  const cpu = of((round) => round.cpu).toFixed(0)
  print(`${connections} connections, ${bytes} bytes, ${cpu} µs of processor time:`)
  for (const key of ['accepted', 'delivered'] as const) {
    const [our, their] = [of((round) => round.ours[key]), of((round) => round.theirs[key])]
    const ratio = of((round) => round.ours[key] / round.theirs[key])
    print(
      `  ${key}: mailyard ${our.toFixed(0)}/s, postfix ${their.toFixed(0)}/s; ` +
        `mailyard : postfix = ${ratio.toFixed(2)} (bar: ${bars[key]})`,
    )
  }
}

/** The bytes that PostgreSQL has written to its write-ahead log since it was created. */
async function countWritten(storage: Storage): Promise<number> {
  const query = sql<{ bytes: string }>`select pg_current_wal_lsn() - '0/0'::pg_lsn as bytes`
  const { rows } = await query.execute(storage.tables())
  return Number(rows[0]?.bytes)
}

async function run(
  { rounds, isSlow }: { rounds: number; isSlow: boolean },
  databaseUrl: string,
  folder: string,
): Promise<void> {
  const sink = isSlow ? await startSlowSink(slowMs) : await startSmtpSink()
  const postfix = sink === undefined ? undefined : await startPostfix(sink.port)
  if (sink === undefined || postfix === undefined) {
    await sink?.stop()
    return print('Skipped: postfix is not installed (Debian: postfix), or this is not root.')
  }
  const storage = openStorage({ url: databaseUrl, onIdleError: () => undefined })
  const profile = process.env['PROFILE']
  const nodeOptions = [
    ...(!storage.runsInProcess ? countingStatements : []),
    ...(profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(profile)}`]),
  ]
  const relay = await startRelay(sink.port, { mode: 'queue', databaseUrl, folder, nodeOptions })
  const ours = { port: relay.smtpPort, drain: () => drainQueue(storage) }
  const messages = isSlow ? slowWarmUpMessages : warmUpMessages
  await measure({ connections: 20, messages, bytes: messageBytes }, ours)
  for (const load of isSlow ? slowLoads : fastLoads)
    await compare(load, { relay, ours, postfix, storage }, rounds)
  await storage.close()
  await relay.stop()
  await postfix.stop()
  await sink.stop()
}

if (import.meta.main) {
  const [, , rounds = 3, ...words] = process.argv
  const folder = mkdtempSync(join(tmpdir(), 'mailyard-bench-'))
  const postgres = words.includes('postgres') ? await startPostgres({ isDurable: true }) : undefined
  const options = { rounds: Number(rounds), isSlow: words.includes('slow') }
  try {
    await run(options, postgres?.url ?? `sqlite:${join(folder, 'mailyard.db')}`, folder)
  } finally {
    await postgres?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
