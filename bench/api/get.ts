// `GET` of one transport, authenticated by Basic and by Bearer, against a bare `node:http` handler that does
// the same SQLite look-up and answers the same JSON. Goal: at least 0.8 of its rate. `node bench/api/get.ts`
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { asAdmin } from '../../test/administrator.ts'
import { apiSettings, type MailyardProcess, startMailyard } from '../../test/mailyard-process.ts'
import { runGetContest, transportCount } from './parts/get-contest.ts'
import { withScratchFolder } from './parts/scratch.ts'
import { createTransports, transports } from './parts/transports.ts'

async function runGetBench(folder: string): Promise<void> {
  const serviceOptions = { databaseUrl: `sqlite:${join(folder, 'mailyard.db')}`, env: apiSettings }
  const service = await startMailyard(serviceOptions)
  await createTransports(service, JSON.stringify(transports(transportCount)))
  const bareDatabase = await copyTransports(service, folder)
  await runGetContest({ service, serviceOptions, bareDatabase })
  await service.stop()
}

// cspell:ignore journal
/** The same rows in another database, with the DSN in clear text, since the bare handler decrypts nothing. */
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

if (import.meta.main) await withScratchFolder(runGetBench)
