// Messages of 10 KB per second from smtp-source through Mailyard, and through Postfix as a plain relay, to the
// same smtp-sink, in one run: `node bench/relay/throughput.ts [rounds]`.
import type { MailyardProcess } from '../../test/mailyard-process.ts'
import { familyCpuSeconds } from '../family-cpu.ts'
import { type SmtpSink, startSmtpSink } from '../mailer/smtp-sink.ts'
import {
  countingStatements,
  countStatements,
  type StatementCounts,
} from '../postgres/count-statements.ts'
import { median, print } from '../print.ts'
import { cpuSeconds } from '../process-usage.ts'
import { type Postfix, postfixPrograms, startPostfix } from './postfix.ts'
import { runSource, type SourceRun } from './smtp-source.ts'
import { startRelay } from './start-relay.ts'

/** One form of load. */
export interface Load extends Pick<SourceRun, 'connections' | 'isReconnecting'> {
  readonly messages: number
  /** The goal, as a multiple of Postfix's rate. */
  readonly bar: number
}

const loads: readonly Load[] = [
  { connections: 1, messages: 2_000, bar: 1.5 },
  { connections: 20, messages: 3_000, bar: 3 },
  { connections: 100, messages: 3_000, bar: 3 },
  { connections: 1, messages: 2_000, isReconnecting: true, bar: 1.5 },
  { connections: 20, messages: 3_000, isReconnecting: true, bar: 3 },
  { connections: 100, messages: 3_000, isReconnecting: true, bar: 3 },
]

/** One load of one server. */
interface Run {
  readonly perSecond: number
  /** The processor time of each message, in microseconds: of the server and of its database. */
  readonly cpu: { readonly server: number; readonly postgres: number }
}

/** One round: each server under the same load. */
interface Round {
  readonly mailyard: Run
  readonly postfix: Run
  readonly sink: Run
}

/** What was measured for one load. */
export interface RelayThroughput {
  readonly load: Load
  readonly rounds: readonly Round[]
  /** What Mailyard sent to PostgreSQL for each message. */
  readonly counts: StatementCounts | undefined
}

export interface RelayThroughputOptions {
  loads: readonly Load[]
  rounds: number
  /** How many messages are sent before the first is measured. */
  warmUpMessages: number
  /** A PostgreSQL for Mailyard, whose statements are then counted. Default: SQLite. */
  postgresUrl?: string
  nodeOptions?: readonly string[]
}

/** The servers under load. */
interface Servers {
  sink: SmtpSink
  postfix: Postfix
  relay: MailyardProcess
}

/** Runs the benchmark; undefined if Postfix or its tools are not installed. */
export async function runRelayThroughput(
  options: RelayThroughputOptions,
): Promise<RelayThroughput[] | undefined> {
  const sink = await startSmtpSink()
  if (sink === undefined) return undefined
  const postfix = await startPostfix(sink.port)
  try {
    if (postfix === undefined) return undefined
    const relay = await startRelay(sink.port, serviceOptions(options))
    await warmUp(relay.smtpPort, options.warmUpMessages)
    const results: RelayThroughput[] = []
    for (const load of options.loads)
      results.push(await compare(load, { sink, postfix, relay }, options))
    await relay.stop()
    return results
  } finally {
    await postfix?.stop()
    await sink.stop()
  }
}

function serviceOptions({ postgresUrl, nodeOptions = [] }: RelayThroughputOptions) {
  if (postgresUrl === undefined) return { nodeOptions }
  return { databaseUrl: postgresUrl, nodeOptions: [...countingStatements, ...nodeOptions] }
}

/** The warm-up, until V8 has compiled the hot code: a relay is 1.5 times as fast after a minute. */
async function warmUp(port: number, messages: number): Promise<void> {
  for (const isReconnecting of [false, true])
    await runSource({ port, connections: 20, messages: messages / 2, isReconnecting })
}

async function compare(
  load: Load,
  { sink, postfix, relay }: Servers,
  { rounds: count, postgresUrl }: RelayThroughputOptions,
): Promise<RelayThroughput> {
  const rounds: Round[] = []
  const postfixCpu = () => familyCpuSeconds(postfixPrograms)
  const measureRounds = async () => {
    // Alternately, so that other load on this machine affects all of them.
    for (let round = 0; round < count; round += 1) {
      const others = await run(load, { port: postfix.port, cpu: postfixCpu }, () => postfix.drain())
      const ours = await run(load, { port: relay.smtpPort, cpu: () => cpuSeconds(relay.pid) })
      const alone = await run(load, { port: sink.port, cpu: () => 0 })
      rounds.push({ mailyard: ours, postfix: others, sink: alone })
    }
  }
  if (postgresUrl === undefined) {
    await measureRounds()
    return { load, rounds, counts: undefined }
  }
  const { statements, commits } = await countStatements(relay, measureRounds)
  const messages = load.messages * count
  return {
    load,
    rounds,
    counts: { statements: statements / messages, commits: commits / messages },
  }
}

/** Waits until the sink has every message: Postfix answers before that, Mailyard after. */
async function run(
  load: Load,
  { port, cpu }: { port: number; cpu: () => number },
  settle?: () => Promise<void>,
): Promise<Run> {
  const postgresCpu = () => familyCpuSeconds(['postgres'])
  const before = { server: cpu(), postgres: postgresCpu() }
  const startedAt = performance.now()
  await runSource({ ...load, port })
  await settle?.()
  const seconds = (performance.now() - startedAt) / 1_000
  const perMessage = (used: number) => (used / load.messages) * 1e6
  return {
    perSecond: load.messages / seconds,
    cpu: {
      server: perMessage(cpu() - before.server),
      postgres: perMessage(postgresCpu() - before.postgres),
    },
  }
}

/** Prints the results; says what is missing where there are none. */
export function printResults(results: readonly RelayThroughput[] | undefined): void {
  if (results === undefined)
    print('Skipped: postfix is not installed (Debian: postfix), or this is not root.')
  for (const { load, rounds, counts } of results ?? []) {
    const of = (value: (round: Round) => number) => median(rounds.map(value))
    const ratios = rounds.map(({ mailyard, postfix }) => mailyard.perSecond / postfix.perSecond)
    const route = load.isReconnecting ? ', a connection for each message' : ''
    print(
      `${load.connections} connections${route}: ` +
        `mailyard ${of(({ mailyard }) => mailyard.perSecond).toFixed(0)}/s, ` +
        `postfix ${of(({ postfix }) => postfix.perSecond).toFixed(0)}/s, ` +
        `the sink alone ${of(({ sink }) => sink.perSecond).toFixed(0)}/s; ` +
        `mailyard : postfix = ${median(ratios).toFixed(2)} (bar: ${load.bar})`,
    )
    print(
      `  processor time of a message: mailyard ${of(({ mailyard }) => mailyard.cpu.server).toFixed(0)} µs, ` +
        `PostgreSQL ${of(({ mailyard }) => mailyard.cpu.postgres).toFixed(0)} µs, ` +
        `postfix ${of(({ postfix }) => postfix.cpu.server).toFixed(0)} µs`,
    )
    if (counts === undefined) continue
    const { statements, commits } = counts
    print(`  each message: ${statements.toFixed(2)} statements, ${commits.toFixed(2)} commits`)
  }
}

if (import.meta.main) {
  const rounds = Number(process.argv[2] ?? 3)
  printResults(await runRelayThroughput({ loads, rounds, warmUpMessages: 30_000 }))
}
