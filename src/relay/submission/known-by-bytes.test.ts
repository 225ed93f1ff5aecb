import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { adminPassword } from '../../../test/administrator.ts'
import { type TestDatabase, testDatabases } from '../../../test/databases.ts'
import { type MailCatcher, startMailCatcher } from '../../../test/mail-catcher.ts'
import { openDialogue } from '../../../test/smtp-dialogue.ts'
import { openTestApp } from '../../../test/test-app.ts'

for (const { name, create } of testDatabases) {
  describe(`a message without a Message-ID, on ${name}`, () => {
    let catcher: MailCatcher
    let database: TestDatabase
    before(async () => {
      catcher = await startMailCatcher()
      database = await create()
    })
    after(async () => {
      await catcher.stop()
      await database.drop()
    })

    /** Hands a message in so many times, at a Mailyard that is stopped after that. */
    const hand = async (to: string[], raw: string, times: number) => {
      const yard = await openTestApp({ database, config: { mailerDsn: catcher.dsn } })
      const client = await openDialogue((await yard.openDoor()).port ?? 0)
      await client.say('EHLO client.test')
      await client.logIn('admin', adminPassword)
      const answers: string[] = []
      for (let time = 0; time < times; time += 1) answers.push(await client.hand({ to, raw }))
      client.destroy()
      await yard.close()
      return answers
    }
    const deliveredTo = (address: string) =>
      catcher.mails.filter(({ to }) => to.includes(address)).length

    test('goes out once however often it is tried at once, and again once its sender has long been told', async () => {
      const alert = 'From: cron@example.com\r\nSubject: disk full\r\n\r\nIt is full.\r\n'
      const answers = await hand(['root@alert.test'], alert, 3)
      assert.match(answers[0] ?? '', /^250 2\.0\.0 Accepted/)
      for (const answer of answers.slice(1)) assert.match(answer, /^250 .*Already delivered/)
      assert.equal(deliveredTo('root@alert.test'), 1)
      // A stop lets go of it as some minutes do.
      assert.match((await hand(['root@alert.test'], alert, 1))[0] ?? '', /^250 2\.0\.0 Accepted/)
      assert.equal(deliveredTo('root@alert.test'), 2)
    })

    test('goes to nobody twice who has it, while its sender was told that others have not', async () => {
      const raw = 'From: cron@example.com\r\nSubject: to two\r\n\r\nIt is full.\r\n'
      const to = ['one@partly.test', 'refuse-450@partly.test']
      assert.match((await hand(to, raw, 1))[0] ?? '', /^450 /)
      assert.match((await hand(to, raw, 1))[0] ?? '', /^450 /)
      assert.equal(deliveredTo('one@partly.test'), 1)
    })
  })
}
