// Memory of a Mailyard that relays very many messages: `node bench/relay/memory.ts [messages]`, default: a
// million.
import { startSmtpSink } from '../mailer/smtp-sink.ts'
import { residentMegabytes } from '../process-usage.ts'
import { runSource } from './smtp-source.ts'
import { startRelay } from './start-relay.ts'

const samples = 10

/** Runs the benchmark; returns the memory after each tenth of the messages. Undefined if smtp-sink is not installed. */
export async function runRelayMemory(
  messages: number,
  onSample: (sent: number, megabytes: number) => void,
): Promise<{ ratio: number; perSecond: number } | undefined> {
  const sink = await startSmtpSink()
  if (sink === undefined) return undefined
  const relay = await startRelay(sink.port)
  const taken: number[] = []
  const startedAt = performance.now()
  for (let part = 1; part <= samples; part += 1) {
    await runSource({ port: relay.smtpPort, connections: 50, messages: messages / samples })
    const megabytes = residentMegabytes(relay.pid)
    taken.push(megabytes)
    onSample((messages / samples) * part, megabytes)
  }
  const perSecond = (messages / (performance.now() - startedAt)) * 1_000
  await relay.stop()
  await sink.stop()
  const [, second = Number.NaN] = taken
  return { ratio: (taken.at(-1) ?? Number.NaN) / second, perSecond }
}

if (import.meta.main) {
  const result = await runRelayMemory(Number(process.argv[2] ?? 1_000_000), (sent, megabytes) => {
    process.stdout.write(`${sent} relayed: ${megabytes.toFixed(0)} MB resident\n`)
  })
  process.stdout.write(
    result === undefined
      ? 'Skipped: smtp-sink is not installed (Debian: postfix).\n'
      : `${result.perSecond.toFixed(0)}/s; memory at the end : after a fifth = ${result.ratio.toFixed(2)} (flat: 1)\n`,
  )
}
