import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { type RecordingSink, startRecordingSink } from '../broadcasts/recording-sink.ts'
import { askService, furnish, untilBroadcast } from '../broadcasts/service-client.ts'
import { type TestDatabase, testDatabases } from '../databases.ts'
import { apiSettings, type MailyardProcess, startMailyard } from '../mailyard-process.ts'
import { volume } from '../volume.ts'

const perSecond = 100
const processCount = 4
const perSecondMin = 85
/** The throughput is that of the best span of this length. */
const bestMs = 4_000
const roundsMax = 4
const messageCount = volume({ short: 1_000, full: 6_000 })

describe('a limit that four processes share on PostgreSQL', () => {
  let database: TestDatabase
  let sink: RecordingSink
  let processes: MailyardProcess[] = []
  before(async () => {
    const postgres = testDatabases.find(({ name }) => name === 'PostgreSQL')
    assert.ok(postgres !== undefined)
    database = await postgres.create()
    sink = await startRecordingSink(5)
    const start = () => startMailyard({ databaseUrl: database.url, env: apiSettings })
    // The first one migrates the database.
    processes = [await start()]
    for (let count = 1; count < processCount; count++) processes.push(await start())
  })
  after(async () => {
    await Promise.all(processes.map((each) => each.stop()))
    await sink.stop()
    await database.drop()
  })

  /** Sends a broadcast; returns when its messages arrived. */
  const broadcast = async (segment: string, dsn: string, limit?: object): Promise<number[]> => {
    const url = processes[0]?.url ?? ''
    const before = sink.messages.length
    const emailId = await furnish(url, { dsn, segment, count: messageCount })
    if (limit !== undefined) {
      const path = `/api/multipleTransports?search=${segment}`
      const transports: { id: number }[] = await askService(url, 'GET', path)
      const ids = transports.map(({ id }) => id)
      await askService(url, 'POST', '/api/limits/new', { name: segment, transports: ids, ...limit })
      // The other processes apply it after one second at the latest.
      await setTimeout(1_100)
    }
    const { job } = await askService(url, 'POST', `/api/emails/${emailId}/send`, { segment })
    await untilBroadcast(() => url, job.id, { status: 'done', timeoutMs: 300_000 })
    const times = sink.messages.slice(before).map(({ receivedAt }) => receivedAt)
    assert.equal(times.length, messageCount)
    return times
  }

  /** Repeats a broadcast until one of them is quick: this machine may have other work. Each must be exact. */
  const assertExact = async (
    send: (round: number) => Promise<number[]>,
    note: (text: string) => void,
  ) => {
    let best = 0
    for (let round = 1; round <= roundsMax && best < perSecondMin; round++) {
      const times = await send(round)
      const most = mostWithin(times, 1_000)
      assert.ok(most <= perSecond, `${most} in a second`)
      best = mostWithin(times, bestMs) / (bestMs / 1_000)
      note(`${most} in a second at most, ${best.toFixed(1)} a second in the best ${bestMs} ms`)
    }
    assert.ok(best >= perSecondMin, `${best.toFixed(1)} a second`)
  }

  test('no second has more messages than perSecond, and at least 85 of 100 are used', async (t) => {
    const send = (round: number) => broadcast(`by-limit-${round}`, sink.dsn, { perSecond })
    await assertExact(send, (text) => t.diagnostic(text))
  })

  test('no second has more messages than max_per_second of the DSN, and at least 85 of 100 are used', async (t) => {
    const dsn = `${sink.dsn}?max_per_second=${perSecond}`
    await assertExact(
      (round) => broadcast(`by-dsn-${round}`, dsn),
      (text) => t.diagnostic(text),
    )
  })
})

/** The most times in any span of this length. */
function mostWithin(times: readonly number[], spanMs: number): number {
  const inSpan = (from: number) =>
    times.filter((each) => each >= from && each < from + spanMs).length
  return Math.max(...times.map(inSpan))
}
