import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { createBroadcastFixture, quickIntervals } from '../../test/broadcasts/broadcast-fixture.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { askForEvents, listPublished } from '../../test/published-events.ts'
import { addAccepted, bounceAgain } from '../../test/queue/accepted-deliveries.ts'
import { until } from '../../test/until.ts'
import type { BroadcastTables } from './table.ts'

onEachDatabase(
  'a broadcast',
  (shared) => {
    const fixture = createBroadcastFixture(() => shared.service)
    const ask = (...asked: Parameters<typeof shared.service.ask>) => shared.service.ask(...asked)
    before(() => shared.service.app.start())

    /** A broadcast that runs, and sends nothing. */
    const create = async (total = 100_000) => {
      const { segment } = await fixture.segment(1)
      const id = await fixture.send(await fixture.email(null), { segment })
      const db = shared.service.app.storage.tables<BroadcastTables>()
      await db.updateTable('broadcasts').set({ total }).where('id', '=', id).execute()
      return id
    }
    const bounce = (id: number, count = 250) =>
      addAccepted(shared.service, {
        transport_id: 1,
        sender: 'news@broadcast.test',
        broadcast_id: id,
        started_at: shared.clock.now(),
        count,
        events: [{ type: 'bounced', class: 'hard', count: Math.min(count, 40) }],
      })

    test('is paused when too many of its accepted messages bounced, until a person continues, and not again for the same', async () => {
      const id = await create()
      await askForEvents(shared.service, ['brake.applied'])
      const noted = await bounce(id)
      await bounceAgain(shared.service, noted)
      const paused = await fixture.until(id, ({ state }) => state === 'paused')
      const sentence = '40 of the last 200 accepted messages bounced (20.0 %).'
      assert.equal(
        paused.problem,
        `Paused by its brake: ${sentence} Find out why in its deliveries, then continue or cancel it.`,
      )
      const published = await listPublished(shared.service, 'brake.applied', `broadcast ${id}`)
      const message = `Broadcast ${id} is paused: ${sentence} Find out why, then continue or cancel.`
      assert.deepEqual(published, [{ broadcastId: id, message }])
      const { kind, events, accepted } = paused.brake
      assert.deepEqual([kind, events, accepted], ['bounces', 40, 200])
      await until(
        () => shared.service.logged.some((line) => /"kind":"bounces".*paused by its/.test(line)),
        'the log says it',
      )
      const { findings } = (await ask('GET', '/api/health/findings')).body
      const finding = findings.find(({ check }: { check: string }) => check === 'broadcasts')
      assert.match(finding.detail, new RegExp(`5 % of their last accepted messages bounced: ${id}`))
      // Its messages do not count for those of its sender domain: it has paused them itself.
      assert.deepEqual((await ask('GET', '/api/queue/brakes')).body.brakes, [])

      assert.equal((await fixture.act(id, 'resume')).brake, null)
      shared.clock.advance(1_000)
      // It looks at both, one after the other.
      const another = await create()
      await bounceAgain(shared.service, [...noted, ...(await bounce(another))], 'hard')
      await fixture.until(another, ({ state }) => state === 'paused')
      assert.equal((await fixture.get(id)).state, 'running')
      // What is accepted from here on counts.
      await bounceAgain(shared.service, await bounce(id))
      await fixture.until(id, ({ state }) => state === 'paused')
    })

    test('that a person has paused or cancelled, or that has nothing left to send, is not changed by its brake', async () => {
      const [cancelled, done, paused] = [await create(), await create(), await create()]
      await fixture.act(cancelled, 'cancel')
      await fixture.act(paused, 'pause')
      const db = shared.service.app.storage.tables<BroadcastTables>()
      const all = { is_prepared: true, accepted: 250, total: 250 }
      await db.updateTable('broadcasts').set(all).where('id', '=', done).execute()
      const last = await create()
      const ids = [cancelled, paused, done, last]
      const noted = await Promise.all(ids.map((id) => bounce(id)))
      await bounceAgain(shared.service, noted.flat())
      await fixture.until(last, ({ state }) => state === 'paused')
      for (const id of [cancelled, done, paused])
        assert.equal((await fixture.get(id)).brake, null, `${id}`)
    })
  },
  { intervals: quickIntervals, isStarted: false },
)
