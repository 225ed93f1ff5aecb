import { after, before } from 'node:test'
import { openStorage, type Storage } from '../src/platform/storage/storage.ts'
import type { TestDatabaseKind } from './databases.ts'

type Options = Omit<Parameters<typeof openStorage>[0], 'url' | 'onIdleError'>

/** An empty database that is open. */
export interface TestStorage {
  url: string
  storage: Storage
}

/** Opens an empty database; it is closed and dropped after the test of this context. */
export async function openTestStorage(
  context: { after(work: () => Promise<void>): void },
  create: TestDatabaseKind['create'],
  options: Options = {},
): Promise<TestStorage> {
  const database = await create()
  const storage = openStorage({ url: database.url, onIdleError: () => undefined, ...options })
  context.after(async () => {
    await storage.close()
    await database.drop()
  })
  return { url: database.url, storage }
}

/** Opens an empty database before the tests of this suite, and closes and drops it after them. */
export function useStorage(
  create: TestDatabaseKind['create'],
  prepare: (opened: TestStorage) => Promise<void>,
): void {
  const closings: (() => Promise<void>)[] = []
  before(async () => {
    await prepare(await openTestStorage({ after: (work) => closings.push(work) }, create))
  })
  after(() => closings[0]?.())
}
