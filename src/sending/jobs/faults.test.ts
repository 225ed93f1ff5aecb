import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { createJobWorld, createMovableClock } from '../../../test/sending-jobs/job-world.ts'
import { useScriptedServer } from '../../../test/sending-jobs/scripted-server.ts'
import type { ContactTables } from '../../contacts/index.ts'
import type { EmailTables } from '../../emails/index.ts'

const clock = createMovableClock()

onEachDatabase(
  'a fault of which nobody thought',
  (shared) => {
    const world = createJobWorld(() => shared.yard)
    const server = useScriptedServer()
    const db = () => shared.yard.app.storage.tables<EmailTables & ContactTables>()
    const faultsLogged = () =>
      shared.yard.logged.filter((line) => line.includes('a sending met a fault'))
    const setHeaders = (emailId: number, headers: string) =>
      db().updateTable('emails').set({ headers }).where('id', '=', emailId).execute()
    const setTags = (contactId: number, tags: string) =>
      db().updateTable('contacts').set({ tags }).where('id', '=', contactId).execute()

    test('holds up one sending, and no other; it goes on once it is mended', async () => {
      const transport = await world.transport(server.dsn)
      const [broken, sound] = [await world.email(transport), await world.email(transport)]
      const [first, second] = [await world.segment(30), await world.segment(30)]
      const held = await world.send(broken, { segment: first.segment })
      const free = await world.send(sound, { segment: second.segment })
      await setHeaders(broken, 'damaged')
      await shared.yard.app.start()
      const done = await world.until(free, ({ status }) => status === 'done')
      assert.equal(done.accepted, 30)
      const waiting = await world.until(held, ({ problem }) => problem !== null)
      assert.match(waiting.problem, /log/)
      assert.deepEqual([waiting.status, waiting.queued], ['running', 30])
      assert.ok(faultsLogged().length < 10, 'the log is not filled with it')
      await setHeaders(broken, '{}')
      clock.advance(600_000)
      const mended = await world.until(held, ({ status }) => status === 'done')
      assert.deepEqual([mended.accepted, mended.problem], [30, null])
    })

    test('with one contact holds up no other contact, and loses nobody', async () => {
      const emailId = await world.email(await world.transport(server.dsn))
      const { segment, contacts } = await world.segment(30)
      const odd = contacts[3]?.id ?? 0
      await setTags(odd, 'damaged')
      const id = await world.send(emailId, { segment })
      const rest = await world.until(id, ({ accepted }) => accepted === 29)
      assert.deepEqual([rest.status, rest.queued], ['running', 1])
      await setTags(odd, '[]')
      clock.advance(600_000)
      const done = await world.until(id, ({ status }) => status === 'done')
      assert.deepEqual([done.accepted, done.problem], [30, null])
    })
  },
  // Broadcasts begin once an email is damaged that was sound when they were made.
  { clock, isStarted: false },
)

/** More than are looked after at once. */
const manySendings = 25

onEachDatabase(
  'a fault that many sendings meet at once',
  (shared) => {
    const world = createJobWorld(() => shared.yard)

    test('is met by each once, for as long as it is left alone', async () => {
      const db = shared.yard.app.storage.tables<EmailTables>()
      const transport = await world.transport('null://null')
      const emails = await Promise.all(
        Array.from({ length: manySendings }, () => world.email(transport)),
      )
      const { segment } = await world.segment(1)
      const ids = await Promise.all(emails.map((email) => world.send(email, { segment })))
      await db.updateTable('emails').set({ headers: 'damaged' }).where('id', 'in', emails).execute()
      await shared.yard.app.start()
      for (const id of ids) await world.until(id, ({ problem }) => problem !== null)
      await setTimeout(3_000)
      const said = shared.yard.logged.filter((line) => line.includes('a sending met a fault'))
      assert.equal(said.length, manySendings)
    })
  },
  // Time stands still.
  { clock: { now: () => 1_700_000_000_000 }, isStarted: false },
)

let isClockBroken = false

onEachDatabase(
  'an outcome that cannot be worked out at first',
  (shared) => {
    const world = createJobWorld(() => shared.yard)
    const server = useScriptedServer()

    test('is kept until it can be, and written down as it was', async () => {
      const emailId = await world.email(await world.transport(server.dsn))
      const { contacts } = await world.segment(2)
      const [late, fine] = contacts.map(({ email }) => email)
      server.act = (recipient) => {
        if (recipient !== late) return undefined
        isClockBroken = true
        return { code: 450, text: '4.2.0 later' }
      }
      const id = await world.send(emailId, { contactIds: contacts.map((contact) => contact.id) })
      while (!shared.yard.logged.some((line) => line.includes('outcome cannot be worked out')))
        await setTimeout(20)
      isClockBroken = false
      const settled = await world.until(
        id,
        ({ accepted, nextAttempt }) => accepted === 1 && nextAttempt !== null,
      )
      assert.deepEqual([settled.queued, settled.uncertain], [1, 0])
      const listed = await world.deliveries(`sendingId=${id}`)
      const outcomes = listed.map(({ recipient, outcome }) => [recipient, outcome])
      assert.deepEqual(
        outcomes.sort(),
        [
          [late, 'refused'],
          [fine, 'accepted'],
        ].sort(),
      )
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
