import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { createJobWorld } from '../../../test/sending-jobs/job-world.ts'
import { useScriptedServer } from '../../../test/sending-jobs/scripted-server.ts'

onEachDatabase('whom a broadcast leaves out', (shared) => {
  const world = createJobWorld(() => shared.yard)
  const server = useScriptedServer()
  const nobody = { alreadySent: 0, beingSent: 0, withoutAddress: 0, unpublished: 0, deleted: 0 }
  const edit = (id: number, values: object) =>
    shared.yard.ask('PATCH', `/api/contacts/${id}/edit`, values)

  test('is told by the reason, in the answer and in the broadcast', async () => {
    const emailId = await world.email(await world.transport(server.dsn))
    const { segment } = await world.segment(6, (index) => ({
      ...(index === 0 ? { email: '' } : {}),
      ...(index === 1 ? { isPublished: false } : {}),
    }))
    const first = await world.send(emailId, { segment })
    const done = await world.until(first, ({ status }) => status === 'done')
    assert.deepEqual(done.skipped, { ...nobody, withoutAddress: 1, unpublished: 1 })
    const again = await shared.yard.ask('POST', `/api/emails/${emailId}/send`, { segment })
    assert.deepEqual([again.body.sentCount, again.body.skipped], [0, 6])
    const repeated = await world.get(again.body.job.id)
    const skipped = { ...nobody, alreadySent: 4, withoutAddress: 1, unpublished: 1 }
    assert.deepEqual([repeated.total, repeated.skipped], [0, skipped])
  })

  test('are also those whom another broadcast of the email is about to reach', async () => {
    const emailId = await world.email(null)
    const { segment } = await world.segment(3)
    const waiting = await world.send(emailId, { segment })
    const other = await world.get(await world.send(emailId, { segment }))
    assert.deepEqual([other.total, other.skipped], [0, { ...nobody, beingSent: 3 }])
    await world.act(waiting, 'cancel')
  })

  test('is an address that had the message while it was that of another contact', async () => {
    const emailId = await world.email(null)
    const { segment, contacts } = await world.segment(2)
    const [ann, bob] = contacts
    assert.ok(ann !== undefined && bob !== undefined)
    server.act = (recipient) =>
      recipient === bob.email ? { code: 450, text: '4.2.0 later' } : undefined
    const id = await world.send(emailId, { segment })
    await world.assign(emailId, await world.transport(server.dsn))
    await world.until(id, ({ accepted, nextAttempt }) => accepted === 1 && nextAttempt !== null)
    await edit(ann.id, { email: `moved-${ann.email}` })
    await edit(bob.id, { email: ann.email })
    await shared.yard.app.storage
      .tables<{ sending_recipients: { sending_id: number; due_at: number } }>()
      .updateTable('sending_recipients')
      .set({ due_at: 0 })
      .where('sending_id', '=', id)
      .execute()
    await shared.yard.app.storage
      .tables<{ sendings: { id: number; due_at: number } }>()
      .updateTable('sendings')
      .set({ due_at: 0 })
      .where('id', '=', id)
      .execute()
    const done = await world.until(id, ({ status }) => status === 'done')
    assert.deepEqual([done.accepted, done.refused], [1, 1])
    assert.equal(server.taken.filter((address) => address === ann.email).length, 1)
    const [refused] = await world.deliveries(`sendingId=${id}&contactId=${bob.id}`)
    assert.match(refused.reason, /sent to another contact/)
  })
})
