import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { uniqueName } from '../../../test/callers.ts'
import { onEachDatabase, type SharedApp } from '../../../test/on-each-database.ts'
import { type RecordingSink, startRecordingSink } from '../../../test/recording-sink.ts'
import { createSendFixture } from '../../../test/send-fixture.ts'
import type { TestApp } from '../../../test/test-app.ts'
import { until } from '../../../test/until.ts'

const define = (shared: SharedApp) => {
  let sink: RecordingSink | undefined
  let other: TestApp
  before(async () => {
    other = await shared.openAnother()
  })
  after(() => sink?.stop())

  const fixture = createSendFixture(() => shared.service)
  /** Returns functions that send an email through one of two transports with a limit, in one of two processes. */
  const limited = async (values: object, query = '') => {
    await sink?.stop()
    sink = await startRecordingSink(20)
    const mailerDsn = sink.dsn + query
    const transports = [await fixture.transport(mailerDsn), await fixture.transport(mailerDsn)]
    const emails = await Promise.all(transports.map((id) => fixture.email(id)))
    const limit = { name: uniqueName('limit'), transports, ...values }
    const { limit: created } = await shared.askFor('POST', '/api/limits/new', limit)
    await other.app.limiter.reload()
    const [contact] = await fixture.contacts(1)
    const sends = [shared.service, other].flatMap((service) =>
      emails.map((id) => async () => {
        const path = `/api/emails/${id}/contact/${contact?.id}/send`
        // Where its second ends before it is sent, it is stored, and sent in a later one.
        assert.equal((await service.ask('POST', path, {})).body.success, true)
      }),
    )
    return { sink, limitId: created.id, sends }
  }

  test('gives the idle connection of one transport or process to the next that needs it', async () => {
    const { sink, sends, limitId } = await limited({ connectionsMax: 1 })
    for (const send of sends) await send()
    assert.equal(sink.connections.most, 1)
    const { usage } = (await shared.ask('GET', `/api/limits/${limitId}`)).body.limit
    assert.equal(usage.connections.max, 1)
    assert.ok(usage.connections.used <= 1)
  })

  const perSecond = 20
  /** Sends more than two seconds allow, all at once; returns the most that arrived within a second. */
  const sendAll = async ({ messages }: RecordingSink, sends: readonly (() => Promise<void>)[]) => {
    const count = 3 * perSecond
    const turns = Array.from({ length: count / sends.length }, () => sends).flat()
    await Promise.all(turns.map((send) => send()))
    const isMoreThan = (seen: number) => () => messages.length > seen
    for (let seen = 0; seen < count; seen = messages.length)
      await until(isMoreThan(seen), 'the next has arrived')
    const times = messages.map(({ receivedAt }) => receivedAt)
    const within = (from: number) => times.filter((at) => at >= from && at < from + 1_000).length
    return Math.max(...times.map(within))
  }

  test('is exceeded neither in connections nor in any second, whatever both processes send at once', async () => {
    const { sink, sends } = await limited({ connectionsMax: 3, perSecond })
    const most = await sendAll(sink, sends)
    assert.ok(most <= perSecond, `${most} in a second`)
    assert.ok(sink.connections.most <= 3, `${sink.connections.most} connections`)
  })

  test('holds both processes together to max_per_second of a DSN', async () => {
    const { sink, sends } = await limited({ perDay: 1_000 }, `?max_per_second=${perSecond}`)
    const most = await sendAll(
      sink,
      sends.filter((_, index) => index % 2 === 0),
    )
    assert.ok(most <= perSecond, `${most} in a second`)
  })
}

onEachDatabase(
  'a limit that two transports and two processes share',
  {
    isConcurrent: true,
    // A send that is not answered in time is stored.
    config: { smtpWaitSeconds: 600 },
  },
  define,
)
