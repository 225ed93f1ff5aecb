import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addTransport } from '../../../test/callers.ts'
import { addMautic, submitMessage } from '../../../test/mautics.ts'
import { onMailyard } from '../../../test/on-each-database.ts'

onMailyard('the last message of a Mautic', { isOwn: true }, (shared) => {
  test('is in its status with its default transport, delivered or still queued', async () => {
    const { service, clock } = shared
    const transport = await addTransport(service, { name: 'Brand', mailerDsn: 'inbox://local' })
    const sent = await addMautic(service, { transportId: transport.id })
    const waiting = await addMautic(service)
    const silent = await addMautic(service)
    const text = 'Subject: Hello\n\nHello'
    await submitMessage(service, sent, { to: 'ann@rcpt.test', text })
    await submitMessage(service, waiting, { to: 'ben@rcpt.test', text, mode: 'queue' })
    const path = '/api/mautics?with=status&orderBy=id&orderByDir=desc&limit=3'
    const { mautics } = (await service.ask('GET', path)).body
    const statuses = new Map(mautics.map(({ id, status }: never) => [id, status]))
    const statusOf = ({ id }: { id: number }) =>
      statuses.get(id) as { dateLastMessage: string | null; transport: unknown }
    const today = new Date(clock.now()).toISOString().slice(0, 10)
    for (const each of [sent, waiting])
      assert.equal(statusOf(each).dateLastMessage?.slice(0, 10), today)
    assert.deepEqual(statusOf(sent).transport, { id: transport.id, name: 'Brand' })
    assert.deepEqual([statusOf(silent).dateLastMessage, statusOf(silent).transport], [null, null])
  })
})
