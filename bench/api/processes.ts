// One, two and three processes on one PostgreSQL: reads of single transports per second. On a machine
// with few cores the load generator and PostgreSQL limit the result. `node bench/api/processes.ts`
import { availableParallelism } from 'node:os'
import { asAdmin } from '../../test/administrator.ts'
import { apiSettings, type MailyardProcess, startMailyard } from '../../test/mailyard-process.ts'
import { startPostgres } from '../../test/postgres-server.ts'
import { median, print } from '../print.ts'
import { runLoad } from './parts/load.ts'
import { createTransports, transports } from './parts/transports.ts'

const rounds = 3
const processesMax = 3

async function runProcessesBench(): Promise<void> {
  const postgres = await startPostgres()
  const services: MailyardProcess[] = []
  for (let each = 0; each < processesMax; each += 1) {
    services.push(await startMailyard({ databaseUrl: postgres.url, env: apiSettings }))
  }
  const [first] = services
  if (first !== undefined) await createTransports(first, JSON.stringify(transports(1_000)))
  const rates: number[][] = Array.from({ length: processesMax }, () => [])
  for (let round = 0; round < rounds; round += 1) {
    for (let count = 1; count <= processesMax; count += 1) {
      const results = await Promise.all(services.slice(0, count).map(load))
      rates[count - 1]?.push(results.reduce((sum, { perSecond }) => sum + perSecond, 0))
    }
  }
  const one = median(rates[0] ?? [])
  for (const [index, each] of rates.entries()) {
    const rate = median(each)
    print(`${index + 1} processes: ${rate.toFixed(0)} a second, ${(rate / one).toFixed(2)} of one`)
  }
  print(`this machine has ${availableParallelism()} processors`)
  await Promise.all(services.map((service) => service.stop()))
  await postgres.stop()
}

function load({ port }: MailyardProcess) {
  const paths = Array.from({ length: 1_000 }, (_, index) => `/api/multipleTransports/${index + 1}`)
  return runLoad({ port, paths, authorization: asAdmin, connections: 8, seconds: 2 })
}

if (import.meta.main) await runProcessesBench()
