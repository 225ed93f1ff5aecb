import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { logDeliveries } from '../../../test/log-deliveries.ts'
import { addMautic, closeMautics, type TestMautic } from '../../../test/mautics.ts'
import { clockAt } from '../../../test/movable-clock.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import type { DeliveryRow } from '../../delivery/table.ts'
import { createLog } from '../../kit/log.ts'
import type { MauticTables } from '../../mautic/index.ts'
import type { Storage } from '../../storage/index.ts'
import { RefusalTagger } from './refusal-tagger.ts'
import { Refusals } from './refusals.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** Says when a batch is read. */
class WatchedRefusals extends Refusals {
  readonly #onBatch: () => void

  constructor(storage: Storage, onBatch: () => void) {
    super(storage)
    this.#onBatch = onBatch
  }

  override async *read(...asked: Parameters<Refusals['read']>): ReturnType<Refusals['read']> {
    for await (const batch of super.read(...asked)) {
      this.#onBatch()
      yield batch
    }
  }
}

onEachDatabase(
  'the tags of contacts whose messages are refused',
  (shared) => {
    after(closeMautics)
    let now = Date.UTC(2026, 10, 20, 12)
    /** What a process does for them. */
    const openTagger = ({ onBatch = () => {} } = {}) => {
      const { storage, mautics } = shared.service.app
      return new RefusalTagger({
        storage,
        refusals: new WatchedRefusals(storage, onBatch),
        mautics,
        clock: clockAt(() => now),
        log: createLog('silent'),
        idleMs: minuteMs,
      })
    }
    const enable = async ({ id }: TestMautic, isTagging: boolean) => {
      const answer = await shared.service.ask('PATCH', `/api/mautics/${id}/edit`, { isTagging })
      assert.equal(answer.status, 200, answer.text)
    }
    const logRefusals = (
      { id }: TestMautic,
      rows: readonly (Partial<DeliveryRow> & Pick<DeliveryRow, 'started_at'>)[],
    ) =>
      logDeliveries(
        shared.service,
        rows.map((row) => ({ mautic_id: id, outcome: 'refused', ...row })),
      )
    const taggedBy = async ({ id }: TestMautic) => {
      const reports = shared.service.app.storage.tables<MauticTables>().selectFrom('mautic_reports')
      const rows = await reports.select('address').where('mautic_id', '=', id).execute()
      return rows.map(({ address }) => address).sort()
    }

    test('begin with what is refused after they were enabled, also again', async () => {
      const mautic = await addMautic(shared.service)
      const refuse = (recipient: string) => logRefusals(mautic, [{ started_at: now, recipient }])
      const run = async () => {
        now += hourMs
        await Promise.all([openTagger().run(), openTagger().run()])
      }
      await refuse('before@tags.test')
      await enable(mautic, true)
      await run()
      now += 1
      await refuse('first@tags.test')
      await run()
      await enable(mautic, false)
      await run()
      await refuse('between@tags.test')
      now += 1
      await enable(mautic, true)
      await run()
      now += 1
      await refuse('again@tags.test')
      await run()
      assert.deepEqual(await taggedBy(mautic), ['again@tags.test', 'first@tags.test'])
    })

    test('go on where they ended when Mailyard stopped', async () => {
      const mautic = await addMautic(shared.service)
      await enable(mautic, true)
      await openTagger().run()
      const rows = Array.from({ length: 4_500 }, (_, index) => {
        return { started_at: now + 1 + Math.floor(index / 7), recipient: `${index}@tags.test` }
      })
      await logRefusals(mautic, rows)
      now += hourMs
      const stopping = openTagger({ onBatch: () => void stopping.loop.stop() })
      await stopping.run()
      const first = (await taggedBy(mautic)).length
      assert.ok(first > 0 && first < rows.length, `${first} are tagged`)
      let batches = 0
      await openTagger({ onBatch: () => (batches += 1) }).run()
      assert.equal((await taggedBy(mautic)).length, rows.length)
      assert.equal(batches, 2)
    })
  },
  { isStarted: false },
)
