import { after, before, describe } from 'node:test'
import { type TestDatabase, testDatabases } from './databases.ts'
import { openTestApp, type TestApp, type TestAppOptions } from './test-app.ts'

/** What the tests of one file share on one database. */
export interface SharedApp {
  readonly yard: TestApp
  readonly database: TestDatabase
  /** Another process's Mailyard on the same database; it is closed with the first. */
  openAnother: (options?: TestAppOptions) => Promise<TestApp>
}

/** Runs the same tests on a whole Mailyard, once on each kind of database. */
export function onEachDatabase(
  title: string,
  define: (shared: SharedApp) => void,
  options: TestAppOptions = {},
): void {
  for (const { name, create } of testDatabases) {
    describe(`${title}, on ${name}`, () => {
      const opened: TestApp[] = []
      let database: TestDatabase | undefined
      const open = async (more: TestAppOptions) => {
        if (database === undefined) throw new Error('The tests have not begun.')
        const yard = await openTestApp({ ...options, ...more, database })
        opened.push(yard)
        return yard
      }
      before(async () => {
        database = await create()
        await open({})
      })
      after(async () => {
        for (const yard of opened.reverse()) await yard.close()
        await database?.drop()
      })
      define({
        get yard() {
          const [first] = opened
          if (first === undefined) throw new Error('The tests have not begun.')
          return first
        },
        get database() {
          if (database === undefined) throw new Error('The tests have not begun.')
          return database
        },
        openAnother: (more = {}) => open(more),
      })
    })
  }
}
