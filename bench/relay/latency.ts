// The latency that Mailyard adds, one message after the other on one connection: `node bench/relay/latency.ts`.
import { createMailer, type Transport } from '../../src/libraries/mailer/index.ts'
import { startSmtpSink } from '../mailer/smtp-sink.ts'
import { messageBytes } from './smtp-source.ts'
import { startRelay } from './start-relay.ts'

const messages = 2_000
const batch = 50
const envelope = { from: 'sender@example.com', to: ['recipient@example.com'] }

/** The median milliseconds of one message: directly to the sink, through Mailyard, and the difference. */
export interface RelayLatency {
  readonly direct: number
  readonly relayed: number
  readonly added: number
}

/** Runs the benchmark; undefined if smtp-sink is not installed. */
export async function runRelayLatency(): Promise<RelayLatency | undefined> {
  const sink = await startSmtpSink()
  if (sink === undefined) return undefined
  const relay = await startRelay(sink.port)
  const mailer = createMailer({ connectionsMax: 1 })
  const open = (port: number) => mailer.open(`smtp://127.0.0.1:${port}?restart_threshold=0`)
  const [straight, through] = [open(sink.port), open(relay.smtpPort)]
  const direct: number[] = []
  const relayed: number[] = []
  await send(through, 500, [])
  await send(straight, 500, [])
  // Alternately, so that other load on this machine affects both.
  for (let sent = 0; sent < messages; sent += batch) {
    await send(straight, batch, direct)
    await send(through, batch, relayed)
  }
  await Promise.all([straight.close(), through.close()])
  await relay.stop()
  await sink.stop()
  const [one, other] = [median(direct), median(relayed)]
  return { direct: one, relayed: other, added: other - one }
}

let count = 0

async function send(transport: Transport, times: number, durations: number[]): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    count += 1
    const head = `From: ${envelope.from}\r\nMessage-ID: <${process.pid}.${count}@bench>\r\n\r\n`
    const raw = Buffer.from(head + `${'x'.repeat(76)}\r\n`.repeat(messageBytes / 78))
    const { outcome, durationMs, fault } = await transport.send({ envelope, raw })
    if (outcome !== 'accepted') throw new Error(fault?.message)
    durations.push(durationMs)
  }
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

if (import.meta.main) {
  const result = await runRelayLatency()
  process.stdout.write(
    result === undefined
      ? 'Skipped: smtp-sink is not installed (Debian: postfix).\n'
      : `straight to the sink ${result.direct.toFixed(2)} ms, through Mailyard ${result.relayed.toFixed(2)} ms: ` +
          `${result.added.toFixed(2)} ms added at the median (bar: 2 ms)\n`,
  )
}
