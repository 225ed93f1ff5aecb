// Messages per second with an access token (`smtp+oauth`), compared with a password (`smtp`), to the same server in turn:
// `node bench/mailer/oauth.ts`.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createMailer } from '../../src/mailer/index.ts'

const rounds = 7
const connections = 5
const messages = 10_000
const envelope = { from: 'shop@example.com', to: ['recipient@example.com'] }
const raw = Buffer.from(
  `From: Shop <${envelope.from}>\r\nTo: ${envelope.to[0]}\r\nSubject: bench\r\n\r\n${`${'x'.repeat(76)}\r\n`.repeat(130)}`,
)

/** Messages per second, and the ratio to those with a password, each the median of the rounds. */
export interface OAuthResult {
  readonly name: string
  readonly perSecond: number
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
    const rates = new Map<string, number[]>(Object.keys(dsns).map((name) => [name, []]))
    for (const dsn of Object.values(dsns)) await measure(dsn)
    for (let round = 0; round < rounds; round += 1)
      for (const [name, dsn] of Object.entries(dsns)) rates.get(name)?.push(await measure(dsn))
    const base = rates.get('password') ?? []
    return [...rates].map(([name, all]) => ({
      name,
      perSecond: median(all),
      ratio: median(all.map((rate, round) => rate / (base[round] ?? Number.NaN))),
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

async function measure(dsn: string): Promise<number> {
  const transport = createMailer({ connectionsMax: connections }).open(dsn)
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
  await transport.close()
  return perSecond
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

if (import.meta.main)
  for (const { name, perSecond, ratio } of await runOAuthBench())
    process.stdout.write(
      `${name}: ${perSecond.toFixed(0)} messages a second, ${ratio.toFixed(2)} of a password (medians of ${rounds})\n`,
    )
