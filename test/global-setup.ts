import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PostgresServer, startPostgres } from './postgres-server.ts'

let server: PostgresServer | undefined
let compileCache: string | undefined

/** One PostgreSQL for the whole test run, and what V8 has compiled once; the test processes inherit where they are. */
export async function globalSetup(): Promise<void> {
  compileCache = mkdtempSync(join(tmpdir(), 'mailyard-compiled-'))
  process.env['NODE_COMPILE_CACHE'] = compileCache
  if (process.env['TEST_POSTGRES_URL'] !== undefined) return
  server = await startPostgres()
  process.env['TEST_POSTGRES_URL'] = server.url
}

export async function globalTeardown(): Promise<void> {
  await server?.stop()
  if (compileCache !== undefined) rmSync(compileCache, { recursive: true, force: true })
}
