import assert from 'node:assert/strict'
import { beforeEach, type TestContext, test } from 'node:test'
import { createBroadcastFixture } from '../../test/broadcasts/broadcast-fixture.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { openTestStore } from '../../test/queue/open-test-store.ts'
import { openDeliveryLog } from '../delivery/log/delivery-log.ts'
import { ReplyError } from '../delivery/submission/recipient-reports.ts'
import { type DeliveryTables, noTransport } from '../delivery/table.ts'
import { AppError } from '../kit/app-error.ts'
import { createLog } from '../kit/log.ts'
import { createFindRefusal, openReadContact, prepareEmail } from '../messages/index.ts'
import { createTwig } from '../twig/index.ts'
import { RecipientRenderer } from './recipient-renderer.ts'
import { openRenderMarks } from './render-marks.ts'

const processId = 'renders'
const unrenderable = { isTwig: true, plainText: '{{ 1 // contact.points }}' }

onEachDatabase(
  'the email of a broadcast',
  (shared) => {
    const fixture = createBroadcastFixture(() => shared.service)

    /** The renderer of a process that sends nothing. */
    const open = () => {
      const { app } = shared.service
      const { storage, emails, twig, templateSources, work } = app
      const { clock } = shared
      const log = createLog('silent')
      const rendering = {
        engines: { html: twig, text: createTwig({ autoescape: false }) },
        sources: templateSources,
        readContact: openReadContact(storage),
        defaultFrom: 'a@brand.test',
        links: undefined,
        work,
      }
      const renderMarks = openRenderMarks(storage, processId)
      const opened = {
        /** The broadcasts that were marked, and null where the mark was removed. */
        marks: [] as (number | null)[],
        mark: (id: number | null) => renderMarks.set(id),
        /** Called when an email is rendered. */
        onRender: (): void => undefined,
        /** Why broadcasts were paused. */
        stops: [] as string[],
      }
      const renderer = new RecipientRenderer({
        storage,
        clock,
        log,
        intervals: { freshMs: 60_000 },
        links: undefined,
        renderMarks: {
          findOthers: () => renderMarks.findOthers(),
          async set(id) {
            opened.marks.push(id)
            await opened.mark(id)
          },
        },
        findEmail: (id) => emails.findRow(id),
        async prepareEmail(email) {
          const prepared = await prepareEmail(email, rendering)
          return {
            ...prepared,
            render(...args) {
              opened.onRender()
              return prepared.render(...args)
            },
          }
        },
        findRefusal: createFindRefusal(rendering),
        deliveryLog: openDeliveryLog({ storage, clock, log, processId }),
        async stop(id, { problem }) {
          opened.stops.push(problem)
          await fixture.act(id, 'pause')
        },
      })
      const store = openTestStore(storage, processId)
      /** Claims the recipients of a broadcast, and returns what composes the message of each. */
      const prepare = async (broadcastId: number) => {
        const due = { transportId: noTransport, lane: 'bulk' as const, limit: 1_000 }
        const claimed = await store.claim(due, clock.now())
        const recipients = claimed.filter((each) => each.broadcast_id === broadcastId)
        const [queued] = await store.findMessages(recipients.map((each) => each.message_id))
        assert.ok(queued)
        return (await renderer.prepare(queued.message, recipients)).map((each) => {
          assert.ok('read' in each)
          const { compose } = each.read.submission
          assert.ok(compose)
          return async () => compose()
        })
      }
      return Object.assign(opened, { prepare })
    }
    const send = async (count: number, email?: Record<string, unknown>) => {
      const { segment } = await fixture.segment(count)
      const emailId = await fixture.email(null, email)
      return { emailId, id: await fixture.send(emailId, { segment }) }
    }
    /** The outcome of a recipient whose message is composed. */
    const outcomeOf = async (compose: () => Promise<unknown>) => {
      try {
        await compose()
        return 'composed'
      } catch (error) {
        assert.ok(error instanceof ReplyError)
        return error.deferredUntil === undefined ? 'refused' : 'deferred'
      }
    }
    /** The outcomes of recipients whose messages are composed at once, each named once. */
    const outcomesOf = async (composes: readonly (() => Promise<unknown>)[]) => [
      ...new Set(await Promise.all(composes.map(outcomeOf))),
    ]
    const processes = () => shared.service.app.storage.tables<DeliveryTables>()
    const readMark = async () => {
      const query = processes().selectFrom('delivery_processes').select('rendering')
      return (await query.where('id', '=', processId).executeTakeFirst())?.rendering
    }
    beforeEach(async () => {
      await processes().deleteFrom('delivery_processes').execute()
      await processes()
        .insertInto('delivery_processes')
        .values({ id: processId, seen_at: await shared.service.app.storage.now() })
        .execute()
    })

    test('is marked alone while it is rendered: the first time, and each time if it is slow', async (context: TestContext) => {
      let nowMs = 0
      context.mock.method(performance, 'now', () => nowMs)
      const renderer = open()
      const slow = await send(3)
      const composesSlow = await renderer.prepare(slow.id)
      const quick = await send(3)
      const composesQuick = await renderer.prepare(quick.id)
      const isMarked: boolean[] = []
      renderer.onRender = () => {
        const isSlow = isMarked.length < composesSlow.length
        isMarked.push(renderer.marks.at(-1) === (isSlow ? slow.id : quick.id))
        if (isSlow) nowMs += 1_000
      }
      await Promise.all([...composesSlow, ...composesQuick].map((compose) => compose()))
      const once = [slow.id, null]
      assert.deepEqual(renderer.marks, [...once, ...once, ...once, quick.id, null])
      assert.deepEqual(isMarked, [true, true, true, true, false, false])
    })

    test('lets other work have its turn between messages that are composed at once', async (context: TestContext) => {
      let nowMs = 0
      context.mock.method(performance, 'now', () => nowMs)
      const renderer = open()
      const { id } = await send(20)
      const composes = await renderer.prepare(id)
      let turns = 0
      let isDone = false
      const countTurn = () => {
        turns += 1
        if (!isDone) setImmediate(countTurn)
      }
      const turnsOfRenderings = new Set<number>()
      renderer.onRender = () => {
        turnsOfRenderings.add(turns)
        nowMs += 50
      }
      setImmediate(countTurn)
      await Promise.all(composes.map((compose) => compose()))
      isDone = true
      assert.ok(turnsOfRenderings.size >= 19, `rendered in ${turnsOfRenderings.size} turns`)
    })

    test('holds up no other where the database does not answer while it is marked', {
      timeout: 120_000,
    }, async () => {
      const renderer = open()
      const lost = new AppError('upstream', 'database', 'The database is lost.')
      const one = await send(1)
      const [compose = assert.fail] = await renderer.prepare(one.id)
      const other = await send(1)
      const composesOther = await renderer.prepare(other.id)
      const { mark } = renderer
      renderer.mark = async (id) => {
        await mark(id)
        if (id === one.id) throw lost
      }
      await assert.rejects(compose, lost)
      assert.deepEqual(await outcomesOf(composesOther), ['composed'])
      renderer.mark = mark
      assert.equal(await outcomeOf(compose), 'composed')
      assert.equal(await readMark(), null)
    })

    test('loses its mark with the next message, where the database did not remove it', async () => {
      const renderer = open()
      const lost = new AppError('upstream', 'database', 'The database is lost.')
      const { id } = await send(2)
      const [first = assert.fail, second = assert.fail] = await renderer.prepare(id)
      const { mark } = renderer
      renderer.mark = async (broadcastId) => {
        if (broadcastId === null) throw lost
        await mark(broadcastId)
      }
      await assert.rejects(first, lost)
      assert.equal(await readMark(), id)
      renderer.mark = mark
      assert.equal(await outcomeOf(second), 'composed')
      assert.equal(await readMark(), null)
    })

    test('that cannot be rendered pauses its broadcast once, and refuses no contact', async () => {
      const renderer = open()
      const { id, emailId } = await send(14, unrenderable)
      const first = await renderer.prepare(id)
      assert.deepEqual(await outcomesOf(first), ['deferred'])
      assert.equal(renderer.stops.length, 1)
      assert.match(renderer.stops.join(), /cannot be rendered/)
      assert.equal((await fixture.get(id)).state, 'paused')

      // A person who has not repaired it.
      await fixture.act(id, 'resume')
      const second = await renderer.prepare(id)
      assert.deepEqual(await outcomesOf(second.slice(0, 12)), ['deferred'])
      assert.equal(renderer.stops.length, 2)

      const repair = { plainText: 'Hello' }
      await shared.service.ask('PATCH', `/api/emails/${emailId}/edit`, repair)
      await fixture.act(id, 'resume')
      // They were prepared before.
      assert.deepEqual(await outcomesOf(second.slice(12)), ['deferred'])
      assert.equal(renderer.stops.length, 2)
      assert.deepEqual(await outcomesOf(await renderer.prepare(id)), ['composed'])
      assert.equal((await fixture.get(id)).state, 'running')
    })

    test('is tried twice for a contact for whom it cannot be rendered, and twice again after a retry', async () => {
      const renderer = open()
      const { id } = await send(1, unrenderable)
      const [compose = assert.fail] = await renderer.prepare(id)
      const outcomes: string[] = []
      for (let tries = 0; tries < 4; tries += 1) outcomes.push(await outcomeOf(compose))
      assert.deepEqual(outcomes, ['deferred', 'refused', 'deferred', 'refused'])
      const logged = await fixture.deliveries(`broadcastId=${id}`)
      assert.deepEqual(
        logged.map((each) => each['outcome']),
        ['refused', 'refused'],
      )
    })
  },
  { isStarted: false },
)
