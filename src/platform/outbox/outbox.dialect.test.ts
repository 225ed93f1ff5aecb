import assert from 'node:assert/strict'
import { once } from 'node:events'
import { afterEach, before, beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { until } from '../../../test/until.ts'
import { createLog } from '../../kit/log.ts'
import { Outbox, type OutboxSender } from './outbox.ts'
import { addOutboxColumns, type OutboxRow, queuedAt } from './table.ts'

type Letter = OutboxRow & { receiver_id: number }
interface Tables {
  receivers: { id: number; is_open: boolean }
  letters: Omit<Letter, 'id'>
}

const table = {
  name: 'letters',
  label: 'letters',
  targets: 'receivers',
  targetColumn: 'receiver_id',
  isReady: sql<boolean>`receivers.is_open`,
  isWanted: sql<boolean>`letters.receiver_id = receivers.id`,
}

onEachDatabase('an outbox', { isStarted: false }, (shared) => {
  const tables = () => shared.service.app.storage.tables<Tables>()
  const outboxes: Outbox<Letter>[] = []
  const open = (send: OutboxSender<Letter>['send']) => {
    const { storage, installation } = shared.service.app
    const outbox = new Outbox<Letter>({
      storage,
      installation,
      table,
      sender: { send, isTargetDown: (error) => String(error).includes('down') },
      clock: shared.clock,
      log: createLog('silent'),
      idleMs: 10,
      giveUpMs: 3_600_000,
      keepMs: 86_400_000,
    })
    outboxes.push(outbox)
    outbox.start()
    return outbox
  }
  const post = async (...receiverIds: number[]) => {
    const rows = receiverIds.map((id) => ({ ...queuedAt(shared.clock.now()), receiver_id: id }))
    await tables().insertInto('letters').values(rows).execute()
    await idle()
  }
  const idle = () => Promise.all(outboxes.map((outbox) => outbox.idle()))
  const idleAfter = (ms: number) => {
    shared.clock.advance(ms)
    return idle()
  }
  const statesOf = async (receiverId: number) => {
    const rows = tables()
      .selectFrom('letters')
      .select('state')
      .where('receiver_id', '=', receiverId)
    return (await rows.execute()).map(({ state }) => state)
  }
  before(async () => {
    const { storage } = shared.service.app
    await storage.forMigrations(async ({ db }) => {
      await db.schema
        .createTable('receivers')
        .addColumn('id', 'bigint', (column) => column.primaryKey())
        .addColumn('is_open', 'boolean', (column) => column.notNull())
        .execute()
      await storage
        .createTableWithId(db, 'letters')
        .addColumn('receiver_id', 'bigint', (column) => column.notNull())
        .$call(addOutboxColumns)
        .execute()
    })
  })
  beforeEach(async () => {
    const receivers = [1, 2, 3].map((id) => ({ id, is_open: id < 3 }))
    await tables().insertInto('receivers').values(receivers).execute()
  })
  afterEach(async () => {
    for (const outbox of outboxes.splice(0)) await outbox.stop()
    await tables().deleteFrom('letters').execute()
    await tables().deleteFrom('receivers').execute()
  })

  test('sends each row once, also where several processes send to one target', async () => {
    const sent: number[] = []
    const send = async ({ id }: Letter) => {
      sent.push(id)
      return { state: 'done' as const }
    }
    for (let count = 0; count < 3; count += 1) open(send)
    await post(...Array<number>(60).fill(1))
    assert.equal(sent.length, 60)
    assert.equal(new Set(sent).size, 60)
  })

  test('stops sending a row that another process has claimed, and sends it if that one crashes', async () => {
    let begun = 0
    let hasEnded = false
    open(async (_letter, signal) => {
      begun += 1
      if (begun > 1) return { state: 'done' }
      await once(signal, 'abort')
      hasEnded = true
      throw signal.reason
    })
    const posted = post(1)
    await until(() => begun > 0, 'it is being sent')
    await tables().updateTable('letters').set({ attempts: 2 }).execute()
    shared.clock.advance(61_000)
    await until(() => hasEnded, 'it is not sent any further')
    await posted
    assert.equal(begun, 1)
    await idleAfter(60_000)
    assert.deepEqual([await statesOf(1), begun], [['done'], 2])
  })

  test('lets all rows of a target wait that is down, and holds up no other target', async () => {
    const tried: number[] = []
    let isDown = true
    open(async ({ receiver_id: receiverId }) => {
      tried.push(receiverId)
      if (receiverId === 1 && isDown) throw new Error('The receiver is down.')
      return { state: 'done' }
    })
    await post(1, 1, 1, 2, 2)
    assert.deepEqual(await statesOf(2), ['done', 'done'])
    assert.deepEqual(await statesOf(1), ['queued', 'queued', 'queued'])
    assert.equal(tried.filter((receiverId) => receiverId === 1).length, 1)
    isDown = false
    await idleAfter(15_001)
    assert.deepEqual(await statesOf(1), ['done', 'done', 'done'])
  })

  test('sends nothing to a target that is not ready, and all of it later', async () => {
    open(async () => ({ state: 'done' }))
    await post(3, 2)
    assert.deepEqual([await statesOf(2), await statesOf(3)], [['done'], ['queued']])
    await tables().updateTable('receivers').set({ is_open: true }).where('id', '=', 3).execute()
    await idle()
    assert.deepEqual(await statesOf(3), ['done'])
  })

  test('sends no further row to a target that is not ready any more', async () => {
    open(async ({ receiver_id: receiverId }) => {
      const receiver = tables().updateTable('receivers').where('id', '=', receiverId)
      if (receiverId === 1) await receiver.set({ is_open: false }).execute()
      return { state: 'done' }
    })
    await post(1, 1, 1)
    await post(2)
    assert.deepEqual(await statesOf(2), ['done'])
    assert.deepEqual((await statesOf(1)).toSorted(), ['done', 'queued', 'queued'])
  })

  test('sends a row once that takes longer than a lease, also where several processes send', async () => {
    const answer = Promise.withResolvers<{ state: 'done' }>()
    let sent = 0
    const send = (_: Letter, signal: AbortSignal) => {
      sent += 1
      signal.addEventListener('abort', () => answer.resolve({ state: 'done' }))
      return answer.promise
    }
    for (let count = 0; count < 2; count += 1) open(send)
    const letters = [1, 2].map((id) => ({ ...queuedAt(shared.clock.now()), receiver_id: id }))
    await tables().insertInto('letters').values(letters).execute()
    const leaseMs = async () => {
      const rows = await tables().selectFrom('letters').select('due_at').execute()
      return Math.min(...rows.map((row) => row.due_at)) - shared.clock.now()
    }
    for (let count = 0; count < 4; count += 1) {
      await until(leaseMs, 'a lease', (ms) => ms > 100_000)
      shared.clock.advance(100_000)
    }
    assert.equal(sent, 2)
    answer.resolve({ state: 'done' })
    await idle()
    assert.deepEqual([await statesOf(1), await statesOf(2), sent], [['done'], ['done'], 2])
  })

  test('gives a row up after its time, and deletes what there is nothing to send of', async () => {
    let attempts = 0
    open(async ({ receiver_id: receiverId }) => {
      attempts += 1
      if (receiverId === 1) throw new Error('It is refused.')
      return { state: 'needless' }
    })
    await post(1, 2)
    for (; !(await statesOf(1)).includes('failed'); await idleAfter(600_000));
    assert.ok(attempts > 1, 'more than once')
    assert.deepEqual(await statesOf(2), [])
  })
})
