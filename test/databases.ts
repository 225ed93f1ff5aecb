import { randomBytes } from 'node:crypto'
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after } from 'node:test'
import pg from 'pg'
import { startPostgres } from './postgres-server.ts'
import { createQuickFolder } from './quick-folder.ts'

/** An empty database, for one test or one file of tests. */
export interface TestDatabase {
  url: string
  drop(): Promise<void>
}

/** A kind of database that every store is tested on. */
export interface TestDatabaseKind {
  name: string
  create: () => Promise<TestDatabase>
  /** As `create`, with the schema of Mailyard where the test run has a template: a copy takes half the time. */
  createMigrated: () => Promise<TestDatabase>
}

/** The kinds of database that every store is tested on. */
export const testDatabases: readonly TestDatabaseKind[] = [
  {
    name: 'SQLite',
    create: () => createSqlite(),
    createMigrated: () => createSqlite(process.env['TEST_SQLITE_TEMPLATE']),
  },
  {
    name: 'PostgreSQL',
    create: () => createPostgres(),
    createMigrated: () => createPostgres(process.env['TEST_POSTGRES_TEMPLATE']),
  },
]

async function createSqlite(template?: string): Promise<TestDatabase> {
  const folder = createQuickFolder('mailyard-test-')
  const path = join(folder, 'mailyard.db')
  if (template !== undefined) copyFileSync(template, path)
  return {
    url: `sqlite:${path}`,
    drop: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

async function createPostgres(template?: string): Promise<TestDatabase> {
  const maintenance = await postgresUrl()
  const name = `test_${randomBytes(8).toString('hex')}`
  return {
    url: await createDatabase(maintenance, { name, template }),
    drop: () => execute(maintenance, `drop database ${name} with (force)`),
  }
}

/** Creates a database on a server, empty or as a copy; returns its URL. */
export async function createDatabase(
  maintenanceUrl: string,
  { name, template }: { name: string; template?: string | undefined },
): Promise<string> {
  const copied = template === undefined ? '' : `template ${template}`
  // PostgreSQL's default writes each page of the copy to its log, and takes ten times as long.
  await execute(maintenanceUrl, `create database ${name} ${copied} strategy file_copy`)
  return maintenanceUrl.replace(/\/postgres$/, `/${name}`)
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
