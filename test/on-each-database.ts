import { after, before, describe } from 'node:test'
import { type TestDatabase, type TestDatabaseKind, testDatabases } from './databases.ts'
import { createMovableClock, type MovableClock } from './movable-clock.ts'
import { openTestApp, type TestApp, type TestAppOptions } from './test-app.ts'

/** What the tests of one file share on one database. */
export interface SharedApp {
  readonly service: TestApp
  readonly database: TestDatabase
  /** The clock of each service that was given none of its own. */
  readonly clock: MovableClock
  /** Another process's Mailyard on the same database; it is closed with the first. */
  openAnother: (options?: TestAppOptions) => Promise<TestApp>
}

/** What each of the services is opened with. */
export interface EachDatabaseOptions extends TestAppOptions {
  /** Runs the tests on both databases at the same time: for tests that mostly wait. */
  isConcurrent?: boolean
}

/** Runs the same tests on a whole Mailyard, once on each kind of database. */
export function onEachDatabase(
  title: string,
  define: (shared: SharedApp) => void,
  { isConcurrent = false, ...options }: EachDatabaseOptions = {},
): void {
  describe(title, { concurrency: isConcurrent }, () => {
    for (const database of testDatabases) onDatabase(database, define, options)
  })
}

function onDatabase(
  { name, createMigrated }: TestDatabaseKind,
  define: (shared: SharedApp) => void,
  options: TestAppOptions,
): void {
  describe(`on ${name}`, { concurrency: false }, () => {
    const clock = createMovableClock()
    const opened: TestApp[] = []
    let database: TestDatabase | undefined
    const open = async (more: TestAppOptions) => {
      if (database === undefined) throw new Error('The tests have not begun.')
      const service = await openTestApp({ clock, ...options, ...more, database })
      opened.push(service)
      return service
    }
    before(async () => {
      database = await createMigrated()
      await open({})
    })
    after(async () => {
      for (const service of opened.reverse()) await service.close()
      await database?.drop()
    })
    define({
      get service() {
        const [first] = opened
        if (first === undefined) throw new Error('The tests have not begun.')
        return first
      },
      get database() {
        if (database === undefined) throw new Error('The tests have not begun.')
        return database
      },
      clock,
      openAnother: (more = {}) => open(more),
    })
  })
}
