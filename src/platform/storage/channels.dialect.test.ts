import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { type TestDatabaseKind, testDatabases } from '../../../test/databases.ts'
import { until } from '../../../test/until.ts'
import { openStorage, type Storage } from './storage.ts'

const open = (url: string): Storage => openStorage({ url, onIdleError: () => undefined })

/** Opens a new database twice, as two processes do; both are closed after the test. */
async function openTwice(context: TestContext, create: TestDatabaseKind['create']) {
  const database = await create()
  const [one, other] = [open(database.url), open(database.url)]
  context.after(async () => {
    await Promise.all([one.close(), other.close()])
    await database.drop()
  })
  return { url: database.url, one, other }
}

for (const { name, create } of testDatabases)
  describe(`channels, on ${name}`, () => {
    test('a notification wakes the listeners of its channel in this process at once', async (context) => {
      const { one: storage } = await openTwice(context, create)
      const heard: string[] = []
      storage.listen('one', () => heard.push('one'))
      const end = storage.listen('two', () => heard.push('two'))
      storage.notify('two')
      assert.deepEqual(heard, ['two'])
      end()
      storage.notify('two')
      const heardTwo = heard.filter((each) => each === 'two')
      assert.deepEqual(heardTwo, ['two'])
    })
  })

for (const { name, create } of testDatabases.filter(({ name }) => name === 'PostgreSQL'))
  describe(`channels between processes, on ${name}`, () => {
    test('a notification wakes the other processes, also after their connection was lost', async (context) => {
      const { one: sender, other: receiver } = await openTwice(context, create)
      let heard = 0
      receiver.listen('work', () => {
        heard += 1
      })
      // The first call says that it is connected.
      await until(() => heard > 0, 'it listens')
      const notifyUntilHeard = async () => {
        const before = heard
        sender.notify('work')
        await until(() => heard > before, 'it is woken')
      }
      await notifyUntilHeard()
      const { rows } = await sql<{ pid: number }>`select pid from pg_stat_activity
        where datname = current_database() and query ilike 'listen %'`.execute(sender.tables())
      assert.equal(rows.length, 1)
      await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(sender.tables())
      const before = heard
      await until(() => heard > before, 'it listens again, and looks for what it has missed')
      await notifyUntilHeard()
    })

    test('a process hears what it has notified once', async (context) => {
      const { one, other } = await openTwice(context, create)
      const heard: string[] = []
      for (const channel of ['own', 'answer']) one.listen(channel, () => heard.push(channel))
      await until(() => heard.length === 2, 'it listens')
      other.listen('own', () => other.notify('answer'))
      await until(() => heard.length === 3, 'the other one listens')
      one.notify('own')
      await until(() => heard.length > 4 && heard.at(-1) === 'answer', 'the other one has answered')
      assert.deepEqual(heard.slice(3), ['own', 'answer'])
    })

    test('a process that ends has sent its last notification', async (context) => {
      const { url, one: receiver } = await openTwice(context, create)
      let heard = 0
      receiver.listen('work', () => {
        heard += 1
      })
      await until(() => heard > 0, 'it listens')
      const before = heard
      const command = open(url)
      command.notify('work')
      await command.close()
      await until(() => heard > before, 'it is woken')
    })
  })

test('on SQLite, a commit of another process wakes all listeners, and one of this process none', async (context) => {
  const [sqlite = assert.fail()] = testDatabases.filter(({ name }) => name === 'SQLite')
  const { one: service, other: command } = await openTwice(context, sqlite.create)
  await sql`create table changes (at integer)`.execute(service.tables())
  const change = (storage: Storage) =>
    storage.transaction((tx) => sql`insert into changes values (1)`.execute(tx))
  await change(command)
  let heard = 0
  let ofCommand = 0
  service.listen('work', () => {
    heard += 1
  })
  command.listen('work', () => {
    ofCommand += 1
  })
  await change(command)
  await until(() => heard === 1, 'the service has heard of the command')
  assert.equal(ofCommand, 0)
})
