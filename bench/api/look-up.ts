// A look-up by id with 100 transports and with 1,000,000, alternately. Goal: the same rate. `node bench/api/look-up.ts`
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { asAdmin } from '../../test/administrator.ts'
import { apiSettings, startMailyard } from '../../test/mailyard-process.ts'
import { median, print } from '../print.ts'
import { runLoad } from './parts/load.ts'
import { withScratchFolder } from './parts/scratch.ts'
import { createTransports, transports } from './parts/transports.ts'

const few = 100
const many = 1_000_000
const rounds = 5

async function runLookUpBench(folder: string): Promise<void> {
  const small = await start(join(folder, 'small'), few)
  const large = await start(join(folder, 'large'), many)
  const ratios: number[] = []
  for (let round = 0; round <= rounds; round += 1) {
    const ofFew = await load(small.port, few)
    const ofMany = await load(large.port, many)
    if (round > 0) ratios.push(ofMany.perSecond / ofFew.perSecond)
    if (round === rounds) {
      print(
        `of ${few}: ${ofFew.perSecond.toFixed(0)} a second, median ${ofFew.medianMs.toFixed(2)} ms`,
      )
      print(
        `of ${many}: ${ofMany.perSecond.toFixed(0)} a second, median ${ofMany.medianMs.toFixed(2)} ms`,
      )
    }
  }
  print(`ratio: ${median(ratios).toFixed(2)}`)
  await small.stop()
  await large.stop()
}

async function start(folder: string, count: number) {
  const path = join(folder, 'mailyard.db')
  const options = { databaseUrl: `sqlite:${path}`, env: apiSettings }
  const service = await startMailyard(options)
  await createTransports(service, JSON.stringify(transports(few)))
  await service.stop()
  if (count > few) multiply(path, count)
  return startMailyard(options)
}

/** Copies the existing rows, including secrets, under new ids. */
function multiply(path: string, count: number): void {
  const database = new DatabaseSync(path)
  const columns = database
    .prepare('pragma table_info(transports)')
    .all()
    .map((column) => String(column['name']))
    .filter((name) => name !== 'id')
    .join(', ')
  database.exec(`
    insert into transports (${columns})
    with recursive counter (n) as (select 1 union all select n + 1 from counter where n < ${count / few - 1})
    select ${columns.replaceAll(/(\w+)/g, 'transports.$1')} from transports, counter`)
  database.exec('pragma wal_checkpoint(truncate)')
  database.close()
}

/** Ids spread over the table. */
function load(port: number, count: number) {
  const id = (index: number) => 1 + ((index * 7_919_317) % count)
  const paths = Array.from({ length: 2_000 }, (_, index) => `/api/multipleTransports/${id(index)}`)
  return runLoad({ port, paths, authorization: asAdmin, connections: 16, seconds: 2 })
}

if (import.meta.main) await withScratchFolder(runLookUpBench)
