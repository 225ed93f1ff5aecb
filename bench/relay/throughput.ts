// Messages of 10 KB a second from smtp-source through Mailyard and through a Postfix as a plain relay to the
// same smtp-sink, in one run: `node bench/relay/throughput.ts [rounds]`.
import { type SmtpSink, startSmtpSink } from '../mailer/smtp-sink.ts'
import { type Postfix, startPostfix } from './postfix.ts'
import { runSource, type SourceRun } from './smtp-source.ts'
import { startRelay } from './start-relay.ts'

/** One way of handing messages in. */
interface Load extends Pick<SourceRun, 'connections' | 'isReconnecting'> {
  readonly messages: number
  /** How many times Postfix's rate is asked for. */
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

/** The rates of one load, a second, medians of the rounds. */
export interface RelayThroughput {
  readonly load: Load
  readonly ours: number
  readonly postfix: number
  readonly sink: number
  /** Ours to Postfix's, the median of the rounds' own. */
  readonly ratio: number
}

/** Runs the bench; undefined where Postfix or its tools are not there. */
export async function runRelayThroughput(rounds: number): Promise<RelayThroughput[] | undefined> {
  const sink = await startSmtpSink()
  if (sink === undefined) return undefined
  const postfix = await startPostfix(sink.port)
  try {
    if (postfix === undefined) return undefined
    const relay = await startRelay(sink.port)
    await warmUp(relay.smtpPort)
    const results: RelayThroughput[] = []
    for (const load of loads) {
      results.push(await compare(load, { sink, postfix, port: relay.smtpPort, rounds }))
    }
    await relay.stop()
    return results
  } finally {
    await postfix?.stop()
    await sink.stop()
  }
}

/** Until V8 has compiled what is hot: a relay that has run for a minute, as they do, is half as fast again. */
async function warmUp(port: number): Promise<void> {
  for (const isReconnecting of [false, true])
    await runSource({ port, connections: 20, messages: 15_000, isReconnecting })
}

async function compare(
  load: Load,
  servers: { sink: SmtpSink; postfix: Postfix; port: number; rounds: number },
): Promise<RelayThroughput> {
  const { sink, postfix, port, rounds } = servers
  const all: { ours: number; postfix: number; sink: number }[] = []
  // In turn, so that whatever else this machine does meets all of them.
  for (let round = 0; round < rounds; round += 1) {
    const others = await rate(load, postfix.port, () => postfix.drain())
    const ours = await rate(load, port)
    all.push({ ours, postfix: others, sink: await rate(load, sink.port) })
  }
  return {
    load,
    ours: median(all.map((each) => each.ours)),
    postfix: median(all.map((each) => each.postfix)),
    sink: median(all.map((each) => each.sink)),
    ratio: median(all.map((each) => each.ours / each.postfix)),
  }
}

/** Until every message is at the sink: Postfix answers before, Mailyard after. */
async function rate(load: Load, port: number, settle?: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  await runSource({ ...load, port })
  await settle?.()
  return (load.messages / (performance.now() - startedAt)) * 1_000
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

if (import.meta.main) {
  const results = await runRelayThroughput(Number(process.argv[2] ?? 3))
  if (results === undefined) {
    process.stdout.write(
      'Skipped: postfix is not installed (Debian: postfix), or this is not root.\n',
    )
  }
  for (const { load, ours, postfix, sink, ratio } of results ?? []) {
    const way = load.isReconnecting ? ', a connection for each message' : ''
    process.stdout.write(
      `${load.connections} connections${way}: mailyard ${ours.toFixed(0)}/s, postfix ${postfix.toFixed(0)}/s, ` +
        `the sink alone ${sink.toFixed(0)}/s; mailyard : postfix = ${ratio.toFixed(2)} (bar: ${load.bar})\n`,
    )
  }
}
