import { type PostgresServer, startPostgres } from './postgres-server.ts'

let server: PostgresServer | undefined

/** One PostgreSQL for the whole test run; the test processes inherit its address. */
export async function globalSetup(): Promise<void> {
  if (process.env['TEST_POSTGRES_URL'] !== undefined) return
  server = await startPostgres()
  process.env['TEST_POSTGRES_URL'] = server.url
}

export async function globalTeardown(): Promise<void> {
  await server?.stop()
}
