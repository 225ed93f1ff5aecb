import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { volume } from '../../../test/volume.ts'
import { createCluster, type SimulatedCluster } from './simulated-cluster.case.test.ts'
import { processEvents } from './simulated-processes.case.test.ts'

const processCount = 3
const messageCount = 4
const process = fc.nat(processCount - 1)

/** What may happen, in any order: to messages, processes, clocks, and to answers of the database and the server. */
const event = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('submit' as const),
      process,
      message: fc.nat(messageCount - 1),
      fate: fc.constantFrom(
        ...(['accept', 'accept', 'refuse', 'reply lost', 'message lost'] as const),
      ),
    }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('send' as const), process }) },
  ...processEvents(processCount),
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('settle' as const) }) },
)

/** The operator settles what is uncertain, clients retry until they are answered, and what is frozen resumes late. */
async function finish(cluster: SimulatedCluster): Promise<void> {
  const sendAll = async (index: number) => {
    while (await cluster.apply({ kind: 'send', process: index }));
  }
  const retryAt = async (index: number) => {
    await cluster.apply({ kind: 'thaw', process: index })
    await sendAll(index)
    await cluster.apply({ kind: 'wait', seconds: 40 })
    await cluster.apply({ kind: 'settle' })
    for (let message = 0; message < messageCount; message++)
      await cluster.apply({ kind: 'submit', process: index, message, fate: 'accept' })
    await sendAll(index)
  }
  await retryAt(0)
  // One sends before it has a heartbeat, the other one after it.
  await cluster.apply({ kind: 'thaw', process: 1 })
  await sendAll(1)
  await cluster.apply({ kind: 'thaw', process: 2 })
  await cluster.apply({ kind: 'wait', seconds: 3 })
  for (let index = 0; index < processCount; index++) await retryAt(index)
}

onEachDatabase(
  'the delivery log of several processes',
  (shared) => {
    test('loses and doubles no message, whatever happens in whatever order', async (context) => {
      const { storage } = shared.service.app
      // SQLite has one process, which no other one takes for expired.
      if (!storage.isShared) return context.skip('needs several processes')
      await fc.assert(
        fc.asyncProperty(fc.array(event, { minLength: 5, maxLength: 40 }), async (events) => {
          const cluster = await createCluster(storage, { processCount })
          try {
            for (const each of events) {
              await cluster.apply(each)
              const twice = cluster.received().filter((count) => count > 1)
              assert.deepEqual(twice, [], 'no message is doubled')
            }
            await finish(cluster)
            const counts = Array.from({ length: messageCount }, (_, message) =>
              cluster.countOf(message),
            )
            assert.deepEqual(counts, new Array(messageCount).fill(1), 'each message arrived once')
          } finally {
            await cluster.close()
          }
        }),
        { numRuns: volume({ short: 6, full: 300 }), endOnFailure: true },
      )
    })
  },
  // Its own process would see other times.
  { isStarted: false },
)
