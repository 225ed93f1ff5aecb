import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe } from 'node:test'
import pg from 'pg'
import { type TestDatabase, testDatabases } from '../databases.ts'
import { createMovableClock } from '../movable-clock.ts'
import { openTestApp, type TestApp, type TestAppOptions } from '../test-app.ts'

/** When the dump of 28 November 2026 was made. */
export const dumpedAt = Date.parse('2026-11-28T08:50:00Z')

/**
 * Fills an empty database with that of an installation with a record of each kind, whose secrets are encrypted with the key of
 * tests: a message over SMTP that waits, a broadcast that waits and one that is paused.
 */
export async function loadDump(database: TestDatabase): Promise<void> {
  const kind = database.url.startsWith('sqlite:') ? 'sqlite' : 'postgres'
  await runStatements(
    database,
    readFileSync(join(import.meta.dirname, '2026-11-28', `${kind}.sql`), 'utf8'),
  )
}

export async function runStatements({ url }: TestDatabase, statements: string): Promise<void> {
  if (url.startsWith('sqlite:')) {
    const path = url.slice('sqlite:'.length)
    const db = new DatabaseSync(path, { enableForeignKeyConstraints: false })
    db.exec(statements)
    db.close()
    return
  }
  const client = new pg.Client(url)
  await client.connect()
  await client.query(statements)
  await client.end()
}

/** Runs tests on a Mailyard whose database is the dump with these changes, once on each kind of database. */
export function onDump(
  title: string,
  { changes, ...options }: TestAppOptions & { changes: string },
  define: (service: () => TestApp) => void,
): void {
  for (const { name, create } of testDatabases)
    describe(`${title}, on ${name}`, () => {
      let database: TestDatabase
      let service: TestApp
      before(async () => {
        database = await create()
        await loadDump(database)
        await runStatements(database, changes)
        service = await openOnDump(database, options)
      })
      after(async () => {
        await service.close()
        await database.drop()
      })
      define(() => service)
    })
}

/** Opens a Mailyard at the time of the dump. */
export function openOnDump(database: TestDatabase, options: TestAppOptions = {}): Promise<TestApp> {
  const clock = createMovableClock()
  clock.advance(dumpedAt - clock.now())
  return openTestApp({ database, clock, ...options })
}
