import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBroadcastFixture } from '../../test/broadcasts/broadcast-fixture.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { useScriptedServer } from '../../test/scripted-server.ts'
import { createMaintenance } from '../delivery/maintenance.ts'
import { createLog } from '../kit/log.ts'
import { noneSkipped } from './producer.ts'

const dayMs = 86_400_000

onEachDatabase('the contacts that a broadcast leaves out', (shared) => {
  const fixture = createBroadcastFixture(() => shared.service)
  const server = useScriptedServer()
  const edit = (id: number, values: object) =>
    shared.service.ask('PATCH', `/api/contacts/${id}/edit`, values)

  test('are counted by reason, in the response and in the broadcast', async () => {
    const emailId = await fixture.email(await fixture.transport(server.dsn))
    const { segment } = await fixture.segment(6, (index) => ({
      ...(index === 0 ? { email: '' } : {}),
      ...(index === 1 ? { isPublished: false } : {}),
    }))
    const first = await fixture.send(emailId, { segment })
    const done = await fixture.until(first, ({ state }) => state === 'done')
    assert.deepEqual(done.skipped, { ...noneSkipped, withoutAddress: 1, unpublished: 1 })
    const again = await shared.service.ask('POST', `/api/emails/${emailId}/send`, { segment })
    assert.deepEqual([again.body.sentCount, again.body.skipped], [0, 6])
    const repeated = await fixture.get(again.body.job.id)
    const skipped = { ...noneSkipped, alreadySent: 4, withoutAddress: 1, unpublished: 1 }
    assert.deepEqual([repeated.total, repeated.skipped], [0, skipped])
  })

  test('include those that got the email days before', async () => {
    const { storage } = shared.service.app
    const emailId = await fixture.email(await fixture.transport(server.dsn))
    const { segment } = await fixture.segment(2)
    const first = await fixture.send(emailId, { segment })
    await fixture.until(first, ({ state }) => state === 'done')
    const clock = { now: () => Date.now() + 10 * dayMs }
    const keep = { keepMs: 30 * dayMs, holdMs: dayMs }
    const maintenance = createMaintenance({ storage, clock, log: createLog('silent'), ...keep })
    await maintenance.run()
    await maintenance.stop()
    const again = await fixture.get(await fixture.send(emailId, { segment }))
    assert.deepEqual([again.total, again.skipped], [0, { ...noneSkipped, alreadySent: 2 }])
  })

  test('include those that wait in another broadcast of the email', async () => {
    const emailId = await fixture.email(null)
    const { segment } = await fixture.segment(3)
    const waiting = await fixture.send(emailId, { segment })
    const other = await fixture.get(await fixture.send(emailId, { segment }))
    assert.deepEqual([other.total, other.skipped], [0, { ...noneSkipped, beingSent: 3 }])
    await fixture.act(waiting, 'cancel')
  })

  test('include an address that got the message for another contact', async () => {
    const emailId = await fixture.email(null)
    const { segment, contacts } = await fixture.segment(2)
    const [ann, bob] = contacts
    assert.ok(ann !== undefined && bob !== undefined)
    server.act = (recipient) =>
      recipient === bob.email ? { code: 450, text: '4.2.0 later' } : undefined
    const id = await fixture.send(emailId, { segment })
    await fixture.assign(emailId, await fixture.transport(server.dsn))
    await fixture.until(id, ({ accepted, nextAttempt }) => accepted === 1 && nextAttempt !== null)
    await edit(ann.id, { email: `moved-${ann.email}` })
    await edit(bob.id, { email: ann.email })
    await shared.service.app.storage
      .tables<{ queue_recipients: { broadcast_id: number; due_at: number } }>()
      .updateTable('queue_recipients')
      .set({ due_at: 0 })
      .where('broadcast_id', '=', id)
      .execute()
    const done = await fixture.until(id, ({ state }) => state === 'done')
    assert.deepEqual([done.accepted, done.refused], [1, 1])
    assert.equal(server.taken.filter((address) => address === ann.email).length, 1)
    const [refused] = await fixture.deliveries(`broadcastId=${id}&contactId=${bob.id}`)
    assert.match(refused.reason, /sent to this address, for another contact/)
  })

  test('name a contact that was deleted while it waited, with its address, as cancelled', async () => {
    const ask = (method: 'DELETE', url: string) => shared.service.ask(method, url)
    const emailId = await fixture.email(null)
    const { segment, contacts } = await fixture.segment(2)
    const [deleted] = contacts
    assert.ok(deleted)
    const id = await fixture.send(emailId, { segment })
    const other = await fixture.send(await fixture.email(null), { contactIds: [deleted.id] })
    const path = `/api/contacts/${deleted.id}/delete`
    const planned = await ask('DELETE', `${path}?dryRun=1`)
    assert.match(planned.text, /2 queued messages are not sent\./)
    await fixture.act(other, 'cancel')
    const removed = await ask('DELETE', path)
    assert.match(removed.text, /1 queued message is not sent\./)
    await fixture.assign(emailId, await fixture.transport(server.dsn))
    const done = await fixture.until(id, ({ state }) => state === 'done')
    assert.deepEqual([done.accepted, done.refused], [1, 1])
    const [delivery] = await fixture.deliveries(`broadcastId=${id}&outcome=cancelled`)
    assert.deepEqual(
      [delivery?.recipient, delivery?.reason],
      [deleted.email, 'The contact was deleted.'],
    )
  })
})
