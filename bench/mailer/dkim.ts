// Messages of 10 KB a second over 20 connections to Postfix's smtp-sink, with and without signing in turn, and the longest gap of
// the event loop: `node bench/mailer/dkim.ts [rounds]`. PER_SECOND=1000 limits the rate, as a service's other work does.
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import {
  createMailer,
  type DkimKey,
  type DkimKeys,
  type Transport,
} from '../../src/mailer/index.ts'
import { median, print } from '../print.ts'
import { startSmtpSink } from './smtp-sink.ts'

const connections = 20
const envelope = { from: 'shop@example.com', to: ['recipient@example.com'] }
const header = [
  'Date: Fri, 27 Nov 2026 10:00:00 +0000',
  'Message-ID: <1234567890@example.com>',
  `From: Shop <${envelope.from}>`,
  `To: ${envelope.to[0]}`,
  'Subject: A newsletter',
  'MIME-Version: 1.0',
  'Content-Type: text/html; charset=utf-8',
  'List-Unsubscribe: <https://example.com/unsubscribe?id=1>',
  'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
]
const raw = Buffer.from(
  `${header.join('\r\n')}\r\n\r\n${`  <td class="text">${'word '.repeat(10)}</td>  \r\n`.repeat(133)}`,
)

const privateKeys: Readonly<Record<DkimKey['algorithm'], KeyObject>> = {
  rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
  ed25519: generateKeyPairSync('ed25519').privateKey,
}

function keysOf(algorithm: DkimKey['algorithm']): DkimKeys {
  const privateKey = privateKeys[algorithm]
  return { find: (domain) => ({ domain, selector: 'm1', algorithm, privateKey }) }
}

interface Sender {
  readonly name: string
  readonly transport: Transport
  readonly rounds: Measurement[]
}

interface Measurement {
  readonly perSecond: number
  /** Processor time of each message, in microseconds: of the whole process, and of its main thread. */
  readonly cpu: { readonly all: number; readonly main: number }
  /** The longest gap of the event loop, in milliseconds. */
  readonly gapMs: number
}

/** How one way of signing compares with no signing. */
export interface DkimResult {
  readonly name: string
  /** Of the fastest round. */
  readonly perSecond: number
  /** The median of the rounds, each compared with the one without signing. */
  readonly ratio: number
  readonly cpu: Measurement['cpu']
  /** The longest of a median round. */
  readonly gapMs: number
  readonly bestGapMs: number
}

interface DkimBenchOptions {
  readonly rounds: number
  readonly messages: number
  /** Undefined for as many as possible. */
  readonly perSecond: number | undefined
}

/** Runs the benchmark; undefined if smtp-sink is not installed. */
export async function runDkimBench(options: DkimBenchOptions): Promise<DkimResult[] | undefined> {
  const sink = await startSmtpSink()
  if (sink === undefined) return undefined
  const { rounds, messages, perSecond } = options
  const limit = perSecond === undefined ? '' : `&max_per_second=${perSecond}`
  const open = (name: string, dkim?: DkimKeys): Sender => ({
    name,
    transport: createMailer({ connectionsMax: connections, dkim }).open(
      `smtp://localhost:${sink.port}?restart_threshold=0${limit}`,
    ),
    rounds: [],
  })
  const senders = [
    open('without signing'),
    open('Ed25519', keysOf('ed25519')),
    open('RSA 2048', keysOf('rsa')),
  ]
  try {
    for (const { transport } of senders) await measure(transport, messages)
    for (let round = 0; round < rounds; round += 1) {
      // In both orders, so that other load on this machine affects all of them.
      const inTurn = round % 2 === 0 ? senders : senders.toReversed()
      for (const { transport, rounds: done } of inTurn)
        done.push(await measure(transport, messages))
    }
  } finally {
    for (const { transport } of senders) await transport.close()
    await sink.stop()
  }
  const [base] = senders
  return senders.map((sender) => resultOf(sender, base?.rounds ?? []))
}

async function measure(transport: Transport, messages: number): Promise<Measurement> {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const [cpu, mainCpu] = [process.cpuUsage(), process.threadCpuUsage()]
  const startedAt = performance.now()
  delay.enable()
  let left = messages
  const worker = async () => {
    while (left-- > 0) {
      const { outcome, fault } = await transport.send({ envelope, raw })
      if (outcome !== 'accepted') throw new Error(fault?.message)
    }
  }
  // Twice as many senders as connections: a message always waits, as in a broadcast.
  await Promise.all(Array.from({ length: connections * 2 }, worker))
  const perSecond = (messages / (performance.now() - startedAt)) * 1000
  delay.disable()
  const [all, main] = [process.cpuUsage(cpu), process.threadCpuUsage(mainCpu)]
  return {
    perSecond,
    cpu: {
      all: (all.user + all.system) / messages,
      main: (main.user + main.system) / messages,
    },
    gapMs: delay.max / 1e6,
  }
}

function resultOf({ name, rounds }: Sender, base: readonly Measurement[]): DkimResult {
  return {
    name,
    perSecond: Math.max(...rounds.map(({ perSecond }) => perSecond)),
    ratio: median(
      rounds.map(({ perSecond }, index) => perSecond / (base[index]?.perSecond ?? Number.NaN)),
    ),
    cpu: {
      all: Math.min(...rounds.map(({ cpu }) => cpu.all)),
      main: Math.min(...rounds.map(({ cpu }) => cpu.main)),
    },
    gapMs: median(rounds.map(({ gapMs }) => gapMs)),
    bestGapMs: Math.min(...rounds.map(({ gapMs }) => gapMs)),
  }
}

if (import.meta.main) {
  const rounds = Number(process.argv[2] ?? 15)
  const limit = process.env['PER_SECOND']
  const perSecond = limit === undefined ? undefined : Number(limit)
  const results = await runDkimBench({ rounds, messages: 2_000, perSecond })
  if (results === undefined) print('skipped: smtp-sink is not installed (Debian: postfix).')
  for (const { name, perSecond: best, ratio, cpu, gapMs, bestGapMs } of results ?? [])
    print(
      `${name}: ${best.toFixed(0)}/s at best, ${ratio.toFixed(2)} of the rate without signing (median of ${rounds}), ` +
        `${cpu.all.toFixed(0)} us CPU a message (main thread ${cpu.main.toFixed(0)}), ` +
        `longest gap of the event loop ${gapMs.toFixed(0)} ms (median; best round ${bestGapMs.toFixed(0)})`,
    )
}
