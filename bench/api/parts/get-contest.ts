import { join } from 'node:path'
import { asAdmin } from '../../../test/administrator.ts'
import type { MailyardOptions, MailyardProcess } from '../../../test/mailyard-process.ts'
import { runMailyard } from '../../../test/run-mailyard.ts'
import { familyCpuSeconds } from '../../family-cpu.ts'
import { countStatements, type StatementCounts } from '../../postgres/count-statements.ts'
import { median, print } from '../../print.ts'
import { cpuSeconds } from '../../process-usage.ts'
import { startScript } from '../../start-script.ts'
import { type LoadResult, runLoad } from './load.ts'

/** How many transports are requested, in a cycle. */
export const transportCount = 1_000
const rounds = 7
const seconds = 2
const connections = 16

/** One of the compared servers. */
interface Contestant {
  name: string
  port: number
  authorization: string
  pid: number
  results: (LoadResult & { cpuMicroseconds: number; postgresMicroseconds: number })[]
  counts?: StatementCounts
}

export interface GetContestOptions {
  service: MailyardProcess
  serviceOptions: MailyardOptions
  /** What the bare server gets as its argument. */
  bareDatabase: string
  /** Whether the service counts its statements. */
  countsStatements?: boolean
}

/** Compares `GET` of one transport, by Basic and by Bearer, with the bare server, and prints the ratios. */
export async function runGetContest(options: GetContestOptions): Promise<void> {
  const { service, serviceOptions, bareDatabase } = options
  const bare = await startBareServer(bareDatabase)
  const { port, pid } = service
  const token = await getToken(service, serviceOptions)
  const contestants: Contestant[] = [
    { name: 'bare node:http', ...bare, authorization: asAdmin, results: [] },
    { name: 'Mailyard, Basic', port, pid, authorization: asAdmin, results: [] },
    { name: 'Mailyard, Bearer', port, pid, authorization: `Bearer ${token}`, results: [] },
  ]
  for (const each of contestants) await measure(each)
  for (const each of contestants) each.results.length = 0
  // Alternately, so that other load on this machine affects all of them.
  for (let round = 0; round < rounds; round += 1) {
    for (const each of contestants) {
      const isCounted = options.countsStatements === true && each.pid === pid
      if (!isCounted) await measure(each)
      else each.counts = await countStatements(service, () => measure(each))
    }
  }
  report(contestants)
  bare.stop()
}

async function measure(contestant: Contestant): Promise<void> {
  const { port, pid, authorization } = contestant
  const paths = Array.from(
    { length: transportCount },
    (_, index) => `/api/multipleTransports/${index + 1}`,
  )
  const before = { own: cpuSeconds(pid), postgres: familyCpuSeconds(['postgres']) }
  const result = await runLoad({ port, paths, authorization, connections, seconds })
  if (result.failures > 0) throw new Error(`${contestant.name} failed ${result.failures} requests.`)
  const each = (used: number) => (used * 1e6) / result.requests
  contestant.results.push({
    ...result,
    cpuMicroseconds: each(cpuSeconds(pid) - before.own),
    postgresMicroseconds: each(familyCpuSeconds(['postgres']) - before.postgres),
  })
}

function report(contestants: readonly Contestant[]): void {
  const [bare, ...ours] = contestants
  for (const { name, results, counts } of contestants) {
    const of = (key: keyof (typeof results)[number]) => median(results.map((each) => each[key]))
    const ofDatabase = of('postgresMicroseconds')
    print(
      `${name.padEnd(18)} ${of('perSecond').toFixed(0).padStart(6)} a second, ` +
        `median ${of('medianMs').toFixed(2)} ms, 99% within ${of('p99Ms').toFixed(2)} ms, ` +
        `${of('cpuMicroseconds').toFixed(1)} µs of processor each${ofDatabase === 0 ? '' : `, PostgreSQL ${ofDatabase.toFixed(1)} µs`}; ` +
        `generator ${(of('generatorBusy') * 100).toFixed(0)}% busy`,
    )
    const requests = results.at(-1)?.requests ?? 0
    if (counts !== undefined)
      print(
        `  each request: ${(counts.statements / requests).toFixed(2)} statements, ${(counts.commits / requests).toFixed(2)} commits`,
      )
  }
  for (const { name, results } of ours) {
    const ratios = results.map((each, round) => {
      const other = bare?.results[round]
      return each.perSecond / (other?.perSecond ?? Number.NaN)
    })
    const cpuRatios = results.map((each, round) => {
      const other = bare?.results[round]
      return other === undefined ? Number.NaN : cpuOf(other) / cpuOf(each)
    })
    print(
      `${name}: ${median(ratios).toFixed(2)} of the bare handler's rate ` +
        `(rounds: ${ratios.map((ratio) => ratio.toFixed(2)).join(' ')}); by processor time ${median(cpuRatios).toFixed(2)}`,
    )
  }
}

/** With that of the database. */
function cpuOf({ cpuMicroseconds, postgresMicroseconds }: Contestant['results'][number]): number {
  return cpuMicroseconds + postgresMicroseconds
}

async function startBareServer(database: string) {
  const script = await startScript(join(import.meta.dirname, 'bare-server.ts'), [database])
  return { ...script, port: Number(script.line) }
}

async function getToken({ url }: MailyardProcess, options: MailyardOptions): Promise<string> {
  const line = 'clients create --name bench --grant-types client_credentials --role 1 --json'
  const { stdout } = await runMailyard(line.split(' '), options)
  const { clientId, clientSecret } = JSON.parse(stdout).oauthClient as Record<string, string>
  const answer = await fetch(`${url}/oauth/v2/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
    }),
  })
  return ((await answer.json()) as { access_token: string }).access_token
}
