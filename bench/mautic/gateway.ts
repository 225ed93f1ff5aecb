// Requests that the gateway forwards to a Mautic, beside a bare proxy of undici and the Mautic itself, in one run. Goals: at
// least 0.8 of the bare proxy's rate, and less than 2 ms added at the median on one connection.
// `node bench/mautic/gateway.ts [rounds]`. PROFILE (a folder).
import { join, resolve } from 'node:path'
import { asAdmin } from '../../test/administrator.ts'
import { apiSettings, type MailyardProcess, startMailyard } from '../../test/mailyard-process.ts'
import { type LoadResult, runLoad } from '../api/parts/load.ts'
import { median, print } from '../print.ts'
import { cpuSeconds } from '../process-usage.ts'
import { startScript } from '../start-script.ts'

const name = 'brand'
const path = '/api/emails/17'
const authorization = 'Bearer a-token-of-mautic'
const seconds = 2

/** One of the compared servers. */
interface Contestant {
  readonly name: string
  readonly port: number
  readonly pid: number
  readonly path: string
}

type Result = LoadResult & { cpuMicroseconds: number }

/** The results of each server, round by round. */
type Results = Record<'direct' | 'bare' | 'gateway', Result[]>

async function run(rounds: number): Promise<void> {
  const mautic = await startScript(join(import.meta.dirname, 'parts/mautic-server.ts'))
  const url = `http://127.0.0.1:${mautic.line}`
  const bare = await startScript(join(import.meta.dirname, 'parts/bare-proxy.ts'), [url])
  const profile = process.env['PROFILE']
  const service = await startMailyard({
    env: apiSettings,
    nodeOptions: profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(profile)}`],
  })
  await connect(service, url)
  const contestants = {
    direct: { name: 'Mautic itself', port: Number(mautic.line), pid: mautic.pid, path },
    bare: { name: 'bare undici proxy', port: Number(bare.line), pid: bare.pid, path },
    gateway: { name: 'gateway', ...service, path: `/mautic/${name}${path}` },
  }
  for (const connections of [16, 1]) {
    // Until V8 has compiled the hot code.
    await measureRounds(contestants, { connections, rounds: 3 })
    report(await measureRounds(contestants, { connections, rounds }), connections)
  }
  await service.stop()
  for (const script of [bare, mautic]) script.stop()
}

/** Connects the Mautic. It is not read: the server has no lists. */
async function connect({ url }: MailyardProcess, mauticUrl: string): Promise<void> {
  const answer = await fetch(`${url}/api/mautics/new`, {
    method: 'POST',
    headers: { authorization: asAdmin, 'content-type': 'application/json' },
    body: JSON.stringify({ name, url: mauticUrl, clientId: 'id', clientSecret: 'secret' }),
  })
  if (!answer.ok) throw new Error(`The Mautic was not connected: ${await answer.text()}`)
}

async function measureRounds(
  contestants: Record<keyof Results, Contestant>,
  { connections, rounds }: { connections: number; rounds: number },
): Promise<Results> {
  const results: Results = { direct: [], bare: [], gateway: [] }
  // Alternately, so that other load on this machine affects all of them.
  for (let round = 0; round < rounds; round += 1)
    for (const key of ['direct', 'bare', 'gateway'] as const)
      results[key].push(await measure(contestants[key], connections))
  return results
}

async function measure(contestant: Contestant, connections: number): Promise<Result> {
  const { port, pid } = contestant
  const before = cpuSeconds(pid)
  const load = { port, paths: [contestant.path], authorization, connections, seconds }
  const result = await runLoad(load)
  if (result.failures > 0) throw new Error(`${contestant.name} failed ${result.failures} requests.`)
  return { ...result, cpuMicroseconds: ((cpuSeconds(pid) - before) * 1e6) / result.requests }
}

function report(results: Results, connections: number): void {
  print(`${connections} connection${connections === 1 ? '' : 's'}:`)
  for (const key of ['direct', 'bare', 'gateway'] as const) {
    const of = (value: keyof Result) => median(results[key].map((each) => each[value]))
    print(
      `  ${key.padEnd(8)} ${of('perSecond').toFixed(0).padStart(6)} a second, ` +
        `median ${of('medianMs').toFixed(2)} ms, 99% within ${of('p99Ms').toFixed(2)} ms, ` +
        `${of('cpuMicroseconds').toFixed(0)} µs of processor each`,
    )
  }
  const ratios = (value: (result: Result) => number) =>
    results.gateway.map((each, round) => {
      const other = results.bare[round]
      return other === undefined ? Number.NaN : value(each) / value(other)
    })
  const rates = ratios(({ perSecond }) => perSecond)
  const byCpu = ratios(({ cpuMicroseconds }) => 1 / cpuMicroseconds)
  print(
    `  gateway : bare undici proxy = ${median(rates).toFixed(2)} (bar: 0.8; ` +
      `rounds: ${rates.map((ratio) => ratio.toFixed(2)).join(' ')}); by processor time ${median(byCpu).toFixed(2)}`,
  )
  const added = results.gateway.map(
    ({ medianMs }, round) => medianMs - (results.direct[round]?.medianMs ?? Number.NaN),
  )
  if (connections === 1) print(`  ${median(added).toFixed(2)} ms added at the median (bar: 2 ms)`)
}

if (import.meta.main) await run(Number(process.argv[2] ?? 5))
