// As get.ts, on PostgreSQL: the bare handler does the same look-up with `pg`, prepared. Goal: at least 0.5 of its rate.
// Prints the statements of each request: `node bench/api/get-postgres.ts`. PROFILE (a folder).
import { resolve } from 'node:path'
import pg from 'pg'
import { asAdmin } from '../../test/administrator.ts'
import { apiSettings, type MailyardProcess, startMailyard } from '../../test/mailyard-process.ts'
import { startPostgres } from '../../test/postgres-server.ts'
import { countingStatements } from '../postgres/count-statements.ts'
import { runGetContest, transportCount } from './parts/get-contest.ts'
import { createTransports, transports } from './parts/transports.ts'

const folder = process.env['PROFILE']
const profiling = folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(folder)}`]

async function runGetBench(databaseUrl: string): Promise<void> {
  const nodeOptions = [...countingStatements, ...profiling]
  const serviceOptions = { databaseUrl, env: apiSettings }
  const service = await startMailyard({ ...serviceOptions, nodeOptions })
  await createTransports(service, JSON.stringify(transports(transportCount)))
  await copyTransports(service, databaseUrl)
  const bareDatabase = databaseUrl
  await runGetContest({ service, serviceOptions, bareDatabase, countsStatements: true })
  await service.stop()
}

/** The same rows in another table, with the DSN in clear text, since the bare handler decrypts nothing. */
async function copyTransports({ url }: MailyardProcess, databaseUrl: string): Promise<void> {
  const headers = { authorization: asAdmin }
  const list = await (await fetch(`${url}/api/multipleTransports`, { headers })).json()
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('create table bare_transports (like transports including all)')
  await client.query('insert into bare_transports select * from transports')
  const text = 'update bare_transports set mailer_dsn = $1 where id = $2'
  for (const { id, mailerDsn } of list as { id: number; mailerDsn: string }[])
    await client.query(text, [mailerDsn, id])
  await client.query('analyze')
  await client.end()
}

if (import.meta.main) {
  const postgres = await startPostgres({ isDurable: true })
  try {
    await runGetBench(postgres.url)
  } finally {
    await postgres.stop()
  }
}
