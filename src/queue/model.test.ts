import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createBroadcastFixture } from '../../test/broadcasts/broadcast-fixture.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { volume } from '../../test/volume.ts'
import { processEvents } from '../delivery/log/simulated-processes.case.test.ts'
import {
  createSimulatedQueue,
  type QueueEvent,
  type SimulatedQueue,
} from './simulated-queue.case.test.ts'

const messageCount = 4
const contactCount = 3
const broadcastCount = 3

/** What may happen, in any order: to messages, broadcasts, processes, clocks, and to answers of the database and the server. */
function eventsOf(processCount: number): fc.Arbitrary<QueueEvent> {
  const process = fc.nat(processCount - 1)
  const ofProcess = <Kind extends QueueEvent['kind']>(kind: Kind) =>
    fc.record({ kind: fc.constant(kind), process })
  const ofBroadcast = <Kind extends QueueEvent['kind']>(kind: Kind) =>
    fc.record({ kind: fc.constant(kind), broadcast: fc.nat(broadcastCount - 1) })
  return fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('submit' as const),
        process,
        message: fc.nat(messageCount - 1),
      }),
    },
    { weight: 5, arbitrary: ofProcess('claim') },
    { weight: 5, arbitrary: ofProcess('start') },
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('send' as const),
        process,
        fate: fc.constantFrom(
          ...(['accept', 'accept', 'refuse', 'reply lost', 'message lost'] as const),
        ),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('create' as const) }) },
    { weight: 2, arbitrary: ofBroadcast('pause') },
    { weight: 2, arbitrary: ofBroadcast('resume') },
    { weight: 1, arbitrary: ofBroadcast('cancel') },
    { weight: 1, arbitrary: ofBroadcast('resend') },
    { weight: 1, arbitrary: ofBroadcast('hold') },
    { weight: 1, arbitrary: ofBroadcast('release') },
    { weight: 1, arbitrary: ofBroadcast('drop') },
    ...processEvents(processCount),
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('settle' as const) }) },
  )
}

/** The counters of each broadcast are those of its recipients. */
async function checkBroadcasts(queue: SimulatedQueue): Promise<void> {
  for (const each of await queue.readBroadcasts()) {
    const { state, total, ended, uncertain, queued } = each
    assert.equal(uncertain, queued.uncertain, JSON.stringify(each))
    // The rest of a cancelled one was not reached.
    if (state === 'cancelled') assert.ok(total >= ended + queued.waiting, JSON.stringify(each))
    else assert.equal(total, ended + queued.waiting, JSON.stringify(each))
    if (state === 'done') assert.equal(queued.waiting, 0, JSON.stringify(each))
    if (state === 'running' || state === 'paused')
      assert.ok(queued.waiting > 0, JSON.stringify(each))
  }
}

/** What is frozen or held resumes late, an operator settles what is uncertain, and the processes send what is due. */
async function finish(queue: SimulatedQueue, processCount: number): Promise<void> {
  for (let broadcast = 0; broadcast < broadcastCount; broadcast += 1) {
    await queue.apply({ kind: 'release', broadcast })
    await queue.apply({ kind: 'resume', broadcast })
  }
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

onEachDatabase(
  'the queue with messages and broadcasts',
  (shared) => {
    const fixture = createBroadcastFixture(() => shared.service)

    test('delivers each message and email that it has accepted, and none twice, whatever happens in whatever order', async () => {
      const { storage } = shared.service.app
      // On SQLite a process runs alone, and another one once it has crashed.
      const processCount = storage.isShared ? 3 : 1
      const event = eventsOf(processCount)
      const { contacts } = await fixture.segment(contactCount)
      const contactIds = contacts.map(({ id }) => id)
      await fc.assert(
        fc.asyncProperty(fc.array(event, { minLength: 5, maxLength: 50 }), async (events) => {
          const queue = await createSimulatedQueue(storage, { processCount, contactIds })
          const messages = Array.from({ length: messageCount }, (_, message) => message)
          try {
            for (const each of events) {
              await queue.apply(each)
              const twice = messages.filter((message) => queue.countOf(message) > 1)
              assert.deepEqual(twice, [], 'no message is doubled')
              for (const id of contactIds)
                assert.ok(queue.countOfContact(id) <= 1, 'no contact gets the email twice')
              await checkBroadcasts(queue)
            }
            await finish(queue, processCount)
            await checkBroadcasts(queue)
            const lost = messages.filter(
              (message) => queue.isStored(message) && queue.countOf(message) === 0,
            )
            assert.deepEqual(lost, [], 'no message is lost')
            const twice = messages.filter((message) => queue.countOf(message) > 1)
            assert.deepEqual(twice, [], 'no message is doubled')
            const reached = contactIds.map((id) => queue.countOfContact(id))
            assert.ok(
              reached.every((times) => times <= 1),
              `no contact gets the email twice: ${reached.join()}`,
            )
            const broadcasts = await queue.readBroadcasts()
            const accepted = broadcasts.reduce((sum, each) => sum + each.accepted, 0)
            assert.equal(
              accepted,
              reached.reduce((sum, times) => sum + times, 0),
              'a broadcast counts each contact that it has reached',
            )
            for (const { state } of broadcasts)
              assert.ok(state === 'done' || state === 'cancelled', `it has ended: ${state}`)
          } finally {
            await queue.close()
          }
        }),
        { numRuns: volume({ short: 6, full: 300 }), endOnFailure: true },
      )
    })
  },
  // Its own process would see other times.
  { isStarted: false },
)
