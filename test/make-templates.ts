import { openDatabase } from '../src/app.ts'
import { createLog } from '../src/kit/log.ts'
import { defaultConfig } from '../src/platform/config/index.ts'
import { createDatabase } from './databases.ts'

// Makes the databases that tests copy: `make-templates.ts <path> <URL of PostgreSQL> <name>`. The global set-up runs it
// in a process of its own, so that the test runner does not load the application.
const [path = '', postgresUrl = '', name = ''] = process.argv.slice(2)
const urls = [`sqlite:${path}`, await createDatabase(postgresUrl, { name })]
for (const databaseUrl of urls) {
  const config = { ...defaultConfig(), databaseUrl }
  const { storage } = await openDatabase({ config, log: createLog('silent') })
  await storage.close()
}
