// `GET` of one transport, authenticated by Basic and by Bearer, against a bare `node:http` handler that does
// the same SQLite look-up and answers the same JSON. Wanted: at least 0.8 of it. `node bench/api/get.ts`
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { asAdmin } from '../../test/administrator.ts'
import {
  apiSettings,
  type MailyardOptions,
  type MailyardProcess,
  runMailyard,
  startMailyard,
} from '../../test/mailyard-process.ts'
import { cpuSeconds } from '../process-usage.ts'
import { type LoadResult, runLoad } from './parts/load.ts'
import { median, print } from './parts/print.ts'
import { withScratchFolder } from './parts/scratch.ts'

const transports = 1_000
const rounds = 7
const seconds = 2
const connections = 16

/** One of the servers that are compared. */
interface Contestant {
  name: string
  port: number
  authorization: string
  pid: number
  results: (LoadResult & { cpuMicroseconds: number })[]
}

async function runGetBench(folder: string): Promise<void> {
  const options = { databaseUrl: `sqlite:${join(folder, 'mailyard.db')}`, env: apiSettings }
  const service = await startMailyard(options)
  await createTransports(service)
  const bare = await startBareServer(await copyTransports(service, folder))
  const { port, pid } = service
  const token = await getToken(service, options)
  const contestants: Contestant[] = [
    { name: 'bare node:http', ...bare, authorization: asAdmin, results: [] },
    { name: 'Mailyard, Basic', port, pid, authorization: asAdmin, results: [] },
    { name: 'Mailyard, Bearer', port, pid, authorization: `Bearer ${token}`, results: [] },
  ]
  for (const each of contestants) await measure(each)
  for (const each of contestants) each.results.length = 0
  // In turn, so that whatever else this machine does meets all of them.
  for (let round = 0; round < rounds; round += 1) {
    for (const each of contestants) await measure(each)
  }
  report(contestants)
  bare.stop()
  await service.stop()
}

async function measure(contestant: Contestant): Promise<void> {
  const { port, pid, authorization } = contestant
  const paths = Array.from({ length: transports }, (_, index) => pathOf(index + 1))
  const before = cpuSeconds(pid)
  const result = await runLoad({ port, paths, authorization, connections, seconds })
  if (result.failures > 0) throw new Error(`${contestant.name} failed ${result.failures} requests.`)
  const cpuMicroseconds = ((cpuSeconds(pid) - before) * 1e6) / result.requests
  contestant.results.push({ ...result, cpuMicroseconds })
}

function report(contestants: readonly Contestant[]): void {
  const [bare, ...ours] = contestants
  for (const { name, results } of contestants) {
    const of = (key: keyof (typeof results)[number]) => median(results.map((each) => each[key]))
    print(
      `${name.padEnd(18)} ${of('perSecond').toFixed(0).padStart(6)} a second, ` +
        `median ${of('medianMs').toFixed(2)} ms, 99% within ${of('p99Ms').toFixed(2)} ms, ` +
        `${of('cpuMicroseconds').toFixed(1)} µs of processor each; generator ${(of('generatorBusy') * 100).toFixed(0)}% busy`,
    )
  }
  for (const { name, results } of ours) {
    const ratios = results.map((each, round) => {
      const other = bare?.results[round]
      return each.perSecond / (other?.perSecond ?? Number.NaN)
    })
    const cpuRatios = results.map((each, round) => {
      const other = bare?.results[round]
      return (other?.cpuMicroseconds ?? Number.NaN) / each.cpuMicroseconds
    })
    print(
      `${name}: ${median(ratios).toFixed(2)} of the bare handler's rate ` +
        `(rounds: ${ratios.map((ratio) => ratio.toFixed(2)).join(' ')}); by processor time ${median(cpuRatios).toFixed(2)}`,
    )
  }
}

function pathOf(id: number): string {
  return `/api/multipleTransports/${id}`
}

async function createTransports({ url }: MailyardProcess): Promise<void> {
  const items = Array.from({ length: transports }, (_, index) => ({
    name: `Transport ${index}`,
    description: `For the customers of brand ${index}`,
    mailerDsn: `smtp://user${index}:s3cret-${index}@smtp${index}.example.com:587`,
    testedEmailFrom: `brand${index}@example.com`,
  }))
  const answer = await fetch(`${url}/api/multipleTransports/batch/new`, {
    method: 'POST',
    headers: { authorization: asAdmin, 'content-type': 'application/json' },
    body: JSON.stringify(items),
  })
  if (answer.status !== 201) throw new Error(await answer.text())
}

/** The same rows in a database of their own, with the DSN in clear, since the bare handler decrypts nothing. */
async function copyTransports({ url }: MailyardProcess, folder: string): Promise<string> {
  const source = new DatabaseSync(join(folder, 'mailyard.db'), { readOnly: true })
  const schema = source.prepare("select sql from sqlite_schema where name = 'transports'").get()
  const path = join(folder, 'bare.db')
  const target = new DatabaseSync(path)
  target.exec(`pragma journal_mode = wal; ${String(schema?.['sql'])}`)
  target.exec(`attach '${join(folder, 'mailyard.db')}' as service`)
  target.exec('insert into transports select * from service.transports')
  const update = target.prepare('update transports set mailer_dsn = ? where id = ?')
  const headers = { authorization: asAdmin }
  const list = await (await fetch(`${url}/api/multipleTransports`, { headers })).json()
  target.exec('begin')
  for (const { id, mailerDsn } of list as { id: number; mailerDsn: string }[]) {
    update.run(mailerDsn, id)
  }
  target.exec('commit')
  target.close()
  source.close()
  return path
}

async function startBareServer(path: string) {
  const script = join(import.meta.dirname, 'parts/bare-server.ts')
  const child = spawn(process.execPath, [script, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return { port: Number(line.toString()), pid: child.pid ?? 0, stop: () => child.kill() }
}

async function getToken({ url }: MailyardProcess, options: MailyardOptions): Promise<string> {
  const args = ['client', 'add', 'bench', '--grant', 'client_credentials', '--role', '1', '--json']
  const { stdout } = await runMailyard(args, options)
  const { clientId, clientSecret } = JSON.parse(stdout) as Record<string, string>
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

if (import.meta.main) await withScratchFolder(runGetBench)
