// A million sends through one transport: memory, sockets, rate. `node bench/mailer/million.ts [messages]`.
import { createMailer } from '../../src/libraries/mailer/index.ts'
import { startSmtpSink } from './smtp-sink.ts'

const senders = 40
const samples = 10
const envelope = { from: 'sender@example.com', to: ['recipient@example.com'] }
const raw = Buffer.from(
  `From: ${envelope.from}\r\nSubject: bench\r\n\r\n${`${'x'.repeat(76)}\r\n`.repeat(130)}`,
)

/** The state after one part of the run. */
export interface MillionSample {
  readonly sent: number
  readonly residentMegabytes: number
  readonly heapMegabytes: number
  readonly connections: number
}

/** The result of the whole run. */
export interface MillionResult {
  readonly samples: readonly MillionSample[]
  readonly perSecond: number
  /** The connections of the sink, a moment after the transport was closed. */
  readonly connectionsLeft: number
}

/** Runs the benchmark; undefined if smtp-sink is not installed. */
export async function runMillionBench(messages: number): Promise<MillionResult | undefined> {
  const sink = await startSmtpSink()
  if (sink === undefined) return undefined
  // A connection is replaced after a hundred messages, as by default.
  const transport = createMailer({ connectionsMax: 20 }).open(`smtp://localhost:${sink.port}`)
  const taken: MillionSample[] = []
  const startedAt = performance.now()
  for (let part = 1; part <= samples; part += 1) {
    let left = messages / samples
    const worker = async () => {
      while (left-- > 0) {
        const { outcome, fault } = await transport.send({ envelope, raw })
        if (outcome !== 'accepted') throw new Error(fault?.message)
      }
    }
    await Promise.all(Array.from({ length: senders }, worker))
    global.gc?.()
    const { rss, heapUsed } = process.memoryUsage()
    taken.push({
      sent: (messages / samples) * part,
      residentMegabytes: rss / 1024 / 1024,
      heapMegabytes: heapUsed / 1024 / 1024,
      connections: transport.load().connections,
    })
  }
  const perSecond = (messages / (performance.now() - startedAt)) * 1000
  await transport.close()
  await new Promise((resolve) => setTimeout(resolve, 500))
  const connectionsLeft = sink.connections()
  await sink.stop()
  return { samples: taken, perSecond, connectionsLeft }
}

if (import.meta.main) {
  const result = await runMillionBench(Number(process.argv[2] ?? 1_000_000))
  if (result === undefined) process.stdout.write('smtp-sink is not installed (Debian: postfix).\n')
  for (const one of result?.samples ?? [])
    process.stdout.write(
      `${one.sent} sent: ${one.residentMegabytes.toFixed(0)} MB resident, ${one.heapMegabytes.toFixed(0)} MB heap, ${one.connections} connections\n`,
    )
  if (result !== undefined) {
    const [, second] = result.samples
    const last = result.samples.at(-1)
    const ratio = (last?.residentMegabytes ?? 0) / (second?.residentMegabytes ?? 1)
    process.stdout.write(
      `${result.perSecond.toFixed(0)}/s; resident memory at the end : after a fifth = ${ratio.toFixed(2)}; ${result.connectionsLeft} sockets left\n`,
    )
  }
}
