import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newDelivery } from '../../../../test/new-delivery.ts'
import { onMailyard } from '../../../../test/on-each-database.ts'
import { systemClock } from '../../../kit/clock.ts'
import { createLog } from '../../../kit/log.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import { defaultIntervals } from '../intervals.ts'
import type { DeliveryTables } from '../table.ts'
import { openDeliveryLog } from './delivery-log.ts'
import { Processes } from './processes.ts'

const hourMs = 3_600_000

onMailyard('processes, if the clock of the database is changed', (shared) => {
  /** The time of the database. */
  let now = 0
  const watch = (processId: string) => {
    const { storage } = shared.service.app
    const set: Storage = { ...storage, now: async () => now }
    const log = createLog('silent')
    const intervals = defaultIntervals
    return new Processes({ storage: set, log, processId, intervals, onExpired: async () => {} })
  }
  const outcomeOf = async (processId: string) => {
    const db = shared.service.app.storage.tables<DeliveryTables>()
    const query = db.selectFrom('deliveries').select('outcome').where('process_id', '=', processId)
    return (await query.executeTakeFirstOrThrow()).outcome
  }
  const sendFrom = async (processId: string) => {
    const deliveryLog = openDeliveryLog({
      storage: shared.service.app.storage,
      clock: systemClock,
      processId,
      log: createLog('silent'),
    })
    await deliveryLog.start(
      newDelivery([{ address: 'ann@clock.test', messageKey: null, bulkKey: null }]),
    )
    deliveryLog.close()
  }
  const runFor = async (processes: Processes, timeMs: number) => {
    for (const end = now + timeMs; now < end; now += 2_000) await processes.heartbeat()
  }

  test('a process that ended before the clock was set back expires in time', async () => {
    now = Date.now() + hourMs
    await watch('ended-before').heartbeat()
    await sendFrom('ended-before')
    now -= hourMs
    const running = watch('running')
    await runFor(running, 14_000)
    assert.equal(await outcomeOf('ended-before'), 'started', 'it has time for a heartbeat')
    await runFor(running, 6_000)
    assert.equal(await outcomeOf('ended-before'), 'uncertain')
  })

  test('a clock that is set forward and back delays no expiry', async () => {
    now = Date.now()
    await watch('ended').heartbeat()
    await sendFrom('ended')
    const running = watch('running-on')
    await runFor(running, 2_000)
    now += hourMs
    await runFor(running, 2_000)
    now -= hourMs
    await runFor(running, 34_000)
    assert.equal(await outcomeOf('ended'), 'uncertain')
  })
})
