import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addTransport } from '../../../../test/callers.ts'
import { onMailyard } from '../../../../test/on-each-database.ts'
import { submitQueued } from '../../../../test/queue/submit-queued.ts'
import { useScriptedServer } from '../../../../test/scripted-server.ts'

onMailyard('metrics of the queue', { isStarted: false }, (shared) => {
  const server = useScriptedServer()
  /** The series of the queue with their values, an hour later. */
  const readQueue = async () => {
    shared.clock.advance(3_600_000)
    await shared.service.app.idle()
    const { text } = await shared.ask('GET', '/metrics')
    const found = text.matchAll(/^mailyard_queue_messages\{(.*)\} (\d+)$/gm)
    const oldest = /^mailyard_queue_oldest_seconds (.*)$/m.exec(text)?.[1]
    return {
      messages: Object.fromEntries([...found].map(([, labels = '', n]) => [labels, Number(n)])),
      oldestSeconds: Number(oldest),
    }
  }

  test('count messages by transport, lane and state, and go back to 0', async () => {
    assert.deepEqual(await readQueue(), { messages: {}, oldestSeconds: 0 })
    const { id, name } = await addTransport(shared.service, { mailerDsn: server.dsn })
    for (const isBulk of [false, false, true])
      await submitQueued(shared.service, { transport: name, isBulk })
    const labels = (transport: string, lane: string, state: string) =>
      `transport="${transport}",lane="${lane}",state="${state}"`
    const stored = await readQueue()
    assert.deepEqual(stored.messages, {
      [labels('unrouted', 'transactional', 'queued')]: 2,
      [labels('unrouted', 'bulk', 'queued')]: 1,
    })
    assert.ok(stored.oldestSeconds >= 60)

    server.act = () => ({ code: 451, text: '4.7.1 later' })
    await shared.service.app.start()
    const ofTransport = `${name} (${id})`
    const { messages } = await readQueue()
    assert.equal(messages[labels(ofTransport, 'transactional', 'deferred')], 2)
    assert.equal(messages[labels('unrouted', 'bulk', 'queued')], 0)

    server.act = () => undefined
    const left = await readQueue()
    assert.equal(left.oldestSeconds, 0)
    assert.ok(Object.values(left.messages).every((count) => count === 0))
  })
})
