// Messages per second of this checkout and of another one, in turn and in one run, with the same sink and the same options of
// Node: `node bench/relay/beside.ts FOLDER [rounds] [direct] [queue]`. FOLDER is the other checkout, such as that of the parent commit.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { openStorage, type Storage } from '../../src/platform/storage/index.ts'
import { type MailyardProcess, sourceMain } from '../../test/mailyard-process.ts'
import { startSmtpSink } from '../mailer/smtp-sink.ts'
import { median, print } from '../print.ts'
import { cpuSeconds } from '../process-usage.ts'
import { drainQueue } from './queue.ts'
import { runSource } from './smtp-source.ts'
import { startRelay } from './start-relay.ts'

const loads = [
  { connections: 1, messages: 600 },
  { connections: 20, messages: 4_000 },
  { connections: 100, messages: 4_000 },
]
const warmUp = { connections: 20, messages: 10_000 }

type Mode = (typeof allModes)[number]
const allModes = ['direct', 'queue'] as const

/** The rates of one run, a second, and the processor time of a message in microseconds. */
interface Rates {
  accepted: number
  delivered: number
  cpu: number
}

interface Side {
  relay: MailyardProcess
  storage: Storage
}

async function measure({ relay, storage }: Side, load: (typeof loads)[number]): Promise<Rates> {
  const cpuBefore = cpuSeconds(relay.pid)
  const startedAt = performance.now()
  await runSource({ ...load, port: relay.smtpPort })
  const acceptedAt = performance.now()
  await drainQueue(storage)
  const rate = (until: number) => (load.messages / (until - startedAt)) * 1_000
  const cpu = ((cpuSeconds(relay.pid) - cpuBefore) / load.messages) * 1e6
  return { accepted: rate(acceptedAt), delivered: rate(performance.now()), cpu }
}

async function compare(mode: Mode, sides: readonly [Side, Side], rounds: number) {
  const [ours, theirs] = sides
  for (const side of sides) await measure(side, warmUp)
  for (const load of loads) {
    const results: { ours: Rates; theirs: Rates }[] = []
    for (let round = 0; round < rounds; round += 1) {
      // The one that is measured first changes with each round.
      const first = round % 2 === 0 ? await measure(ours, load) : undefined
      const other = await measure(theirs, load)
      results.push({ ours: first ?? (await measure(ours, load)), theirs: other })
    }
    const keys =
      mode === 'queue'
        ? (['accepted', 'delivered', 'cpu'] as const)
        : (['accepted', 'cpu'] as const)
    for (const key of keys) {
      const of = (value: (result: (typeof results)[number]) => number) => median(results.map(value))
      const [our, their] = [of((each) => each.ours[key]), of((each) => each.theirs[key])]
      const ratio = of((each) => each.ours[key] / each.theirs[key])
      print(
        `${mode}, ${load.connections} connections, ${key}: this ${our.toFixed(0)}, other ${their.toFixed(0)}, ratio ${ratio.toFixed(2)}`,
      )
    }
  }
}

async function run(otherFolder: string, rounds: number, modes: readonly Mode[]): Promise<void> {
  const sink = await startSmtpSink()
  if (sink === undefined) return print('Skipped: smtp-sink is not installed (Debian: postfix).')
  for (const mode of modes) {
    const folder = mkdtempSync(join(tmpdir(), 'mailyard-bench-'))
    const open = async (name: string, main: string): Promise<Side> => {
      const databaseUrl = `sqlite:${join(folder, `${name}.db`)}`
      const relay = await startRelay(sink.port, { mode, databaseUrl, main })
      return { relay, storage: openStorage({ url: databaseUrl, onIdleError: () => undefined }) }
    }
    const sides = [
      await open('this', sourceMain),
      await open('other', join(resolve(otherFolder), 'src/main.ts')),
    ] as const
    await compare(mode, sides, rounds)
    for (const { relay, storage } of sides) {
      await storage.close()
      await relay.stop()
    }
    rmSync(folder, { recursive: true, force: true })
  }
  await sink.stop()
}

const [, , folder, rounds = 5, ...words] = process.argv
if (folder === undefined) print('Name the folder of another checkout.')
else {
  const chosen = allModes.filter((mode) => words.includes(mode))
  await run(folder, Number(rounds), chosen.length === 0 ? allModes : chosen)
}
