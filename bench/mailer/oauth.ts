// Messages per second with an access token (`smtp+oauth`), compared with a password (`smtp`), to the same server in turn:
// `node bench/mailer/oauth.ts`.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createMailer } from '../../src/mailer/index.ts'

const rounds = 10
const connections = 5
const messages = 20_000
const envelope = { from: 'shop@example.com', to: ['recipient@example.com'] }
const raw = Buffer.from(
  `From: Shop <${envelope.from}>\r\nTo: ${envelope.to[0]}\r\nSubject: bench\r\n\r\n${`${'x'.repeat(76)}\r\n`.repeat(130)}`,
)

interface Measurement {
  readonly perSecond: number
  /** The user and system time of this process for one message. */
  readonly cpuMicroseconds: number
}

/** The best of the rounds: other load on the machine only makes a round worse. The ratio is that to a password. */
export interface OAuthResult extends Measurement {
  readonly name: string
  readonly ratio: number
}

/** Runs the benchmark. */
export async function runOAuthBench(): Promise<OAuthResult[]> {
  const sink = spawn(process.execPath, [join(import.meta.dirname, 'login-sink.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  try {
    const { smtpPort, tokenPort } = await readPorts(sink)
    const tokenUrl = encodeURIComponent(`http://127.0.0.1:${tokenPort}/token`)
    const server = `localhost:${smtpPort}`
    const dsns = {
      password: `smtp://shop%40example.com:secret@${server}`,
      'token, one mailbox': `smtp+oauth://C:S@${server}?tokenUrl=${tokenUrl}&mailbox=shop%40example.com`,
      'token, mailbox of the sender': `smtp+oauth://C:S@${server}?tokenUrl=${tokenUrl}`,
    }
    const results = new Map<string, Measurement[]>(Object.keys(dsns).map((name) => [name, []]))
    for (const dsn of Object.values(dsns)) await measure(dsn)
    for (let round = 0; round < rounds; round += 1) {
      // In both orders, so that other load on this machine affects all of them.
      const inTurn = Object.entries(dsns)
      if (round % 2 === 1) inTurn.reverse()
      for (const [name, dsn] of inTurn) results.get(name)?.push(await measure(dsn))
    }
    const base = results.get('password') ?? []
    return [...results].map(([name, all]) => ({
      name,
      perSecond: bestRate(all),
      cpuMicroseconds: Math.min(...all.map(({ cpuMicroseconds }) => cpuMicroseconds)),
      ratio: bestRate(all) / bestRate(base),
    }))
  } finally {
    sink.stdin?.end()
    await once(sink, 'exit')
  }
}

async function readPorts({
  stdout,
}: ChildProcess): Promise<{ smtpPort: number; tokenPort: number }> {
  const [line] = (await once(stdout ?? process.stdin, 'data')) as [Buffer]
  return JSON.parse(String(line)) as { smtpPort: number; tokenPort: number }
}

async function measure(dsn: string): Promise<Measurement> {
  const transport = createMailer({ connectionsMax: connections }).open(dsn)
  const cpu = process.cpuUsage()
  const startedAt = performance.now()
  let left = messages
  const worker = async () => {
    while (left-- > 0) {
      const { outcome, fault } = await transport.send({ envelope, raw })
      if (outcome !== 'accepted') throw new Error(fault?.message)
    }
  }
  await Promise.all(Array.from({ length: connections * 2 }, worker))
  const perSecond = (messages / (performance.now() - startedAt)) * 1000
  const { user, system } = process.cpuUsage(cpu)
  await transport.close()
  return { perSecond, cpuMicroseconds: (user + system) / messages }
}

function bestRate(all: readonly Measurement[]): number {
  return Math.max(...all.map(({ perSecond }) => perSecond))
}

if (import.meta.main)
  for (const { name, perSecond, cpuMicroseconds, ratio } of await runOAuthBench())
    process.stdout.write(
      `${name}: ${perSecond.toFixed(0)} messages a second, ${ratio.toFixed(2)} of a password, ` +
        `${cpuMicroseconds.toFixed(0)} us CPU a message (best of ${rounds})\n`,
    )
