import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { testDatabases } from '../../test/databases.ts'
import { WorkQueue } from '../kit/work-queue.ts'
import { keyringMigrations, migrate, openKeyring, openStorage } from '../storage/index.ts'
import { inboxMigrations } from './migrations.ts'
import { SourceStore } from './source-store.ts'

describe('the migrations of the inbox', () => {
  for (const { name, create } of testDatabases) {
    test(`keep the messages that were stored in one text, on ${name}`, async (context) => {
      const database = await create()
      const storage = openStorage({ url: database.url, onIdleError: () => undefined })
      context.after(async () => {
        await storage.close()
        await database.drop()
      })
      const { '20261124_90_inbox_pieces': pieces, ...earlier } = inboxMigrations
      assert.ok(pieces)
      await migrate(storage, [keyringMigrations, earlier])
      const keyring = await openKeyring({ storage, secretKey: 'a secret key', clock: Date })
      const sealer = await keyring.sealer(storage.tables())
      const source = Buffer.from('Subject: old\r\n\r\nGrüße\r\n')
      await storage
        .tables<{ inbox_messages: Record<string, unknown> }>()
        .insertInto('inbox_messages')
        .values({
          id: 7,
          captured_at: 1,
          sender: 'a@example.com',
          recipients: '[]',
          subject: 'old',
          size_bytes: source.byteLength,
          search_text: '',
          source: sealer.seal('inbox_messages.source', source.toString('latin1')),
        })
        .execute()
      await migrate(storage, [keyringMigrations, inboxMigrations])
      const sources = new SourceStore({ storage, keyring, work: new WorkQueue() })
      const read: Buffer[] = []
      for await (const piece of sources.read(7, source.byteLength)) read.push(piece)
      assert.ok(Buffer.concat(read).equals(source))
    })
  }
})
