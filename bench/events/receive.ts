// Events of a provider in signed requests of 1,000, until they are answered and until they are applied, beside a handler that
// only stores the bodies, in one run, on SQLite and PostgreSQL. Goals: 5,000 events a second are applied, and at least 0.3 of
// the bare handler's requests are answered; while requests of 1 MB arrive, another request waits less than 250 ms.
// `node bench/events/receive.ts [rounds]`.
import { join } from 'node:path'
import { openStorage, type Storage } from '../../src/platform/storage/index.ts'
import { createDatabase } from '../../test/databases.ts'
import { apiSettings, startMailyard } from '../../test/mailyard-process.ts'
import { startPostgres } from '../../test/postgres-server.ts'
import { createBenchFolder } from '../bench-folder.ts'
import { median, print } from '../print.ts'
import { startScript } from '../start-script.ts'
import { addAccount, eventsOf, logMessages, post, untilApplied } from './parts/environment.ts'

const eventsPerRequest = 1_000
const requestsPerRound = 20
const parallel = 4
/** A request of nearly 1 MB. */
const eventsOfMegabyte = 3_400

interface Service {
  storage: Storage
  url: string
  webhook: string
  transportId: number
}

interface Rates {
  answered: number
  applied: number
  bare: number
}

async function run(rounds: number): Promise<void> {
  const { folder, remove } = createBenchFolder()
  const postgres = await startPostgres()
  try {
    await compare('SQLite', rounds, {
      service: `sqlite:${join(folder, 'mailyard.db')}`,
      bare: `sqlite:${join(folder, 'bare.db')}`,
      folder,
    })
    await compare('PostgreSQL', rounds, {
      service: await createDatabase(postgres.url, { name: 'mailyard' }),
      bare: await createDatabase(postgres.url, { name: 'bare' }),
      folder,
    })
  } finally {
    await postgres.stop()
    remove()
  }
}

async function compare(
  name: string,
  rounds: number,
  {
    service: databaseUrl,
    bare: bareUrl,
    folder,
  }: { service: string; bare: string; folder: string },
): Promise<void> {
  const service = await startMailyard({
    folder,
    databaseUrl,
    env: { ...apiSettings, MAILYARD_PUBLIC_URL: 'https://mail.example.com' },
  })
  const storage = openStorage({ url: databaseUrl, onIdleError: () => undefined })
  const bare = await startScript(join(import.meta.dirname, 'parts/bare-handler.ts'), [bareUrl])
  try {
    const { transportId, path } = await addAccount(service.url)
    const target = { storage, url: service.url, webhook: `${service.url}${path}`, transportId }
    const rates: Rates[] = []
    // The first round warms up.
    for (let round = 0; round <= rounds; round += 1) {
      const measured = await measure(target, bare.line, round)
      if (round > 0) rates.push(measured)
    }
    report(name, rates)
    print(
      `  ${name}: another request waits ${(await waitBeside(target)).toFixed(0)} ms at most (goal 250)`,
    )
  } finally {
    bare.stop()
    await storage.close()
    await service.stop()
  }
}

async function measure(service: Service, bareUrl: string, round: number): Promise<Rates> {
  const count = requestsPerRound * eventsPerRequest
  const first = round * count
  await logMessages(service.storage, { transportId: service.transportId, first, count })
  const bodies = Array.from({ length: requestsPerRound }, (_, index) =>
    eventsOf(first + index * eventsPerRequest, eventsPerRequest),
  )
  const bareMs = await postAll(bareUrl, bodies)
  const startedAt = performance.now()
  const answeredMs = await postAll(service.webhook, bodies)
  await untilApplied(service.storage)
  const appliedMs = performance.now() - startedAt
  const rate = (ms: number) => count / (ms / 1_000)
  return { answered: rate(answeredMs), applied: rate(appliedMs), bare: rate(bareMs) }
}

/** Posts bodies, some at a time, and returns how long it took. */
async function postAll(url: string, bodies: readonly string[]): Promise<number> {
  const startedAt = performance.now()
  const remaining = [...bodies]
  const work = async () => {
    for (let body = remaining.pop(); body !== undefined; body = remaining.pop())
      await post(url, body)
  }
  await Promise.all(Array.from({ length: parallel }, work))
  return performance.now() - startedAt
}

/** The longest time of another request while requests of nearly 1 MB arrive one after the other, in milliseconds. */
async function waitBeside({ url, webhook, storage }: Service): Promise<number> {
  const bodies = Array.from({ length: 10 }, (_, index) =>
    eventsOf(index * eventsOfMegabyte, eventsOfMegabyte),
  )
  let isPosting = true
  let longestMs = 0
  const watch = async () => {
    while (isPosting) {
      const startedAt = performance.now()
      await (await fetch(`${url}/readyz`)).arrayBuffer()
      longestMs = Math.max(longestMs, performance.now() - startedAt)
    }
  }
  const watching = watch()
  for (const body of bodies) await post(webhook, body)
  await untilApplied(storage)
  isPosting = false
  await watching
  return longestMs
}

function report(name: string, rates: readonly Rates[]): void {
  const of = (key: keyof Rates) => median(rates.map((each) => each[key]))
  const [answered, applied, bare] = [of('answered'), of('applied'), of('bare')]
  print(
    `${name}, events a second: answered ${answered.toFixed(0)}, applied ${applied.toFixed(0)} (goal 5000), bare handler ${bare.toFixed(0)}`,
  )
  print(
    `  ${name}: answered / bare ${(answered / bare).toFixed(2)} (goal 0.3), applied / bare ${(applied / bare).toFixed(2)}`,
  )
}

if (import.meta.main) await run(Number(process.argv[2] ?? 5))
