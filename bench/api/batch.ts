// `batch/new` of 10,000 transports in one request, compared with the minimum: parse the JSON, encrypt
// each DSN, insert each row with one prepared statement, in one transaction. Goal: at least 10,000 per second.
// `node bench/api/batch.ts`
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { seal } from '../../src/kit/sealing.ts'
import { apiSettings, startMailyard } from '../../test/mailyard-process.ts'
import { median, print } from '../print.ts'
import { loopHeldMs, watchLoop } from './parts/loop-held.ts'
import { withScratchFolder } from './parts/scratch.ts'
import { createTransports, transports } from './parts/transports.ts'

const count = 10_000
const rounds = 5

async function runBatchBench(folder: string): Promise<void> {
  const body = JSON.stringify(transports(count))
  const databaseUrl = `sqlite:${join(folder, 'mailyard.db')}`
  const service = await startMailyard({ databaseUrl, env: apiSettings, nodeOptions: watchLoop })
  const bare = openBare(join(folder, 'bare.db'))
  await createTransports(service, body)
  bare(body)
  await loopHeldMs(service)
  const ours: number[] = []
  const others: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    ours.push(await createTransports(service, body))
    const startedAt = performance.now()
    bare(body)
    others.push(performance.now() - startedAt)
  }
  const perSecond = (ms: number) => Math.round((count / ms) * 1_000)
  print(`batch/new: ${perSecond(median(ours))} transports a second, encrypted, by HTTP`)
  print(`bare parse, encrypt and insert, in one process: ${perSecond(median(others))} a second`)
  print(`ratio: ${(median(others) / median(ours)).toFixed(2)}`)
  print(`the event loop was held for ${await loopHeldMs(service)} ms at most`)
  await service.stop()
}

// cspell:ignore journal
function openBare(path: string): (body: string) => void {
  const database = new DatabaseSync(path)
  database.exec('pragma journal_mode = wal; pragma synchronous = full')
  database.exec(
    'create table t (id integer primary key, name, description, mailer_dsn, sender, at)',
  )
  const insert = database.prepare(
    'insert into t (name, description, mailer_dsn, sender, at) values (?, ?, ?, ?, ?)',
  )
  const key = randomBytes(32)
  return (body) => {
    const items = JSON.parse(body) as Record<string, string>[]
    database.exec('begin')
    for (const { name = '', description = '', mailerDsn = '', testedEmailFrom = '' } of items) {
      const sealed = seal(key, 'dsn', mailerDsn).toString('base64')
      insert.run(name, description, sealed, testedEmailFrom, Date.now())
    }
    database.exec('commit')
  }
}

if (import.meta.main) await withScratchFolder(runBatchBench)
