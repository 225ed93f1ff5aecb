import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { volume } from '../../../test/volume.ts'
import { processEvents } from '../delivery/log/simulated-process.case.test.ts'
import {
  createSimulatedQueue,
  type QueueEvent,
  type SimulatedQueue,
} from './simulated-queue.case.test.ts'

const messageCount = 4
const fates = ['accept', 'accept', 'refuse', 'reply lost', 'message lost'] as const

/** What may happen, in any order: to messages, processes, clocks, and to answers of the database and the server. */
function eventsOf(processCount: number): fc.Arbitrary<QueueEvent> {
  const process = fc.nat(processCount - 1)
  const message = fc.nat(messageCount - 1)
  const fate = fc.constantFrom(...fates)
  const ofProcess = <Kind extends QueueEvent['kind']>(kind: Kind) =>
    fc.record({ kind: fc.constant(kind), process })
  const ofMessage = <Kind extends QueueEvent['kind']>(kind: Kind) =>
    fc.record({ kind: fc.constant(kind), message })
  return fc.oneof(
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('submit' as const), process, message }) },
    { weight: 5, arbitrary: ofProcess('claim') },
    { weight: 5, arbitrary: ofProcess('start') },
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('send' as const), process, fate }) },
    { weight: 2, arbitrary: ofMessage('hold') },
    { weight: 2, arbitrary: ofMessage('release') },
    { weight: 1, arbitrary: ofMessage('cancel') },
    ...processEvents(processCount),
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('settle' as const) }) },
  )
}

/** What is frozen or held resumes late, an operator settles what is uncertain, and the processes send what is due. */
async function finish(queue: SimulatedQueue, processCount: number): Promise<void> {
  for (let message = 0; message < messageCount; message += 1)
    await queue.apply({ kind: 'release', message })
  const sendAll = async (index: number) => {
    await queue.apply({ kind: 'claim', process: index })
    await queue.apply({ kind: 'claim', process: index })
    while (await queue.apply({ kind: 'start', process: index }));
    while (await queue.apply({ kind: 'send', process: index, fate: 'accept' }));
  }
  const workAt = async (index: number) => {
    await queue.apply({ kind: 'thaw', process: index })
    await sendAll(index)
    await queue.apply({ kind: 'wait', seconds: 40 })
    await queue.apply({ kind: 'settle' })
    for (let round = 0; round < 3; round++) await sendAll(index)
  }
  await workAt(0)
  if (processCount === 1) return
  // One sends before it has a heartbeat, the other one after it.
  await queue.apply({ kind: 'thaw', process: 1 })
  await sendAll(1)
  await queue.apply({ kind: 'thaw', process: 2 })
  await queue.apply({ kind: 'wait', seconds: 3 })
  for (let index = 0; index < processCount; index++) await workAt(index)
}

onEachDatabase('the queue', { isStarted: false }, (shared) => {
  test('delivers each message that it has accepted, and none twice, whatever happens in whatever order', async () => {
    const { storage } = shared.service.app
    // On SQLite a process runs alone, and another one once it has crashed.
    const processCount = storage.isShared ? 3 : 1
    const event = eventsOf(processCount)
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 5, maxLength: 50 }), async (events) => {
        const queue = await createSimulatedQueue(storage, { processCount })
        const messages = Array.from({ length: messageCount }, (_, message) => message)
        const assertNoneTwice = () => {
          const twice = messages.filter((message) => queue.countOf(message) > 1)
          assert.deepEqual(twice, [], 'no message is doubled')
        }
        try {
          for (const each of events) {
            await queue.apply(each)
            assertNoneTwice()
          }
          await finish(queue, processCount)
          assertNoneTwice()
          const lost = messages.filter(
            (message) => queue.isStored(message) && queue.countOf(message) === 0,
          )
          assert.deepEqual(lost, [], 'no message is lost')
        } finally {
          await queue.close()
        }
      }),
      { numRuns: volume({ short: 6, full: 300 }), endOnFailure: true },
    )
  })
})
