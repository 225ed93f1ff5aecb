import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logDeliveries } from '../../../../test/log-deliveries.ts'
import { addMautic, type TestMautic } from '../../../../test/mautics.ts'
import { clockAt } from '../../../../test/movable-clock.ts'
import { onMailyard } from '../../../../test/on-each-database.ts'
import { createLog } from '../../../kit/log.ts'
import type { MauticTables } from '../../mautic/index.ts'
import { RefusalTagger } from './refusal-tagger.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

onMailyard('the tags of contacts whose messages are refused', { isStarted: false }, (shared) => {
  let now = Date.UTC(2026, 10, 20, 12)
  /** What a process does for them. */
  const openTagger = (clock = clockAt(() => now)) => {
    const { storage, mautics } = shared.service.app
    return new RefusalTagger({
      storage,
      mautics,
      clock,
      log: createLog('silent'),
      idleMs: minuteMs,
    })
  }
  const enable = async ({ id }: TestMautic, isTagging: boolean) => {
    await shared.askFor('PATCH', `/api/mautics/${id}/edit`, { isTagging })
  }
  const taggedBy = async ({ id }: TestMautic) => {
    const reports = shared.service.app.storage.tables<MauticTables>().selectFrom('mautic_reports')
    const rows = await reports.select('address').where('mautic_id', '=', id).execute()
    return rows.map(({ address }) => address).sort()
  }

  test('begin with what is refused after they were enabled, also again', async () => {
    const mautic = await addMautic(shared.service)
    const refuse = (recipient: string) => {
      const refused = { mautic_id: mautic.id, outcome: 'refused' as const, recipient }
      return logDeliveries(shared.service, [{ ...refused, started_at: now }])
    }
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

  test('count from the moment of the change, before any process has looked', async () => {
    const { clock, service } = shared
    const mautic = await addMautic(service)
    const refuse = async (recipient: string) => {
      const refused = { mautic_id: mautic.id, outcome: 'refused' as const, recipient }
      await logDeliveries(service, [{ ...refused, started_at: clock.now() }])
      clock.advance(2)
    }
    await refuse('before@moment.test')
    await enable(mautic, true)
    await refuse('after@moment.test')
    await enable(mautic, false)
    await refuse('between@moment.test')
    await enable(mautic, true)
    await refuse('again@moment.test')
    clock.advance(hourMs)
    await openTagger(clock).run()
    assert.deepEqual(await taggedBy(mautic), ['again@moment.test'])
    await enable(mautic, true)
    await refuse('still@moment.test')
    clock.advance(hourMs)
    await openTagger(clock).run()
    assert.deepEqual(await taggedBy(mautic), ['again@moment.test', 'still@moment.test'])
  })
})
