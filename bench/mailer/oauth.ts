// Messages per second with an access token (`smtp+oauth`), compared with a password (`smtp`), to the same server in turn:
// `node bench/mailer/oauth.ts`.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createMailer, type Transport } from '../../src/mailer/index.ts'

const rounds = 100
const connections = 5
const messages = 2_000
const envelope = { from: 'shop@example.com', to: ['recipient@example.com'] }
const raw = Buffer.from(
  `From: Shop <${envelope.from}>\r\nTo: ${envelope.to[0]}\r\nSubject: bench\r\n\r\n${`${'x'.repeat(76)}\r\n`.repeat(130)}`,
)

interface Measurement {
  readonly perSecond: number
  /** The user and system time of this process for one message. */
  readonly cpuMicroseconds: number
}

/** Over all rounds, which are short and in turn, so that other load on the machine slows all of them. */
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
    const mailer = createMailer({ connectionsMax: connections })
    const transports = Object.entries(dsns).map(([name, dsn]) => ({
      name,
      transport: mailer.open(dsn),
    }))
    const results = new Map<string, Measurement[]>(Object.keys(dsns).map((name) => [name, []]))
    for (const { transport } of transports) await measure(transport)
    for (let round = 0; round < rounds; round += 1) {
      // In both orders, so that other load on this machine affects all of them.
      const inTurn = round % 2 === 0 ? transports : transports.toReversed()
      for (const { name, transport } of inTurn) results.get(name)?.push(await measure(transport))
    }
    for (const { transport } of transports) await transport.close()
    const base = results.get('password') ?? []
    return [...results].map(([name, all]) => ({
      name,
      perSecond: rateOf(all),
      cpuMicroseconds: sum(all.map(({ cpuMicroseconds }) => cpuMicroseconds)) / rounds,
      ratio: rateOf(all) / rateOf(base),
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

async function measure(transport: Transport): Promise<Measurement> {
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
  return { perSecond, cpuMicroseconds: (user + system) / messages }
}

/** Returns the messages of all rounds in one second. */
function rateOf(all: readonly Measurement[]): number {
  return all.length / sum(all.map(({ perSecond }) => 1 / perSecond))
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

if (import.meta.main)
  for (const { name, perSecond, cpuMicroseconds, ratio } of await runOAuthBench())
    process.stdout.write(
      `${name}: ${perSecond.toFixed(0)} messages a second, ${ratio.toFixed(2)} of a password, ` +
        `${cpuMicroseconds.toFixed(0)} us CPU a message (${rounds} rounds)\n`,
    )
