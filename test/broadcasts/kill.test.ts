import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type TestDatabase, testDatabases } from '../databases.ts'
import { apiSettings, type MailyardProcess, quickMain, startMailyard } from '../mailyard-process.ts'
import { type RecordingSink, startRecordingSink } from '../recording-sink.ts'
import { until } from '../until.ts'
import { volume } from '../volume.ts'
import { allDeliveries, askService, furnish, untilBroadcast } from './service-client.ts'

const rounds = volume({ short: 1, full: 10 })
const contactCount = volume({ short: 800, full: 3_000 })
/** The most messages that one process sends at the same time. */
const windowMax = 60

for (const { name, createMigrated } of testDatabases) {
  // SQLite is for one process; PostgreSQL for any number.
  const processCount = name === 'PostgreSQL' ? 2 : 1
  describe(`broadcasts whose ${processCount === 1 ? 'process is' : 'processes are'} killed, on ${name}`, () => {
    let database: TestDatabase
    let sink: RecordingSink
    const running: MailyardProcess[] = []
    const launch = async () => {
      const started = await startMailyard({
        databaseUrl: database.url,
        env: apiSettings,
        main: quickMain,
      })
      running.push(started)
      return started
    }
    const url = () => running[0]?.url ?? ''
    before(async () => {
      database = await createMigrated()
      sink = await startRecordingSink(30)
      for (let count = 0; count < processCount; count++) await launch()
    })
    after(async () => {
      for (const each of running) {
        each.thaw()
        await each.stop()
      }
      await sink.stop()
      await database.drop()
    })

    const untilSent = (count: number) =>
      until(() => sink.messages.length > count, `${count} messages are sent`)
    const countByRecipient = () => {
      const counts = new Map<string, number>()
      for (const { recipient } of sink.messages)
        counts.set(recipient, (counts.get(recipient) ?? 0) + 1)
      return counts
    }

    test('killed at any moment, no message is lost or sent twice, and the log agrees', async (t) => {
      const segment = 'killed'
      const emailId = await furnish(url(), { dsn: sink.dsn, segment, count: contactCount })
      const { job } = await askService(url(), 'POST', `/api/emails/${emailId}/send`, { segment })
      let kills = 0
      for (let round = 0; round < rounds; round++) {
        await untilSent((0.8 * contactCount * (round + Math.random())) / rounds)
        const victim = running.splice(Math.floor(Math.random() * running.length), 1)[0]
        victim?.kill('SIGKILL')
        await victim?.ended
        kills += 1
        await launch()
      }
      const broadcast = await untilBroadcast(url, job.id, { state: 'done' })
      const counts = countByRecipient()
      const all = await allDeliveries(url(), job.id)
      // A busy machine may stop a process for so long that it expires. It then sends nothing more, and the other one tries.
      const deliveries = all.filter(({ outcome, reason }) => {
        const isWithdrawn = outcome === 'deferred' && /^The message was not sent/.test(reason)
        return !isWithdrawn
      })
      const outcomes = new Map(deliveries.map((each) => [each.recipient, each]))
      assert.equal(deliveries.length, contactCount, 'one delivery for each contact')
      assert.equal(outcomes.size, contactCount)
      let arrivedInDoubt = 0
      for (const [recipient, { outcome, messageId }] of outcomes) {
        const arrived = counts.get(recipient) ?? 0
        if (outcome === 'accepted') assert.equal(arrived, 1, recipient)
        else assert.equal(outcome, 'uncertain', recipient)
        assert.ok(arrived <= 1, `${recipient} got it ${arrived} times`)
        if (outcome === 'uncertain') arrivedInDoubt += arrived
        const there = sink.messages.find((message) => message.recipient === recipient)
        if (there !== undefined) assert.equal(messageId, there.messageId)
      }
      assert.deepEqual(
        [broadcast.total, broadcast.refused, broadcast.remaining],
        [contactCount, 0, 0],
      )
      assert.ok(broadcast.uncertain <= kills * windowMax, `${broadcast.uncertain} are uncertain`)
      t.diagnostic(
        `${kills} kills: ${broadcast.accepted} accepted, ${broadcast.uncertain} uncertain, of whom ${arrivedInDoubt} had it`,
      )
      await settleAsNotArrived(
        deliveries.filter(({ outcome }) => outcome === 'uncertain'),
        job.id,
      )
    })

    /** Settles each uncertain delivery by what the sink received: only the missing messages are sent again. */
    async function settleAsNotArrived(
      uncertain: { id: number; recipient: string }[],
      jobId: number,
    ) {
      const counts = countByRecipient()
      for (const { id, recipient } of uncertain) {
        const outcome = counts.has(recipient) ? 'accepted' : 'deferred'
        await askService(url(), 'POST', `/api/deliveries/${id}/settle`, { outcome })
      }
      const broadcast = await untilBroadcast(url, jobId, { state: 'done' })
      assert.deepEqual([broadcast.accepted, broadcast.uncertain], [contactCount, 0])
      const final = countByRecipient()
      assert.equal(final.size, contactCount)
      assert.ok([...final.values()].every((count) => count === 1))
    }

    test('a process that resumes after it was taken for expired sends nothing twice and logs its results', {
      skip: processCount === 1 ? 'needs two processes' : false,
    }, async () => {
      const segment = 'frozen'
      const emailId = await furnish(url(), { dsn: sink.dsn, segment, count: contactCount })
      const { job } = await askService(url(), 'POST', `/api/emails/${emailId}/send`, { segment })
      await untilSent(contactCount + contactCount / 4)
      const frozen = running.at(-1)
      frozen?.freeze()
      const broadcast = await untilBroadcast(url, job.id, { state: 'done' })
      assert.ok(broadcast.uncertain <= windowMax)
      frozen?.thaw()
      // It logs what the server had accepted, and returns to the queue what it did not send in time.
      await untilUncertain(job.id, 0)
      const settled = await untilBroadcast(url, job.id, { state: 'done' })
      assert.deepEqual([settled.accepted, settled.total], [contactCount, contactCount])
      const deliveries = await allDeliveries(url(), job.id)
      const accepted = deliveries.filter(({ outcome }) => outcome === 'accepted')
      assert.equal(accepted.length, contactCount)
      const counts = countByRecipient()
      for (const { recipient } of deliveries) assert.equal(counts.get(recipient), 1, recipient)
    })

    async function untilUncertain(id: number, uncertain: number) {
      await until(async () => {
        const { broadcast } = await askService(url(), 'GET', `/api/broadcasts/${id}`)
        return broadcast.uncertain === uncertain
      }, `${uncertain} are uncertain`)
    }
  })
}
