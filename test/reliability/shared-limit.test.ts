import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { type BroadcastFixture, createBroadcastFixture } from '../broadcasts/broadcast-fixture.ts'
import { type RecordingSink, startRecordingSink } from '../broadcasts/recording-sink.ts'
import { type TestDatabase, testDatabases } from '../databases.ts'
import { openTestApp, type TestApp } from '../test-app.ts'
import { volume } from '../volume.ts'

const perSecond = 100
const connectionsMax = 3
const appCount = 4
const messageCount = volume({ short: 250, full: 6_000 })
/** After this time, each process applies a new limit. */
const limitStaleMs = 1_000

// How much of a limit is used is tested in virtual time, in `src/limits/lease/`.
describe('a limit that four Mailyards share on PostgreSQL', () => {
  let database: TestDatabase
  let sink: RecordingSink
  let fixture: BroadcastFixture
  const services: TestApp[] = []
  before(async () => {
    const postgres = testDatabases.find(({ name }) => name === 'PostgreSQL')
    assert.ok(postgres !== undefined)
    database = await postgres.createMigrated()
    sink = await startRecordingSink(5)
    for (let count = 0; count < appCount; count++) services.push(await openTestApp({ database }))
    fixture = createBroadcastFixture(() => services[0] as TestApp)
  })
  after(async () => {
    for (const service of services) await service.close()
    await sink.stop()
    await database.drop()
  })

  /** Sends a broadcast through a transport; returns when its messages arrived. */
  const broadcast = async (transportId: number): Promise<number[]> => {
    const before = sink.messages.length
    const emailId = await fixture.email(transportId)
    const { segment } = await fixture.segment(messageCount)
    const id = await fixture.send(emailId, { segment })
    await fixture.until(id, ({ status }) => status === 'done')
    const times = sink.messages.slice(before).map(({ receivedAt }) => receivedAt)
    assert.equal(times.length, messageCount)
    return times
  }

  /** Creates a limit, and waits until all processes apply it. */
  const limit = async (values: object) => {
    const answer = await services[0]?.ask('POST', '/api/limits/new', { name: 'shared', ...values })
    assert.equal(answer?.status, 201, answer?.text)
    await setTimeout(limitStaleMs + 100)
  }

  test('no second has more messages than perSecond', async () => {
    const transportId = await fixture.transport(sink.dsn)
    await limit({ transports: [transportId], perSecond })
    const most = mostWithin(await broadcast(transportId), 1_000)
    assert.ok(most <= perSecond, `${most} in a second`)
  })

  test('no second has more messages than max_per_second of the DSN', async () => {
    const dsn = `${sink.dsn}?max_per_second=${perSecond}`
    const most = mostWithin(await broadcast(await fixture.transport(dsn)), 1_000)
    assert.ok(most <= perSecond, `${most} in a second`)
  })

  test('no more connections are open than connectionsMax', async () => {
    // Without the connections of the tests before.
    await sink.stop()
    sink = await startRecordingSink(5)
    const transportId = await fixture.transport(sink.dsn)
    await limit({ transports: [transportId], connectionsMax })
    await broadcast(transportId)
    assert.ok(sink.connections.most <= connectionsMax, `${sink.connections.most} connections`)
  })
})

/** The most times in any span of this length. */
function mostWithin(times: readonly number[], spanMs: number): number {
  const inSpan = (from: number) =>
    times.filter((each) => each >= from && each < from + spanMs).length
  return Math.max(...times.map(inSpan))
}
