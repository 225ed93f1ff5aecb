import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import { addTransport } from '../../../test/callers.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { submitQueued } from '../../../test/queue/submit-queued.ts'
import { useScriptedServer } from '../../../test/scripted-server.ts'
import { until } from '../../../test/until.ts'

/** More than are sent at a time. */
const slowCount = 130
const fastCount = 20

onEachDatabase('the queue with a slow transport and a fast one', { isStarted: false }, (shared) => {
  const [slow, fast] = [useScriptedServer(), useScriptedServer()]
  let slowId = 0
  before(async () => {
    slowId = (await addTransport(shared.service, { name: 'Slow', mailerDsn: slow.dsn })).id
    await addTransport(shared.service, { name: 'Fast', mailerDsn: fast.dsn })
  })
  beforeEach(() => {
    for (const server of [slow, fast]) server.taken = []
  })
  const submitAll = async () => {
    const submit = (transport: string, count: number) =>
      Promise.all(Array.from({ length: count }, () => submitQueued(shared.service, { transport })))
    await submit('Slow', slowCount)
    await submit('Fast', fastCount)
  }
  const fastSent = () => until(() => fast.taken.length === fastCount, 'the fast ones are sent')

  for (const kind of ['stored', 'new'])
    test(`sends ${kind} messages of the fast one while the slow one does not answer`, async () => {
      const gate = Promise.withResolvers<void>()
      slow.gate = gate.promise
      await submitAll()
      if (kind === 'stored') await shared.service.app.start()
      await fastSent()
      assert.equal(slow.taken.length, 0)
      gate.resolve()
      await shared.service.app.idle()
      assert.deepEqual([slow.taken.length, new Set(slow.taken).size], [slowCount, slowCount])
    })

  test('sends messages of the fast one while those of the slow one wait for its limit', async () => {
    const limit = { name: 'Slow', transports: [slowId], perSecond: 1 }
    assert.equal((await shared.ask('POST', '/api/limits/new', limit)).status, 201)
    await submitAll()
    await fastSent()
    assert.ok(slow.taken.length < slowCount)
    await shared.ask('POST', '/api/queue/cancel', { all: true })
  })
})
