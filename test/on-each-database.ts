import { after, before, describe } from 'node:test'
import { type TestDatabase, type TestDatabaseKind, testDatabases } from './databases.ts'
import { closeMautics } from './mautics.ts'
import { createMovableClock, type MovableClock } from './movable-clock.ts'
import { openTestApp, type TestApp, type TestAppOptions } from './test-app.ts'
import { isFull } from './volume.ts'

/** What the tests of one file share on one database. */
export interface SharedApp extends Pick<TestApp, 'ask' | 'askFor'> {
  readonly service: TestApp
  readonly database: TestDatabase
  /** The clock of each service that was given none of its own. */
  readonly clock: MovableClock
  /** Another process's Mailyard on the same database; it is closed with the first. */
  openAnother: (options?: TestAppOptions) => Promise<TestApp>
}

/** What the service of a file is opened with. With none of it, the file shares that of others. */
export interface MailyardOptions extends TestAppOptions {
  /** For a file that counts what a whole table has, moves the clock, or wants nothing else to happen. */
  isOwn?: boolean
  /** Runs the tests on both databases at the same time: for tests that mostly wait. */
  isConcurrent?: boolean
}

type Define = (shared: SharedApp) => void

/** Runs tests on a whole Mailyard: on SQLite, and with `npm run test:all` on PostgreSQL, too. */
export function onMailyard(title: string, ...rest: OptionsAndDefine): void {
  onDatabases(isFull ? testDatabases : testDatabases.slice(0, 1), title, rest)
}

/** Runs the same tests on a whole Mailyard, once on each kind of database: for statements, which may differ. */
export function onEachDatabase(title: string, ...rest: OptionsAndDefine): void {
  onDatabases(testDatabases, title, rest)
}

type OptionsAndDefine = [define: Define] | [options: MailyardOptions, define: Define]

function onDatabases(
  databases: readonly TestDatabaseKind[],
  title: string,
  rest: OptionsAndDefine,
): void {
  const [options, define] = rest.length === 1 ? [{}, rest[0]] : rest
  const { isConcurrent = false, ...others } = options
  describe(title, { concurrency: isConcurrent }, () => {
    for (const kind of databases) onDatabase(kind, define, others)
  })
}

interface Opened {
  database: TestDatabase
  service: TestApp
  close(): Promise<void>
}

/** The services that files of this process share, by the name of their database. */
const sharedByName = new Map<string, Promise<Opened>>()
const sharedClock = createMovableClock()
after(async () => {
  for (const opened of sharedByName.values()) await (await opened).close()
})

function openShared(kind: TestDatabaseKind): Promise<Opened> {
  const opened = sharedByName.get(kind.name) ?? openOwn(kind, { clock: sharedClock })
  sharedByName.set(kind.name, opened)
  return opened
}

async function openOwn(kind: TestDatabaseKind, options: TestAppOptions): Promise<Opened> {
  const database = await kind.createMigrated()
  const service = await openTestApp({ ...options, database })
  const close = async () => {
    await service.close()
    await database.drop()
  }
  return { database, service, close }
}

function onDatabase(
  kind: TestDatabaseKind,
  define: Define,
  { isOwn = false, ...options }: Omit<MailyardOptions, 'isConcurrent'>,
): void {
  const isShared = !isOwn && Object.keys(options).length === 0
  const clock = isShared ? sharedClock : createMovableClock()
  describe(`on ${kind.name}`, { concurrency: false }, () => {
    const others: TestApp[] = []
    let opened: Opened | undefined
    const use = () => {
      if (opened === undefined) throw new Error('The tests have not begun.')
      return opened
    }
    before(async () => {
      opened = await (isShared ? openShared(kind) : openOwn(kind, { clock, ...options }))
    })
    after(async () => {
      for (const other of others.reverse()) await other.close()
      if (!isShared) await opened?.close()
      await closeMautics()
    })
    define({
      clock,
      ask: (...request) => use().service.ask(...request),
      askFor: (...request) => use().service.askFor(...request),
      get service() {
        return use().service
      },
      get database() {
        return use().database
      },
      async openAnother(more = {}) {
        const other = await openTestApp({ clock, ...options, ...more, database: use().database })
        others.push(other)
        return other
      },
    })
  })
}
