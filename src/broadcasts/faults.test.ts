import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { createBroadcastFixture, quickIntervals } from '../../test/broadcasts/broadcast-fixture.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { refuseText } from '../../test/refuse-text.ts'
import { useScriptedServer } from '../../test/scripted-server.ts'
import { until } from '../../test/until.ts'
import type { ContactTables } from '../contacts/index.ts'
import type { EmailTables } from '../emails/index.ts'

onEachDatabase(
  'an unexpected error',
  (shared) => {
    const { clock } = shared
    const fixture = createBroadcastFixture(() => shared.service)
    const server = useScriptedServer()
    const db = () => shared.service.app.storage.tables<EmailTables & ContactTables>()
    const faultsLogged = () =>
      shared.service.logged.filter((line) => line.includes('broadcast failed'))
    const setHeaders = (emailId: number, headers: string) =>
      db().updateTable('emails').set({ headers }).where('id', '=', emailId).execute()
    const setTags = (contactId: number, tags: string) =>
      db().updateTable('contacts').set({ tags }).where('id', '=', contactId).execute()

    test('stops one broadcast and no other, until it is fixed', async () => {
      const transport = await fixture.transport(server.dsn)
      const [broken, sound] = [await fixture.email(transport), await fixture.email(transport)]
      const [first, second] = [await fixture.segment(30), await fixture.segment(30)]
      const held = await fixture.send(broken, { segment: first.segment })
      const free = await fixture.send(sound, { segment: second.segment })
      await setHeaders(broken, 'damaged')
      await shared.service.app.start()
      const done = await fixture.until(free, ({ state }) => state === 'done')
      assert.equal(done.accepted, 30)
      const waiting = await fixture.until(held, ({ problem }) => problem !== null)
      assert.match(waiting.problem, /log/)
      assert.deepEqual([waiting.state, waiting.queued], ['running', 30])
      assert.ok(faultsLogged().length < 10, 'the log is not filled with it')
      await setHeaders(broken, '{}')
      clock.advance(600_000)
      const fixed = await fixture.until(held, ({ state }) => state === 'done')
      assert.deepEqual([fixed.accepted, fixed.problem], [30, null])
    })

    test('with one contact delays no other contact, and loses none', async () => {
      const emailId = await fixture.email(await fixture.transport(server.dsn))
      const { segment, contacts } = await fixture.segment(30)
      const odd = contacts[3]?.id ?? 0
      await setTags(odd, 'damaged')
      const id = await fixture.send(emailId, { segment })
      const rest = await fixture.until(id, ({ accepted }) => accepted === 29)
      assert.deepEqual([rest.state, rest.queued], ['running', 1])
      await setTags(odd, '[]')
      clock.advance(600_000)
      const done = await fixture.until(id, ({ state }) => state === 'done')
      assert.deepEqual([done.accepted, done.problem], [30, null])
    })
  },
  // The app is started after an email was damaged that was valid when its broadcast was created.
  { intervals: quickIntervals, isStarted: false },
)

/** More than a worker handles at a time. */
const manyBroadcasts = 25

onEachDatabase(
  'an unexpected error of many broadcasts',
  (shared) => {
    const fixture = createBroadcastFixture(() => shared.service)

    test('is logged once for each during its back-off', async () => {
      const db = shared.service.app.storage.tables<EmailTables>()
      const transport = await fixture.transport('null://null')
      const emails = await Promise.all(
        Array.from({ length: manyBroadcasts }, () => fixture.email(transport)),
      )
      const { segment } = await fixture.segment(1)
      const ids = await Promise.all(emails.map((email) => fixture.send(email, { segment })))
      await db.updateTable('emails').set({ headers: 'damaged' }).where('id', 'in', emails).execute()
      await shared.service.app.start()
      for (const id of ids) await fixture.until(id, ({ problem }) => problem !== null)
      await setTimeout(20 * quickIntervals.idleMs)
      const said = shared.service.logged.filter((line) => line.includes('broadcast failed'))
      assert.equal(said.length, manyBroadcasts)
    })
  },
  // The clock does not advance.
  { clock: { now: () => 1_700_000_000_000 }, intervals: quickIntervals, isStarted: false },
)

let isClockBroken = false

onEachDatabase(
  'an outcome that cannot be processed at first',
  (shared) => {
    const fixture = createBroadcastFixture(() => shared.service)
    const server = useScriptedServer()

    test('is kept until it can be, and stored unchanged', async () => {
      const emailId = await fixture.email(await fixture.transport(server.dsn))
      const { contacts } = await fixture.segment(2)
      const [late, fine] = contacts.map(({ email }) => email)
      let wasClockBroken = false
      server.act = (recipient) => {
        if (recipient !== late) return undefined
        isClockBroken = !wasClockBroken
        wasClockBroken = true
        return { code: 450, text: '4.2.0 later' }
      }
      const id = await fixture.send(emailId, { contactIds: contacts.map((contact) => contact.id) })
      const failed = 'outcomes of queued messages not written'
      await until(() => shared.service.logged.some((line) => line.includes(failed)), failed)
      isClockBroken = false
      const settled = await fixture.until(
        id,
        ({ accepted, nextAttempt }) => accepted === 1 && nextAttempt !== null,
      )
      assert.deepEqual([settled.queued, settled.uncertain], [1, 0])
      const listed = await fixture.deliveries(`broadcastId=${id}`)
      const outcomes = listed.map(({ recipient, outcome }) => [recipient, outcome])
      // The other message may have needed the clock meanwhile: it is then sent with the second attempt of the late one.
      const attempts = server.asked.filter((recipient) => recipient === late)
      const deferred = attempts.map((recipient) => [recipient, 'deferred'])
      assert.deepEqual(outcomes.sort(), [...deferred, [fine, 'accepted']].sort())
    })
  },
  {
    clock: {
      now() {
        if (isClockBroken) throw new Error('The clock is broken.')
        return Date.now()
      },
    },
  },
)

onEachDatabase('an outcome that the database cannot store', (shared) => {
  const fixture = createBroadcastFixture(() => shared.service)
  const server = useScriptedServer()

  test('is stored without the words of the server; the others are stored with them', async () => {
    await refuseText(shared.service.app.storage, 'unstorable')
    const emailId = await fixture.email(await fixture.transport(server.dsn))
    const { contacts } = await fixture.segment(3)
    const odd = contacts[1]?.email
    server.act = (recipient) =>
      recipient === odd ? { code: 550, text: '5.1.1 unstorable' } : undefined
    const id = await fixture.send(emailId, { contactIds: contacts.map((contact) => contact.id) })
    const done = await fixture.until(id, ({ state }) => state === 'done')
    assert.deepEqual([done.accepted, done.refused, done.uncertain], [2, 1, 0])
    const listed = await fixture.deliveries(`broadcastId=${id}`)
    const refused = listed.filter(({ outcome }) => outcome === 'refused')
    assert.deepEqual(
      refused.map(({ recipient, reply }) => [recipient, reply]),
      [[odd, null]],
    )
    assert.match(refused[0]?.reason ?? '', /only the outcome is recorded/)
    const others = listed.filter(({ outcome }) => outcome === 'accepted')
    assert.ok(others.every(({ reply }) => reply !== null))
  })
})
