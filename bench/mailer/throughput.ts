// Messages per second to Postfix's smtp-sink, by this mailer, Postfix's smtp-source and nodemailer's pool, in
// one run: `node bench/mailer/throughput.ts`.
import { spawnSync } from 'node:child_process'
import { createTransport } from 'nodemailer'
import { createMailer } from '../../src/libraries/mailer/index.ts'
import { hasCommand, type SmtpSink, startSmtpSink } from './smtp-sink.ts'

const sourceCommand = 'smtp-source'
const rounds = 5
const messageBytes = 10 * 1024
const envelope = { from: 'sender@example.com', to: ['recipient@example.com'] }
const raw = Buffer.from(
  `From: ${envelope.from}\r\nTo: ${envelope.to[0]}\r\nSubject: bench\r\n\r\n${`${'x'.repeat(76)}\r\n`.repeat(
    messageBytes / 78,
  )}`,
)

interface Measurement {
  readonly perSecond: number
  /** The user and system time of this process; undefined for another process. */
  readonly cpuMicroseconds?: number
}

/** The rate of each sender and its median ratio to smtp-source, for each number of connections. */
export interface ThroughputResult {
  readonly connections: number
  readonly ours: Measurement
  readonly source: Measurement
  readonly nodemailer: Measurement
  readonly ratio: number
  readonly nodemailerRatio: number
}

/** Runs the benchmark; undefined if Postfix's tools are not installed. */
export async function runThroughputBench(): Promise<ThroughputResult[] | undefined> {
  const sink = await startSmtpSink()
  if (sink === undefined || !hasCommand(sourceCommand)) {
    await sink?.stop()
    return undefined
  }
  try {
    const results: ThroughputResult[] = []
    for (const connections of [1, 5, 20]) results.push(await compare(sink, connections))
    return results
  } finally {
    await sink.stop()
  }
}

async function compare(sink: SmtpSink, connections: number): Promise<ThroughputResult> {
  const messages = connections === 1 ? 10_000 : 20_000
  const ours: Measurement[] = []
  const source: Measurement[] = []
  const pool: Measurement[] = []
  // Alternately, so that other load on this machine affects all of them.
  for (let round = 0; round < rounds; round += 1) {
    source.push(measureSource(sink, connections, messages))
    ours.push(await measureOurs(sink, connections, messages))
    pool.push(await measureNodemailer(sink, connections, messages / 10))
  }
  const ratios = (all: Measurement[]) =>
    median(all.map(({ perSecond }, round) => perSecond / (source[round]?.perSecond ?? Number.NaN)))
  return {
    connections,
    ours: best(ours),
    source: best(source),
    nodemailer: best(pool),
    ratio: ratios(ours),
    nodemailerRatio: ratios(pool),
  }
}

function measureSource({ port }: SmtpSink, connections: number, messages: number): Measurement {
  const startedAt = performance.now()
  const { status } = spawnSync(sourceCommand, [
    '-d',
    ...['-s', String(connections)],
    ...['-m', String(messages)],
    ...['-l', String(messageBytes)],
    `127.0.0.1:${port}`,
  ])
  if (status !== 0) throw new Error('smtp-source failed.')
  return { perSecond: (messages / (performance.now() - startedAt)) * 1000 }
}

async function measureOurs(
  { port }: SmtpSink,
  connections: number,
  messages: number,
): Promise<Measurement> {
  const transport = createMailer({ connectionsMax: connections }).open(
    `smtp://localhost:${port}?restart_threshold=0`,
  )
  const send = async () => {
    const { outcome, fault } = await transport.send({ envelope, raw })
    if (outcome !== 'accepted') throw new Error(fault?.message)
  }
  await repeat(messages / 10, connections, send)
  const result = await measure(messages, connections, send)
  await transport.close()
  return result
}

async function measureNodemailer(
  { port }: SmtpSink,
  connections: number,
  messages: number,
): Promise<Measurement> {
  const pool = createTransport({
    host: 'localhost',
    port,
    pool: true,
    maxConnections: connections,
    maxMessages: Number.POSITIVE_INFINITY,
    ignoreTLS: true,
  })
  const send = async () => {
    await pool.sendMail({ envelope, raw })
  }
  await repeat(messages / 10, connections, send)
  const result = await measure(messages, connections, send)
  pool.close()
  return result
}

async function measure(
  messages: number,
  connections: number,
  send: () => Promise<void>,
): Promise<Measurement> {
  const cpu = process.cpuUsage()
  const startedAt = performance.now()
  await repeat(messages, connections, send)
  const seconds = (performance.now() - startedAt) / 1000
  const { user, system } = process.cpuUsage(cpu)
  return { perSecond: messages / seconds, cpuMicroseconds: (user + system) / messages }
}

/** Twice as many senders as connections: a message always waits, as in a large mailing. */
async function repeat(times: number, connections: number, send: () => Promise<void>) {
  let left = times
  const worker = async () => {
    while (left-- > 0) await send()
  }
  await Promise.all(Array.from({ length: connections * 2 }, worker))
}

function best(all: Measurement[]): Measurement {
  return all.reduce((one, other) => (other.perSecond > one.perSecond ? other : one))
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

if (import.meta.main) {
  const results = await runThroughputBench()
  if (results === undefined)
    process.stdout.write('smtp-sink and smtp-source are not installed (Debian: postfix).\n')
  for (const { connections, ours, source, nodemailer, ratio, nodemailerRatio } of results ?? [])
    process.stdout.write(
      `${connections} connections: mailyard ${ours.perSecond.toFixed(0)}/s (${ours.cpuMicroseconds?.toFixed(0)} us CPU), ` +
        `smtp-source ${source.perSecond.toFixed(0)}/s, nodemailer's pool ${nodemailer.perSecond.toFixed(0)}/s ` +
        `(${nodemailer.cpuMicroseconds?.toFixed(0)} us CPU); mailyard : smtp-source = ${ratio.toFixed(2)}, ` +
        `nodemailer : smtp-source = ${nodemailerRatio.toFixed(2)} (medians of ${rounds})\n`,
    )
}
