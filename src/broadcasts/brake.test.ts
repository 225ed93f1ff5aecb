import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import type { Transaction } from 'kysely'
import { createBroadcastFixture, quickIntervals } from '../../test/broadcasts/broadcast-fixture.ts'
import { addMautic, closeMautics } from '../../test/mautics.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { askForEvents, listPublished } from '../../test/published-events.ts'
import { useScriptedServer } from '../../test/scripted-server.ts'
import { until } from '../../test/until.ts'
import type { DeliveryTables } from '../delivery/table.ts'
import type { RecipientChange } from '../queue/queue-store.ts'
import { countChanges } from './counts.ts'
import type { BroadcastTables } from './table.ts'

onEachDatabase(
  'a broadcast',
  (shared) => {
    const fixture = createBroadcastFixture(() => shared.service)
    const server = useScriptedServer()
    const ask = (...asked: Parameters<typeof shared.service.ask>) => shared.service.ask(...asked)
    const refuse = { code: 550, text: '5.1.1 no such user' }
    before(() => shared.service.app.start())
    beforeEach(() => {
      server.act = () => undefined
    })

    test('that a relay refuses altogether is paused soon after 50 attempts, and harms no address', async () => {
      server.act = () => refuse
      const mautic = await addMautic(shared.service, {})
      const emailId = await fixture.email(await fixture.transport(server.dsn))
      const { segment } = await fixture.segment(300)
      const id = await fixture.send(emailId, { segment })
      await fixture.until(id, ({ state }) => state === 'paused')
      const paused = await fixture.untilSettled(id)
      // What was on its way is refused as well.
      assert.ok(paused.refused >= 50 && paused.refused <= 180, `${paused.refused} attempts`)
      assert.equal(paused.accepted, 0)
      assert.match(paused.problem, /^Paused by its brake: \d+ of \d+ attempts .* \(100 %\)\. Find/)
      assert.equal(paused.brake.attempts, paused.brake.refused)
      assert.equal((await ask('GET', '/api/suppressions')).body.total, 0)
      assert.deepEqual((await ask('GET', `/api/mautics/${mautic.id}/reports`)).body.reports, [])
      await until(
        () => shared.service.logged.some((line) => line.includes('broadcast paused by its brake')),
        'the log says it',
      )
      await closeMautics()

      const { findings } = (await ask('GET', '/api/health/findings')).body
      const finding = findings.find(({ check }: { check: string }) => check === 'broadcasts')
      assert.match(finding.detail, new RegExp(`refused for good: ${id}\\.$`))

      // Until a person continues; then it counts from there.
      server.act = () => undefined
      const resumed = await fixture.act(id, 'resume')
      assert.deepEqual([resumed.state, resumed.brake, resumed.problem], ['running', null, null])
      const done = await fixture.until(id, ({ state }) => state === 'done')
      assert.ok(done.refused <= 180, `${done.refused} were on their way`)
      assert.equal(done.accepted, 300 - done.refused)
    })

    test('is paused again after further 50 attempts that are refused, and can be cancelled', async () => {
      server.act = () => refuse
      const emailId = await fixture.email(await fixture.transport(server.dsn))
      const { segment } = await fixture.segment(400)
      const id = await fixture.send(emailId, { segment })
      await fixture.until(id, ({ state }) => state === 'paused')
      const first = await fixture.untilSettled(id)
      await fixture.act(id, 'resume')
      await fixture.until(id, ({ state }) => state === 'paused')
      const second = await fixture.untilSettled(id)
      assert.ok(second.refused - first.refused >= 50, `${first.refused}, ${second.refused}`)
      const cancelled = await fixture.act(id, 'cancel')
      assert.deepEqual([cancelled.state, cancelled.brake], ['cancelled', null])
    })

    test('that few addresses refuse goes on', async () => {
      const emailId = await fixture.email(await fixture.transport(server.dsn))
      const { segment } = await fixture.segment(90, (index) => ({
        email: index % 10 === 9 ? `gone${index}@refused.example` : `there${index}@taken.example`,
      }))
      server.act = (address) => (address.endsWith('@refused.example') ? refuse : undefined)
      const id = await fixture.send(emailId, { segment })
      const done = await fixture.until(id, ({ state }) => state === 'done')
      assert.deepEqual([done.accepted, done.refused], [81, 9])
    })

    const count = async (id: number, changes: readonly [accepted: number, refused: number][]) => {
      const { storage, events } = shared.service.app
      for (const [accepted, refused] of changes) {
        const attempted = { broadcastId: id, from: 'waiting' as const, isAttempted: true }
        const all: RecipientChange[] = [
          ...Array.from({ length: accepted }, () => ({ ...attempted, to: 'accepted' as const })),
          ...Array.from({ length: refused }, () => ({ ...attempted, to: 'refused' as const })),
        ]
        await storage.transaction((tx: Transaction<DeliveryTables>) =>
          countChanges(tx, all, { now: 0, events }),
        )
      }
      return (await ask('GET', `/api/broadcasts/${id}`)).body.broadcast
    }
    const create = async () => {
      const { segment } = await fixture.segment(1)
      const emailId = await fixture.email(null)
      const id = await fixture.send(emailId, { segment })
      const db = shared.service.app.storage.tables<BroadcastTables>()
      await db.updateTable('broadcasts').set({ total: 100_000 }).where('id', '=', id).execute()
      return id
    }

    test('is paused at 20 % of 50 attempts, and not before, which is published once', async () => {
      await askForEvents(shared.service, ['brake.applied'])
      assert.equal((await count(await create(), [[0, 49]])).brake, null)
      assert.equal((await count(await create(), [[41, 9]])).brake, null)
      const paused = await count(await create(), [[40, 10]])
      assert.deepEqual([paused.state, paused.brake.refused], ['paused', 10])
      await count(paused.id, [[0, 5]])
      const cause = `broadcast ${paused.id}`
      const published = await listPublished(shared.service, 'brake.applied', cause)
      assert.deepEqual(
        published.map(({ broadcastId }) => broadcastId),
        [paused.id],
      )
    })

    test('that went well for long is paused by what happens now', async () => {
      const well = Array.from({ length: 60 }, (): [number, number] => [1_000, 10])
      const id = await create()
      assert.equal((await count(id, well)).brake, null)
      const paused = await count(
        id,
        Array.from({ length: 12 }, (): [number, number] => [0, 50]),
      )
      assert.equal(paused.state, 'paused')
    })

    test('ends with its last outcomes where the brake paused it before them, and says so', async () => {
      const { segment } = await fixture.segment(1)
      const emailId = await fixture.email(null)
      const id = await fixture.send(emailId, { segment })
      const db = shared.service.app.storage.tables<BroadcastTables>()
      await db.updateTable('broadcasts').set({ total: 60 }).where('id', '=', id).execute()
      const paused = await count(id, [[0, 55]])
      assert.deepEqual([paused.state, paused.remaining, paused.brake.refused], ['paused', 5, 55])
      const done = await count(id, [[0, 5]])
      assert.deepEqual([done.state, done.remaining, done.brake], ['done', 0, null])
      assert.equal(
        done.problem,
        'Its brake paused it, with nothing left to send: 60 of 60 attempts were refused for good (100 %). Find out why in its deliveries.',
      )
    })

    test('that ended after its brake sends to the refused again, and its brake counts from there', async () => {
      server.act = () => refuse
      const emailId = await fixture.email(await fixture.transport(server.dsn))
      // One attempt less than the brake needs: what it does itself depends on how many are on their way.
      const { segment, contacts } = await fixture.segment(49)
      const id = await fixture.send(emailId, { segment })
      await fixture.until(id, ({ remaining }) => remaining === 0)
      const db = shared.service.app.storage.tables<BroadcastTables>()
      const braked = { braked_at: 1, state: 'done' as const }
      await db.updateTable('broadcasts').set(braked).where('id', '=', id).execute()
      const gone = contacts[0]?.email
      server.act = (address) => (address === gone ? refuse : undefined)
      const { status, text } = await ask('POST', `/api/broadcasts/${id}/retry`)
      assert.equal(status, 200, text)
      const done = await fixture.until(id, ({ state }) => state === 'done')
      assert.deepEqual([done.accepted, done.refused, done.problem], [48, 1, null])
      const counts = ['brake_attempts', 'brake_refused'] as const
      const counted = db.selectFrom('broadcasts').select(counts).where('id', '=', id)
      const { brake_attempts, brake_refused } = await counted.executeTakeFirstOrThrow()
      assert.deepEqual([brake_attempts, brake_refused], [49, 1])
    })

    test('is not paused by its last outcome, which ends it', async () => {
      const id = await create()
      const db = shared.service.app.storage.tables<BroadcastTables>()
      await db.updateTable('broadcasts').set({ total: 50 }).where('id', '=', id).execute()
      assert.equal((await count(id, [[0, 50]])).state, 'done')
    })
  },
  { intervals: quickIntervals, isStarted: false },
)
