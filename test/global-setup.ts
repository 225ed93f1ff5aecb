import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { bundleMailyard } from './bundle-mailyard.ts'
import { type PostgresServer, startPostgres } from './postgres-server.ts'
import { createRunFolder } from './quick-folder.ts'

let server: PostgresServer | undefined
let folder: string | undefined
/** In `node_modules`, because the bundle imports a few packages. */
const bundle = join(import.meta.dirname, '../node_modules/.cache/mailyard', String(process.pid))

/**
 * Makes what all test processes share: what V8 has compiled, a bundle of Mailyard, a PostgreSQL, and databases with the
 * schema of Mailyard that are copied. They inherit where it is.
 */
export async function globalSetup(): Promise<void> {
  folder = createRunFolder()
  process.env['NODE_COMPILE_CACHE'] = join(folder, 'compiled')
  await Promise.all([makeBundle(), makeDatabases(folder)])
}

async function makeBundle(): Promise<void> {
  await bundleMailyard(bundle)
  process.env['TEST_MAILYARD_BUNDLE'] = bundle
}

async function makeDatabases(folder: string): Promise<void> {
  if (process.env['TEST_POSTGRES_URL'] === undefined) {
    server = await startPostgres()
    process.env['TEST_POSTGRES_URL'] = server.url
  }
  await makeTemplates(folder, process.env['TEST_POSTGRES_URL'])
}

async function makeTemplates(folder: string, postgresUrl: string): Promise<void> {
  const sqlite = join(folder, 'template.db')
  const postgres = `template_${randomBytes(8).toString('hex')}`
  const script = join(import.meta.dirname, 'make-templates.ts')
  await promisify(execFile)(process.execPath, [script, sqlite, postgresUrl, postgres])
  process.env['TEST_SQLITE_TEMPLATE'] = sqlite
  process.env['TEST_POSTGRES_TEMPLATE'] = postgres
}

export async function globalTeardown(): Promise<void> {
  await server?.stop()
  rmSync(bundle, { recursive: true, force: true })
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
}
