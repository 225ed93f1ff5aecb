import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBroadcastFixture } from '../../test/broadcasts/broadcast-fixture.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { createMaintenance } from '../delivery/maintenance.ts'
import { createLog } from '../kit/log.ts'
import type { QueueTables } from '../queue/table.ts'
import { removeOldBroadcasts } from './remove-old-broadcasts.ts'
import type { BroadcastTables } from './table.ts'

const dayMs = 86_400_000

onEachDatabase('old broadcasts', (shared) => {
  const fixture = createBroadcastFixture(() => shared.service)

  test('are removed with their recipients, in batches, if they have ended', async () => {
    const { storage } = shared.service.app
    const emailId = await fixture.email(await fixture.transport('null://null'))
    const waitingEmail = await fixture.email(null)
    const [old, other] = [await fixture.segment(700), await fixture.segment(30)]
    const ended = await fixture.send(emailId, { segment: old.segment })
    await fixture.until(ended, ({ state }) => state === 'done')
    const another = await fixture.send(emailId, { segment: other.segment })
    await fixture.until(another, ({ state }) => state === 'done')
    const waiting = await fixture.send(waitingEmail, { segment: other.segment })
    const cancelled = await fixture.send(waitingEmail, { contactIds: [old.contacts[0]?.id ?? 0] })
    await fixture.act(cancelled, 'cancel')
    const tidyAfter = async (days: number) => {
      const clock = { now: () => Date.now() + days * dayMs }
      const maintenance = createMaintenance({
        storage,
        clock,
        log: createLog('silent'),
        keepMs: 30 * dayMs,
        holdMs: dayMs,
        removeOthers: (before) => removeOldBroadcasts(storage, before),
      })
      await maintenance.run()
      await maintenance.stop()
    }
    const left = async () => {
      const db = storage.tables<BroadcastTables & QueueTables>()
      const broadcasts = await db.selectFrom('broadcasts').select('id').orderBy('id').execute()
      const recipients = await db.selectFrom('queue_recipients').select('broadcast_id').execute()
      const messages = await db.selectFrom('queue_messages').select('broadcast_id').execute()
      return {
        ids: broadcasts.map(({ id }) => id),
        recipients: recipients.length,
        messages: messages.map(({ broadcast_id: id }) => id).sort(),
      }
    }
    await tidyAfter(29)
    const all = [ended, another, waiting, cancelled]
    assert.deepEqual(await left(), { ids: all, recipients: 30, messages: all })
    await tidyAfter(31)
    assert.deepEqual(await left(), { ids: [waiting], recipients: 30, messages: [waiting] })
  })
})
