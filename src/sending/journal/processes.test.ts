import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newDelivery } from '../../../test/new-delivery.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { createLog } from '../../kit/log.ts'
import type { Storage } from '../../storage/index.ts'
import type { DeliveryTables } from '../table.ts'
import { openJournal } from './journal.ts'
import { Processes } from './processes.ts'

const hourMs = 3_600_000

onEachDatabase('processes, where the clock of the database is set', (shared) => {
  /** The database, with a clock that is set by hand. */
  let now = 0
  const watch = (processId: string) => {
    const { storage } = shared.yard.app
    const set: Storage = { ...storage, now: async () => now }
    const log = createLog('silent')
    return new Processes({ storage: set, log, processId, onDead: async () => undefined })
  }
  const outcomeOf = async (processId: string) => {
    const db = shared.yard.app.storage.tables<DeliveryTables>()
    const query = db.selectFrom('deliveries').select('outcome').where('process_id', '=', processId)
    return (await query.executeTakeFirstOrThrow()).outcome
  }
  const sendFrom = async (processId: string) => {
    const journal = openJournal({
      storage: shared.yard.app.storage,
      clock: { now: Date.now },
      processId,
    })
    await journal.begin(
      newDelivery([{ address: 'ann@clock.test', messageKey: null, bulkKey: null }]),
    )
    journal.close()
  }
  const lookFor = async (processes: Processes, timeMs: number) => {
    for (const end = now + timeMs; now < end; now += 2_000) await processes.lookAround()
  }

  test('who died before it was set back is found dead as soon as ever', async () => {
    now = Date.now() + hourMs
    await watch('dead-before').lookAround()
    await sendFrom('dead-before')
    now -= hourMs
    const living = watch('living')
    await lookFor(living, 14_000)
    assert.equal(await outcomeOf('dead-before'), 'started', 'it has time to say that it lives')
    await lookFor(living, 6_000)
    assert.equal(await outcomeOf('dead-before'), 'uncertain')
  })

  test('set forward and back again, it keeps nobody from finding the dead', async () => {
    now = Date.now()
    await watch('dead').lookAround()
    await sendFrom('dead')
    const living = watch('living-on')
    await lookFor(living, 2_000)
    now += hourMs
    await lookFor(living, 2_000)
    now -= hourMs
    await lookFor(living, 34_000)
    assert.equal(await outcomeOf('dead'), 'uncertain')
  })
})
