import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { uniqueName } from '../../../test/callers.ts'
import { type TestDatabase, testDatabases } from '../../../test/databases.ts'
import { openLossyDisk } from '../../../test/lossy-disk.ts'
import { submitMessage } from '../../../test/mautics.ts'
import { openPostgresProxy } from '../../../test/postgres-proxy.ts'
import { startScriptedServer } from '../../../test/scripted-server.ts'
import { quickIntervals } from '../../../test/send-fixture.ts'
import { openTestApp } from '../../../test/test-app.ts'
import { until } from '../../../test/until.ts'

/** A database whose commits may be kept although Mailyard does not know it: it hears that they failed. */
async function openLossy({ url }: TestDatabase) {
  const path = /^sqlite:(.*)$/.exec(url)?.[1]
  if (path === undefined) {
    const proxy = await openPostgresProxy(url)
    const losses = [() => proxy.loseNextCommit(), () => proxy.delayNextCommit(300)]
    return { url: proxy.url, losses, close: () => proxy.close() }
  }
  const disk = openLossyDisk(path)
  // SQLite commits in this process, so never later.
  return { url, losses: [() => disk.failNextSync('EIO')], close: async () => disk.close() }
}

for (const { name, createMigrated } of testDatabases)
  describe(`a message in the mode queue whose commit is not confirmed, on ${name}`, () => {
    test('is sent once, also when its sender submits it again, and if it is committed only later', async (context) => {
      const server = await startScriptedServer()
      const database = await createMigrated()
      const lossy = await openLossy(database)
      const service = await openTestApp({
        database: { ...database, url: lossy.url },
        config: { mailerDsn: server.dsn },
        // It looks again after 100 ms, too early for the late commit, and then after a second.
        intervals: { ...quickIntervals, idleMs: 10 },
      })
      context.after(async () => {
        await service.close()
        await lossy.close()
        await database.drop()
        await server.stop()
      })
      const submit = async (to: string) => {
        const message = { to, text: `Message-ID: <${to}>\n\nHello`, mode: 'queue' } as const
        return String(await submitMessage(service, undefined, message))
      }
      const timesSent = (to: string) => server.taken.filter((each) => each === to).length

      for (const lose of lossy.losses) {
        // A worker that has looked at the queue sends a new message at once.
        await service.app.delivery.idle()
        let to = ''
        await until(async () => {
          to = `${uniqueName('lost')}@lost.test`
          lose()
          // Another commit may have been the next one.
          return (await submit(to)).startsWith('451 ')
        }, 'a commit of a message is not confirmed')
        assert.match(await submit(to), /^250 /)
        await until(() => timesSent(to) > 0, 'the database has committed it, and it is sent')
        await service.app.delivery.idle()
        assert.equal(timesSent(to), 1)
      }
    })
  })
