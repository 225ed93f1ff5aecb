import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { createJobWorld } from '../../../test/sending-jobs/job-world.ts'
import { createLog } from '../../kit/log.ts'
import { createUpkeep } from '../journal/upkeep.ts'
import type { SendingTables } from './table.ts'

const dayMs = 86_400_000

onEachDatabase('broadcasts of which nothing is listed any more', (shared) => {
  const world = createJobWorld(() => shared.yard)

  test('are removed with their recipients, a little at a time, and none that has not ended', async () => {
    const { storage } = shared.yard.app
    const emailId = await world.email(await world.transport('null://null'))
    const waitingEmail = await world.email(null)
    const [old, other] = [await world.segment(700), await world.segment(30)]
    const ended = await world.send(emailId, { segment: old.segment })
    await world.until(ended, ({ status }) => status === 'done')
    const another = await world.send(emailId, { segment: other.segment })
    await world.until(another, ({ status }) => status === 'done')
    const waiting = await world.send(waitingEmail, { segment: other.segment })
    const cancelled = await world.send(waitingEmail, { contactIds: [old.contacts[0]?.id ?? 0] })
    await world.act(cancelled, 'cancel')
    const tidyAfter = async (days: number) => {
      const clock = { now: () => Date.now() + days * dayMs }
      const keep = { keepMs: 30 * dayMs, holdMs: dayMs }
      const upkeep = createUpkeep({ storage, clock, log: createLog('silent'), ...keep })
      await upkeep.run()
      upkeep.stop()
    }
    const left = async () => {
      const db = storage.tables<SendingTables>()
      const sendings = await db.selectFrom('sendings').select('id').orderBy('id').execute()
      const recipients = await db.selectFrom('sending_recipients').select('sending_id').execute()
      return { ids: sendings.map(({ id }) => id), recipients: recipients.length }
    }
    await tidyAfter(29)
    assert.deepEqual(await left(), { ids: [ended, another, waiting, cancelled], recipients: 761 })
    await tidyAfter(31)
    assert.deepEqual(await left(), { ids: [waiting], recipients: 30 })
  })
})
