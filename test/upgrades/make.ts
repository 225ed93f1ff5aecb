import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../../src/app.ts'
import { createLog } from '../../src/kit/log.ts'
import { defaultConfig } from '../../src/platform/config/index.ts'
import { testDatabases } from '../databases.ts'
import { startPostgres } from '../postgres-server.ts'
import { openTestApp } from '../test-app.ts'
import { dumpDatabase, kindOf, recordStatements } from './dump.ts'
import { addRecordsOfEachKind, upgradeOptions } from './example-records.ts'

// Makes the databases of a release, which each later version has to open: `node test/upgrades/make.ts 0.1.0`.
const [version = ''] = process.argv.slice(2)
assert.match(version, /^\d+\.\d+\.\d+$/, 'Name the version: node test/upgrades/make.ts 0.1.0')
const folder = join(import.meta.dirname, version)
mkdirSync(folder, { recursive: true })
const server = await startPostgres()
process.env['TEST_POSTGRES_URL'] = server.url
try {
  for (const { create } of testDatabases) {
    const database = await create()
    await recordStatements(database)
    const config = { ...defaultConfig(), databaseUrl: database.url }
    const { storage } = await openDatabase({ config, log: createLog('silent') })
    await storage.close()
    const service = await openTestApp({ database, ...upgradeOptions() })
    await addRecordsOfEachKind(service)
    await service.close()
    writeFileSync(join(folder, `${kindOf(database)}.sql`), await dumpDatabase(database))
    await database.drop()
  }
} finally {
  await server.stop()
}
