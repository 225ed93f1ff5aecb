import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addTransport } from '../../../../test/callers.ts'
import { onEachDatabase } from '../../../../test/on-each-database.ts'
import { brakedGroup } from '../../../../test/queue/braked-group.ts'
import { submitQueued } from '../../../../test/queue/submit-queued.ts'
import { useScriptedServer } from '../../../../test/scripted-server.ts'
import type { QueueTables } from '../table.ts'

onEachDatabase('a brake that is cancelled', { isStarted: false }, (shared) => {
  const server = useScriptedServer()
  const domain = 'brand.test'
  const { ask } = shared
  const submit = (to: string, transport: number) =>
    submitQueued(shared.service, { to, transport, isBulk: true, sender: `news@${domain}` })

  test('waits for the transports of new messages, then cancels its own and sends the others', async () => {
    const [braked, other] = [
      await addTransport(shared.service, { mailerDsn: server.dsn }),
      await addTransport(shared.service, { mailerDsn: server.dsn }),
    ]
    const { id } = await shared.service.app.storage
      .tables<QueueTables>()
      .insertInto('queue_brakes')
      .values({ ...brakedGroup, sender_domain: domain, transport_id: braked.id })
      .returning('id')
      .executeTakeFirstOrThrow()
    for (const name of ['one', 'two']) await submit(`${name}@rcpt.test`, braked.id)
    await submit('other@rcpt.test', other.id)

    // No process attempts the messages yet.
    const cancel = async () => (await ask('POST', `/api/queue/brakes/${id}/cancel`, {})).body
    assert.deepEqual(await cancel(), { changed: 0, left: 3, isDone: false })
    assert.equal((await ask('GET', '/api/queue/brakes')).body.brakes.length, 1)

    await shared.service.app.start()
    assert.deepEqual(await cancel(), { changed: 2, left: 0, isDone: true })
    assert.deepEqual((await ask('GET', '/api/queue/brakes')).body.brakes, [])
    await shared.service.app.idle()
    for (const name of ['one', 'two']) {
      const { body } = await ask('GET', `/api/deliveries?recipient=${name}@rcpt.test`)
      assert.equal(body.deliveries[0].outcome, 'cancelled')
    }
    assert.deepEqual(server.taken, ['other@rcpt.test'])
    // What is submitted later is sent.
    await submit('later@rcpt.test', braked.id)
    await shared.service.app.idle()
    assert.ok(server.taken.includes('later@rcpt.test'))
  })
})
