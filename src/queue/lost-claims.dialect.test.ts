import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
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

interface LossyDatabase {
  url: string
  /** Makes the next commit succeed, although Mailyard hears that it failed. */
  loseNextCommit(): void
  /** The same, but it succeeds later. */
  delayNextCommit?: (delayMs: number) => void
  close(): Promise<void>
}

/** A database whose commits may be kept although Mailyard does not know it. */
async function openLossy({ url }: TestDatabase): Promise<LossyDatabase> {
  const path = /^sqlite:(.*)$/.exec(url)?.[1]
  if (path === undefined) return openPostgresProxy(url)
  const disk = openLossyDisk(path)
  return { url, loseNextCommit: () => disk.failNextSync('EIO'), close: async () => disk.close() }
}

for (const { name, createMigrated } of testDatabases)
  describe(`a message in the mode queue whose commit is not confirmed, on ${name}`, () => {
    const open = async (context: TestContext) => {
      const catcher = await startMailCatcher()
      const database = await createMigrated()
      const lossy = await openLossy(database)
      const service = await openTestApp({
        database: { ...database, url: lossy.url },
        config: { smtpMode: 'queue', mailerDsn: catcher.dsn },
        // The worker looks again after ten of these waits.
        intervals: { ...quickIntervals, idleMs: 500 },
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
      return { lossy, submit, timesSent }
    }

    const sendOnce = async (
      { submit, timesSent }: Awaited<ReturnType<typeof open>>,
      lose: () => void,
    ) => {
      // A worker that has looked at the queue sends a new message at once.
      const first = `${uniqueName('first')}@lost.test`
      await submit(first)
      await until(() => timesSent(first) === 1, 'the first is sent')
      let to = ''
      await until(async () => {
        to = `${uniqueName('lost')}@lost.test`
        lose()
        // Another commit may have been the next one.
        return (await submit(to)).startsWith('451 ')
      }, 'a commit of a message is not confirmed')
      assert.match(await submit(to), /^250 /)
      await until(() => timesSent(to) > 0, 'it is sent')
      assert.equal(timesSent(to), 1)
    }

    test('is sent once, also when its sender submits it again', async (context) => {
      const opened = await open(context)
      await sendOnce(opened, () => opened.lossy.loseNextCommit())
    })

    test('is sent once, also if it is committed only after its connection was lost', async (context) => {
      const opened = await open(context)
      const { delayNextCommit } = opened.lossy
      if (delayNextCommit === undefined) return context.skip('SQLite commits in this process')
      await sendOnce(opened, () => delayNextCommit(50))
    })
  })
