import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import PostalMime from 'postal-mime'
import { logDeliveries } from '../../../test/log-deliveries.ts'
import { type MailCatcher, startMailCatcher } from '../../../test/mail-catcher.ts'
import { addMautic, closeMautics, type TestMautic } from '../../../test/mautics.ts'
import { onEachDatabase, type SharedApp } from '../../../test/on-each-database.ts'
import { openTestStore } from '../../../test/queue/open-test-store.ts'
import { quickIntervals } from '../../../test/send-fixture.ts'
import { until } from '../../../test/until.ts'
import type { DeliveryRow, DeliveryTables } from '../../delivery/table.ts'
import { createLog } from '../../kit/log.ts'
import type { MauticTables } from '../../mautic/index.ts'
import { createQueueSize } from '../../queue/queue-size.ts'
import { createMessageBodies, createStoreMessage } from '../../queue/store-message.ts'
import { createSubmitNotification } from '../../queue/submit-notification.ts'
import type { QueueTables } from '../../queue/table.ts'
import type { Storage } from '../../storage/index.ts'
import { RefusalReporter } from './refusal-reporter.ts'
import { Refusals } from './refusals.ts'

const hourMs = 3_600_000
const minuteMs = 60_000
const dayMs = 24 * hourMs

/** Adds messages of a Mautic that were refused, unless they say otherwise, to the delivery log. */
function logRefusals(
  { service }: SharedApp,
  mautic: TestMautic,
  rows: readonly (Partial<DeliveryRow> & Pick<DeliveryRow, 'started_at'>)[],
): Promise<void> {
  const refused = { mautic_id: mautic.id, outcome: 'refused' } as const
  return logDeliveries(
    service,
    rows.map((row) => ({ ...refused, ...row })),
  )
}

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

const edit = async ({ service }: SharedApp, { id }: TestMautic, refusalsTo: string | null) => {
  const answer = await service.ask('PATCH', `/api/mautics/${id}/edit`, { refusalsTo })
  assert.equal(answer.status, 200, answer.text)
  assert.equal(answer.body.mautic.refusalsTo, refusalsTo)
}

onEachDatabase(
  'the daily email about the refused messages of a Mautic',
  (shared) => {
    after(closeMautics)
    let now = Date.UTC(2026, 10, 20, 12)
    const clock = { now: () => now }
    /** What a process does for it. */
    const openReporter = ({ onBatch = () => {} } = {}) => {
      const { storage, keyring, mautics } = shared.service.app
      const store = openTestStore(storage, 'p')
      const storeMessage = createStoreMessage({
        store,
        bodies: createMessageBodies(keyring),
        size: createQueueSize(storage, 1e9),
        clock,
        processId: 'p',
        lifetimesMs: { transactional: dayMs, bulk: dayMs },
      })
      return new RefusalReporter({
        storage,
        refusals: new WatchedRefusals(storage, onBatch),
        mautics,
        submitNotification: createSubmitNotification(storeMessage, () => undefined),
        defaultDsn: 'null://null',
        defaultFrom: 'mailyard@host.test',
        publicUrl: 'https://yard.test',
        clock,
        log: createLog('silent'),
        idleMs: minuteMs,
      })
    }
    const run = async (processes = 1) => {
      await Promise.all(Array.from({ length: processes }, () => openReporter().run()))
    }
    /** The stored emails to an address, the oldest first. */
    const mailsTo = async (address: string) => {
      const { storage, keyring } = shared.service.app
      const rows = await storage
        .tables<QueueTables>()
        .selectFrom('queue_messages')
        .innerJoin('queue_recipients', 'queue_recipients.message_id', 'queue_messages.id')
        .select(['queue_messages.id', 'key_id', 'body', 'mautic_id', 'submitter', 'sender'])
        .where('address', '=', address)
        .orderBy('queue_messages.id')
        .execute()
      const bodies = createMessageBodies(keyring)
      return Promise.all(
        rows.map(async ({ key_id: keyId, body, ...row }) => {
          const {
            subject = '',
            text = '',
            headers,
          } = await PostalMime.parse(await bodies.open({ keyId, sealed: body }))
          const keys = new Map(headers.map(({ key, value }) => [key, value]))
          return { ...row, subject, text, automatic: keys.get('auto-submitted') }
        }),
      )
    }
    /** Goes on to 06:01 of the next day. */
    const nextMorning = () => {
      now = Math.floor(now / dayMs) * dayMs + dayMs + 6 * hourMs + minuteMs
    }

    test('sums up what was refused since the last one, by email and reason', async () => {
      const mautic = await addMautic(shared.service, { emails: [17] })
      await logRefusals(shared, mautic, [{ started_at: now - minuteMs, reply: '554 5.7.1 before' }])
      await edit(shared, mautic, 'ops@digest.test')
      await run()
      await logRefusals(shared, mautic, [
        { started_at: now + 1, email_id: 17, reply: '554 5.7.1 from 192.0.2.1' },
        { started_at: now + 2, email_id: 17, reply: '554 5.7.1 from 192.0.2.2' },
        { started_at: now + 3, outcome: 'expired' },
        { started_at: now + 4, outcome: 'accepted' },
      ])
      await run()
      assert.equal((await mailsTo('ops@digest.test')).length, 0)
      nextMorning()
      await run()
      const [mail, ...others] = await mailsTo('ops@digest.test')
      assert.equal(others.length, 0)
      assert.equal(mail?.subject, `3 refused messages of the Mautic "${mautic.name}"`)
      assert.equal(mail?.automatic, 'auto-generated')
      const name = mautic.double.data.emails.get(17).name
      assert.deepEqual(mail?.text.trimEnd().split('\n'), [
        `3 messages of the Mautic "${mautic.name}" were not delivered, or perhaps not.`,
        'Time: 2026-11-20 12:00 to 2026-11-21 05:45 UTC.',
        '',
        `Messages  ${'Email'.padEnd(name.length + 3)}  Reason`,
        `       2  17 ${name}  Refused: 554 5.7.1 from 192.0.2.2`,
        `       1  ${'-'.padEnd(name.length + 3)}  Expired: no server accepted it in time`,
        '',
        `All of them: https://yard.test/mautics/${mautic.id}#refusals`,
      ])
    })

    test('is sent once, however many processes there are, and not without a refusal', async () => {
      const mautic = await addMautic(shared.service)
      await edit(shared, mautic, 'once@digest.test')
      await run(3)
      const counts: number[] = []
      for (const refused of [true, false, true]) {
        if (refused) await logRefusals(shared, mautic, [{ started_at: now + 1 }])
        nextMorning()
        await run(3)
        await run()
        counts.push((await mailsTo('once@digest.test')).length)
      }
      assert.deepEqual(counts, [1, 1, 2])
      const mails = await mailsTo('once@digest.test')
      for (const { subject } of mails) assert.match(subject, /^1 refused message of the Mautic/)
    })

    test('leaves what may still change for the next one', async () => {
      const mautic = await addMautic(shared.service)
      await edit(shared, mautic, 'late@digest.test')
      await run()
      nextMorning()
      const six = now - minuteMs
      await logRefusals(shared, mautic, [
        { started_at: six - 20 * minuteMs },
        { started_at: six - 10 * minuteMs, outcome: 'started' },
      ])
      await run()
      const db = shared.service.app.storage.tables<DeliveryTables>()
      const late = db.updateTable('deliveries').where('mautic_id', '=', mautic.id)
      const ended = { outcome: 'refused' as const }
      await late.set(ended).where('outcome', '=', 'started').execute()
      nextMorning()
      await run()
      const subjects = (await mailsTo('late@digest.test')).map(({ subject }) => subject.slice(0, 2))
      assert.deepEqual(subjects, ['1 ', '1 '])
    })

    test('begins again with what is refused after it was enabled again', async () => {
      const mautic = await addMautic(shared.service)
      await edit(shared, mautic, 'again@digest.test')
      await run()
      await edit(shared, mautic, null)
      await logRefusals(shared, mautic, [{ started_at: now + 1 }])
      nextMorning()
      await run()
      await edit(shared, mautic, 'again@digest.test')
      await run()
      nextMorning()
      await run()
      assert.deepEqual(await mailsTo('again@digest.test'), [])
    })

    test('waits until Mailyard runs again if it stops meanwhile', async () => {
      const mautic = await addMautic(shared.service)
      await edit(shared, mautic, 'stopped@digest.test')
      await run()
      const rows = Array.from({ length: 2_500 }, () => ({ started_at: now + 1 }))
      await logRefusals(shared, mautic, rows)
      nextMorning()
      const stopping = openReporter({ onBatch: () => void stopping.stop() })
      await stopping.run()
      assert.deepEqual(await mailsTo('stopped@digest.test'), [])
      await run()
      const subjects = (await mailsTo('stopped@digest.test')).map(({ subject }) => subject)
      assert.deepEqual(subjects, [`2500 refused messages of the Mautic "${mautic.name}"`])
    })

    test('has at most 100 lines', async () => {
      const mautic = await addMautic(shared.service)
      await edit(shared, mautic, 'many@digest.test')
      await run()
      const rows = Array.from({ length: 103 }, (_, index) => {
        return { started_at: now + 1 + index, email_id: index + 1, reply: '554 5.7.1 no' }
      })
      await logRefusals(shared, mautic, rows)
      nextMorning()
      await run()
      const [mail] = await mailsTo('many@digest.test')
      assert.equal(mail?.text.match(/Refused: /g)?.length, 100)
      assert.match(mail?.text ?? '', /\nand 3 more lines\.\n/)
    })

    test('tags go on where they ended when Mailyard stopped', async () => {
      const mautic = await addMautic(shared.service)
      const path = `/api/mautics/${mautic.id}/edit`
      await shared.service.ask('PATCH', path, { isTagging: true })
      await run()
      const rows = Array.from({ length: 4_500 }, (_, index) => {
        const address = `${index}@tags.test`
        return { started_at: now + 1 + Math.floor(index / 7), recipient: address }
      })
      await logRefusals(shared, mautic, rows)
      now += hourMs
      const tags = shared.service.app.storage
        .tables<MauticTables>()
        .selectFrom('mautic_reports')
        .select('address')
        .where('mautic_id', '=', mautic.id)
      const stopping = openReporter({ onBatch: () => void stopping.stop() })
      await stopping.run()
      const first = (await tags.execute()).length
      assert.ok(first > 0 && first < rows.length, `${first} are tagged`)
      let batches = 0
      await openReporter({ onBatch: () => (batches += 1) }).run()
      assert.equal((await tags.execute()).length, rows.length)
      assert.equal(batches, 2)
    })
  },
  { isStarted: false },
)

onEachDatabase(
  'the daily email of a Mautic, where there is no default transport,',
  (shared) => {
    let catcher: MailCatcher
    before(async () => {
      catcher = await startMailCatcher()
    })
    after(async () => {
      await closeMautics()
      await catcher.stop()
    })
    const ask = (...asked: Parameters<typeof shared.service.ask>) => shared.service.ask(...asked)
    const untilMorning = () => {
      const ready = shared.clock.now() + 40 * minuteMs
      const morning = Math.floor(ready / dayMs) * dayMs + 6 * hourMs + minuteMs
      shared.clock.advance((morning < ready ? morning + dayMs : morning) - shared.clock.now())
    }

    test("goes through the Mautic's own transport, and its refusal is none of the Mautic's", async () => {
      const mautic = await addMautic(shared.service)
      const { body } = await ask('POST', '/api/multipleTransports/new', {
        name: 'own',
        mailerDsn: catcher.dsn,
        mautic: mautic.id,
      })
      const path = `/api/mautics/${mautic.id}/edit`
      assert.equal((await ask('PATCH', path, { transportId: body.id })).status, 200)
      await edit(shared, mautic, 'ops@rcpt.test')
      const marks = shared.service.app.storage.tables<MauticTables>()
      await until(
        async () =>
          (await marks.selectFrom('mautic_refusal_marks').selectAll().execute()).length > 0,
        'it is noted from when on',
      )
      shared.clock.advance(minuteMs)
      await logRefusals(shared, mautic, [{ started_at: shared.clock.now() }])
      untilMorning()
      await until(() => catcher.mails.length > 0, 'the email arrives')
      assert.deepEqual(
        catcher.mails.map(({ to }) => to),
        [['ops@rcpt.test']],
      )
      const address = 'refuse-554.ops@rcpt.test'
      await edit(shared, mautic, address)
      await logRefusals(shared, mautic, [{ started_at: shared.clock.now() }])
      untilMorning()
      const deliveries = async () =>
        (await ask('GET', `/api/deliveries?recipient=${address}&outcome=refused`)).body.deliveries
      await until(async () => (await deliveries()).length > 0, 'the email is refused')
      const [delivery] = await deliveries()
      assert.deepEqual([delivery.mautic, delivery.transport], [null, 'own'])
      const refusals = await ask('GET', `/api/mautics/${mautic.id}/refusals`)
      assert.equal(refusals.body.total, 2)
    })
  },
  { intervals: quickIntervals },
)
