import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import pg from 'pg'
import { startPostgres } from './postgres-server.ts'

/** An empty database, for one test or one file of tests. */
export interface TestDatabase {
  url: string
  drop(): Promise<void>
}

/** The kinds of database that every store is tested on. */
export const testDatabases: { name: string; create: () => Promise<TestDatabase> }[] = [
  { name: 'SQLite', create: createSqlite },
  { name: 'PostgreSQL', create: createPostgres },
]

async function createSqlite(): Promise<TestDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'mailyard-test-'))
  return {
    url: `sqlite:${join(folder, 'mailyard.db')}`,
    drop: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

async function createPostgres(): Promise<TestDatabase> {
  const maintenance = await postgresUrl()
  const name = `test_${randomBytes(8).toString('hex')}`
  await execute(maintenance, `create database ${name}`)
  return {
    url: maintenance.replace(/\/postgres$/, `/${name}`),
    drop: () => execute(maintenance, `drop database ${name} with (force)`),
  }
}

let own: Promise<string> | undefined

/** The server of the test run, or one of this process's own when a file is run by itself. */
async function postgresUrl(): Promise<string> {
  const shared = process.env['TEST_POSTGRES_URL']
  if (shared !== undefined) return shared
  own ??= startPostgres().then((server) => {
    after(() => server.stop())
    return server.url
  })
  return own
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
