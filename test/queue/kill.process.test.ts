import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type TestDatabase, testDatabases } from '../databases.ts'
import { type MailyardProcess, quickMain, startMailyard } from '../mailyard-process.ts'
import { type RecordingSink, startRecordingSink } from '../recording-sink.ts'
import type { TestBody } from '../test-app.ts'
import { until } from '../until.ts'
import { volume } from '../volume.ts'
import { askService, deliveriesTo, queueSettings, submitEach } from './services.ts'

const rounds = volume({ short: 1, full: 10 })
const count = volume({ short: 500, full: 3_000 })
/** The most messages that one process sends at the same time. */
const windowMax = 60

for (const { name, createMigrated } of testDatabases) {
  // SQLite is for one process; PostgreSQL for any number.
  const processCount = name === 'PostgreSQL' ? 2 : 1
  describe(`a queue whose ${processCount === 1 ? 'process is' : 'processes are'} killed, on ${name}`, () => {
    let database: TestDatabase
    let sink: RecordingSink
    const running: MailyardProcess[] = []
    const launch = async () => {
      const env = queueSettings(sink.dsn)
      running.push(await startMailyard({ databaseUrl: database.url, env, main: quickMain }))
    }
    const one = () => running[0] ?? assert.fail('none runs')
    before(async () => {
      database = await createMigrated()
      sink = await startRecordingSink(30)
      for (let started = 0; started < processCount; started++) await launch()
    })
    after(async () => {
      for (const each of running) {
        each.thaw()
        await each.stop()
      }
      await sink.stop()
      await database.drop()
    })

    const addressesOf = (prefix: string) =>
      Array.from({ length: count }, (_, index) => `${prefix}-${index}@example.com`)
    const untilSent = (sent: number) =>
      until(() => sink.messages.length > sent, `${sent} messages are sent`)
    /** Waits until no message waits for an attempt. */
    const untilIdle = () =>
      until(async () => {
        const { total } = await askService(one(), 'GET', '/api/queue')
        return total.queued + total.deferred + total.sending === 0
      }, 'none waits')
    const byRecipient = () => Map.groupBy(sink.messages, ({ recipient }) => recipient)
    /** A busy machine may stop a process for so long that it expires. It then sends nothing more, and another one tries. */
    const isAttempt = ({ outcome, reason }: TestBody) =>
      outcome !== 'deferred' || !/^The message was not sent/.test(reason)

    test('killed at any moment, no message is lost or sent twice, and the log agrees', async () => {
      await submitEach(one(), addressesOf('killed'))
      for (let round = 0; round < rounds; round++) {
        await untilSent((0.8 * count * (round + Math.random())) / rounds)
        const victim = running.splice(Math.floor(Math.random() * running.length), 1)[0]
        victim?.kill('SIGKILL')
        await victim?.ended
        await launch()
      }
      await untilIdle()
      const deliveries = (await deliveriesTo(one(), 'killed-')).filter(isAttempt)
      assert.equal(deliveries.length, count, 'one delivery for each message')
      const arrived = byRecipient()
      for (const { recipient, outcome } of deliveries) {
        const times = arrived.get(recipient)?.length ?? 0
        if (outcome === 'accepted') assert.equal(times, 1, recipient)
        else assert.equal(outcome, 'uncertain', recipient)
        assert.ok(times <= 1, `${recipient} got it ${times} times`)
      }
      const uncertain = deliveries.filter(({ outcome }) => outcome === 'uncertain')
      assert.ok(uncertain.length <= rounds * windowMax, `${uncertain.length} are uncertain`)
      // Each is settled by what arrived: only the missing messages are sent again.
      for (const { id, recipient } of uncertain) {
        const outcome = arrived.has(recipient) ? 'accepted' : 'deferred'
        await askService(one(), 'POST', `/api/deliveries/${id}/settle`, { outcome })
      }
      await until(() => byRecipient().size === count, 'the missing messages are sent')
      await untilIdle()
      assert.equal(sink.messages.length, count)
    })
  })
}
