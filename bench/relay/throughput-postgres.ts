// As throughput.ts, with Mailyard on PostgreSQL, which waits for the disk. Prints the statements and commits of each message:
// `node bench/relay/throughput-postgres.ts [rounds]`. WARM_UP, PROFILE (a folder).
import { resolve } from 'node:path'
import { startPostgres } from '../../test/postgres-server.ts'
import { type Load, printResults, runRelayThroughput } from './throughput.ts'

const loads: readonly Load[] = [
  { connections: 1, messages: 1_000, bar: 1 },
  { connections: 20, messages: 3_000, bar: 1.5 },
  { connections: 100, messages: 3_000, bar: 1.5 },
]

const rounds = Number(process.argv[2] ?? 3)
const warmUpMessages = Number(process.env['WARM_UP'] ?? 10_000)
const folder = process.env['PROFILE']
const nodeOptions = folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(folder)}`]

if (import.meta.main) {
  const postgres = await startPostgres({ isDurable: true })
  try {
    const options = { loads, rounds, warmUpMessages, nodeOptions, postgresUrl: postgres.url }
    printResults(await runRelayThroughput(options))
  } finally {
    await postgres.stop()
  }
}
