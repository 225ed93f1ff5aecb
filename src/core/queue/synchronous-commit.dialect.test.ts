import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { testDatabases } from '../../../test/databases.ts'
import { startMailCatcher } from '../../../test/mail-catcher.ts'
import { submitQueued } from '../../../test/queue/submit-queued.ts'
import { openTestApp } from '../../../test/test-app.ts'
import { smtpModes } from '../../kit/smtp-mode.ts'
import { openStorage } from '../../platform/storage/index.ts'

// SQLite: `test/relay/machine-failures.process.test.ts`.
for (const { name, createMigrated } of testDatabases.filter(({ name }) => name === 'PostgreSQL'))
  test(`what 250 promises is committed with synchronous_commit on, although the database sets it off, on ${name}`, async (context) => {
    const catcher = await startMailCatcher()
    const database = await createMigrated()
    const observer = openStorage({ url: database.url, onIdleError: () => undefined })
    const db = observer.tables<object>()
    await sql`alter database ${sql.id(new URL(database.url).pathname.slice(1))}
      set synchronous_commit = off`.execute(db)
    await sql`create table commits (of_table text, setting text)`.execute(db)
    await sql`create function note_commit() returns trigger language plpgsql as $$
      begin
        insert into commits values (TG_TABLE_NAME, current_setting('synchronous_commit'));
        return null;
      end $$`.execute(db)
    for (const table of ['queue_messages', 'deliveries'])
      await sql`create trigger note_commit after insert or update on ${sql.table(table)}
        for each statement execute function note_commit()`.execute(db)
    const config = { mailerDsn: catcher.dsn }
    const service = await openTestApp({ database, config })
    context.after(async () => {
      await service.close()
      await observer.close()
      await database.drop()
      await catcher.stop()
    })
    for (const mode of smtpModes) await submitQueued(service, { mode })
    const commits = await sql<{ of_table: string; setting: string }>`
      select distinct of_table, setting from commits order by of_table`.execute(db)
    assert.deepEqual(commits.rows, [
      { of_table: 'deliveries', setting: 'on' },
      { of_table: 'queue_messages', setting: 'on' },
    ])
  })
