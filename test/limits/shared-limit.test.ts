import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { addTransport, uniqueName } from '../callers.ts'
import { type TestDatabase, testDatabases } from '../databases.ts'
import { submitMessage } from '../mautics.ts'
import { type RecordingSink, startRecordingSink } from '../recording-sink.ts'
import { openTestApp, type TestApp } from '../test-app.ts'
import { until } from '../until.ts'
import { volume } from '../volume.ts'

const perSecond = 100
const connectionsMax = 3
const appCount = 4
const messageCount = volume({ short: 250, full: 6_000 })

// How much of a limit is used is tested in virtual time, in `src/limits/lease/`.
describe('a limit that four Mailyards share on PostgreSQL', () => {
  let database: TestDatabase
  let sink: RecordingSink
  /** Has no connections of other tests. */
  let limitedSink: RecordingSink
  let transportWithRate: number
  let transportWithConnections: number
  const services: TestApp[] = []
  before(async () => {
    const postgres = testDatabases.find(({ name }) => name === 'PostgreSQL')
    assert.ok(postgres !== undefined)
    database = await postgres.createMigrated()
    sink = await startRecordingSink(5)
    limitedSink = await startRecordingSink(5)
    services.push(await openTestApp({ database }))
    transportWithRate = await addLimited(sink, { perSecond })
    transportWithConnections = await addLimited(limitedSink, { connectionsMax })
    // They apply the limits from their start on.
    while (services.length < appCount) services.push(await openTestApp({ database }))
  })
  after(async () => {
    for (const service of services) await service.close()
    await sink.stop()
    await limitedSink.stop()
    await database.drop()
  })

  const addSending = async (mailerDsn: string): Promise<number> =>
    (await addTransport(services[0] ?? assert.fail(), { mailerDsn })).id

  /** Adds a transport with a limit; returns its id. */
  const addLimited = async ({ dsn }: RecordingSink, values: object) => {
    const id = await addSending(dsn)
    const limit = { name: 'shared', transports: [id], ...values }
    const answer = await services[0]?.ask('POST', '/api/limits/new', limit)
    assert.equal(answer?.status, 201, answer?.text)
    return id
  }

  /** Submits messages to all processes at once; returns when they arrived at the sink. */
  const submitAll = async (transportId: number, { messages }: RecordingSink): Promise<number[]> => {
    const before = messages.length
    const submit = async (service: TestApp, index: number) => {
      const to = `${uniqueName('shared')}@example.com`
      const text = `X-Mailyard-Transport: ${transportId}\nMessage-ID: <${index}.${to}>\n\nHello`
      await submitMessage(service, undefined, { to, text, mode: 'queue' })
    }
    const all = Array.from({ length: messageCount }, (_, index) =>
      submit(services[index % appCount] ?? assert.fail(), index),
    )
    await Promise.all(all)
    const isComplete = () => messages.length - before >= messageCount
    await until(isComplete, 'all messages arrived')
    const times = messages.slice(before).map(({ receivedAt }) => receivedAt)
    assert.equal(times.length, messageCount)
    return times
  }

  test('no second has more messages than perSecond', async () => {
    const most = mostWithin(await submitAll(transportWithRate, sink), 1_000)
    assert.ok(most <= perSecond, `${most} in a second`)
  })

  test('no second has more messages than max_per_second of the DSN', async () => {
    const transportId = await addSending(`${sink.dsn}?max_per_second=${perSecond}`)
    const most = mostWithin(await submitAll(transportId, sink), 1_000)
    assert.ok(most <= perSecond, `${most} in a second`)
  })

  test('no more connections are open than connectionsMax', async () => {
    await submitAll(transportWithConnections, limitedSink)
    const { most } = limitedSink.connections
    assert.ok(most <= connectionsMax, `${most} connections`)
  })
})

/** The most times in any span of this length. */
function mostWithin(times: readonly number[], spanMs: number): number {
  const inSpan = (from: number) =>
    times.filter((each) => each >= from && each < from + spanMs).length
  return Math.max(...times.map(inSpan))
}
