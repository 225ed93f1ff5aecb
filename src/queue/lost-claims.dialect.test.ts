import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { adminPassword } from '../../test/administrator.ts'
import { uniqueName } from '../../test/callers.ts'
import { type TestDatabase, testDatabases } from '../../test/databases.ts'
import { openLossyDisk } from '../../test/lossy-disk.ts'
import { startMailCatcher } from '../../test/mail-catcher.ts'
import { openPostgresProxy } from '../../test/postgres-proxy.ts'
import { quickIntervals } from '../../test/send-fixture.ts'
import { openDialogue } from '../../test/smtp-dialogue.ts'
import { openTestApp } from '../../test/test-app.ts'
import { until } from '../../test/until.ts'

/** A database whose commits may be kept although Mailyard does not know it: it hears that they failed. */
async function openLossy({ url }: TestDatabase) {
  const path = /^sqlite:(.*)$/.exec(url)?.[1]
  if (path === undefined) {
    const proxy = await openPostgresProxy(url)
    const losses = [() => proxy.loseNextCommit(), () => proxy.delayNextCommit(50)]
    return { url: proxy.url, losses, close: () => proxy.close() }
  }
  const disk = openLossyDisk(path)
  // SQLite commits in this process, so never later.
  return { url, losses: [() => disk.failNextSync('EIO')], close: async () => disk.close() }
}

for (const { name, createMigrated } of testDatabases)
  describe(`a message in the mode queue whose commit is not confirmed, on ${name}`, () => {
    test('is sent once, also when its sender submits it again, and if it is committed only later', async (context) => {
      const catcher = await startMailCatcher()
      const database = await createMigrated()
      const lossy = await openLossy(database)
      const service = await openTestApp({
        database: { ...database, url: lossy.url },
        config: { smtpMode: 'queue', mailerDsn: catcher.dsn },
        intervals: quickIntervals,
      })
      const { port = 0 } = await service.openSmtpServer()
      context.after(async () => {
        await service.close()
        await lossy.close()
        await database.drop()
        await catcher.stop()
      })
      const submit = async (to: string) => {
        const client = await openDialogue(port)
        await client.say('EHLO client.test')
        await client.logIn('admin', adminPassword)
        const raw = `From: a@b.test\r\nMessage-ID: <${to}>\r\n\r\nHello`
        const reply = await client.hand({ to: [to], raw })
        client.destroy()
        return reply
      }
      const timesSent = (to: string) => catcher.mails.filter((each) => each.to.includes(to)).length

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
