// Memory of 1,000 open connections: `node bench/relay/connections.ts [connections]`.
import { setTimeout } from 'node:timers/promises'
import { type Dialogue, openDialogue } from '../../test/smtp-dialogue.ts'
import { residentMegabytes } from '../process-usage.ts'
import { startRelay } from './start-relay.ts'

/** Nothing is sent, so there is no sink. */
const discardPort = 9
const atOnce = 50

/** The memory before, with the connections open, and with an unfinished message on each. */
export interface ConnectionsMemory {
  readonly before: number
  readonly open: number
  readonly started: number
}

/** Runs the benchmark. */
export async function runRelayConnections(count: number): Promise<ConnectionsMemory> {
  const relay = await startRelay(discardPort)
  const before = residentMegabytes(relay.pid)
  const clients: Dialogue[] = []
  while (clients.length < count) {
    const some = Array.from({ length: Math.min(atOnce, count - clients.length) }, async () => {
      const client = await openDialogue(relay.smtpPort)
      await client.say('EHLO bench.example.com')
      return client
    })
    clients.push(...(await Promise.all(some)))
  }
  await setTimeout(500)
  const open = residentMegabytes(relay.pid)
  for (const client of clients) {
    await client.say('MAIL FROM:<sender@example.com>')
    await client.say('RCPT TO:<recipient@example.com>')
    await client.say('DATA')
    client.send(`${'x'.repeat(9_998)}\r\n`)
  }
  await setTimeout(500)
  const started = residentMegabytes(relay.pid)
  for (const client of clients) client.destroy()
  await relay.stop()
  return { before, open, started }
}

if (import.meta.main) {
  const count = Number(process.argv[2] ?? 1_000)
  const { before, open, started } = await runRelayConnections(count)
  process.stdout.write(
    `${count} connections: ${before.toFixed(0)} MB before, ${open.toFixed(0)} MB open, ` +
      `${started.toFixed(0)} MB with 10 KB of a message on each (bar: 300 MB)\n`,
  )
}
