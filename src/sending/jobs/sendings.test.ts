import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { addTemplate, addUser } from '../../../test/callers.ts'
import { onEachDatabase } from '../../../test/on-each-database.ts'
import { createJobWorld, createMovableClock } from '../../../test/sending-jobs/job-world.ts'
import {
  startScriptedServer,
  useScriptedServer,
} from '../../../test/sending-jobs/scripted-server.ts'

const hourMs = 3_600_000
const clock = createMovableClock()

onEachDatabase(
  'sending to many',
  (shared) => {
    const world = createJobWorld(() => shared.yard)
    const server = useScriptedServer()
    const calm = () => {
      server.act = () => undefined
      server.delayMs = 0
    }

    test('paused, nothing more leaves in a moment; resumed, it goes on; cancelled, the rest stays', async () => {
      calm()
      server.delayMs = 30
      const emailId = await world.email(await world.transport(server.dsn))
      const { segment, contacts } = await world.segment(500)
      const id = await world.send(emailId, { segment })
      await world.until(id, ({ accepted }) => accepted > 20)
      const paused = await world.act(id, 'pause')
      assert.equal(paused.status, 'paused')
      await setTimeout(400)
      const settled = await world.get(id)
      assert.ok(settled.accepted - paused.accepted <= 60, 'what was under way has ended')
      await setTimeout(300)
      assert.equal((await world.get(id)).accepted, settled.accepted)
      await world.act(id, 'resume')
      await world.until(id, ({ accepted }) => accepted > settled.accepted + 20)
      await world.act(id, 'cancel')
      await setTimeout(400)
      const cancelled = await world.get(id)
      assert.deepEqual([cancelled.status, cancelled.queued], ['cancelled', 0])
      assert.ok(cancelled.remaining > 0)
      const took = server.taken.filter((address) => address.startsWith(`${segment}-`))
      assert.equal(took.length, cancelled.accepted)
      assert.equal((await world.deliveries(`sendingId=${id}`)).length, cancelled.accepted)
      assert.equal((await shared.yard.ask('POST', `/api/sendings/${id}/resume`)).status, 409)
      server.delayMs = 0
      const rest = await world.send(emailId, { segment })
      const done = await world.until(rest, ({ status }) => status === 'done')
      assert.equal(done.accepted, contacts.length - cancelled.accepted, 'the next takes the rest')
      assert.equal(new Set(server.taken.filter((one) => one.startsWith(`${segment}-`))).size, 500)
    })

    test('two sendings of one email at once reach each contact once', async () => {
      calm()
      const emailId = await world.email(await world.transport(server.dsn))
      const { segment, contacts } = await world.segment(200)
      const contactIds = contacts.map(({ id }) => id)
      const ids = await Promise.all([
        world.send(emailId, { segment }),
        world.send(emailId, { contactIds: contactIds.slice(0, 150) }),
        world.send(emailId, { contactIds: contactIds.slice(50) }),
      ])
      const ended = await Promise.all(
        ids.map((id) => world.until(id, ({ status }) => status === 'done')),
      )
      const total = ended.reduce((sum, { accepted }) => sum + accepted, 0)
      assert.equal(total, 200)
      const took = server.taken.filter((address) => address.startsWith(`${segment}-`))
      assert.deepEqual([took.length, new Set(took).size], [200, 200])
    })

    test('without a transport it waits and says why; contacts are as they are when it goes on', async () => {
      calm()
      const emailId = await world.email(null)
      const { segment, contacts } = await world.segment(5)
      const id = await world.send(emailId, { segment })
      const waiting = await world.until(id, ({ problem }) => problem !== null)
      assert.match(waiting.problem, /no transport/)
      assert.deepEqual([waiting.status, waiting.queued], ['running', 5])
      const [gone, hidden, moved, emptied, same] = contacts
      const edit = (contactId: number | undefined, change: object) =>
        shared.yard.ask('PATCH', `/api/contacts/${contactId}/edit`, change)
      await shared.yard.ask('DELETE', `/api/contacts/${gone?.id}/delete`)
      await edit(hidden?.id, { isPublished: false })
      await edit(moved?.id, { email: `moved-${segment}@example.com` })
      await edit(emptied?.id, { email: '' })
      await world.assign(emailId, await world.transport(server.dsn))
      const done = await world.until(id, ({ status }) => status === 'done')
      assert.deepEqual([done.accepted, done.refused, done.problem], [2, 3, null])
      const reasons = new Map(
        (await world.deliveries(`sendingId=${id}`)).map((each) => [each.contactId, each.reason]),
      )
      assert.match(reasons.get(gone?.id), /deleted/)
      assert.match(reasons.get(hidden?.id), /not published/)
      assert.match(reasons.get(emptied?.id), /no email address/)
      const took = server.taken.filter((address) => address.includes(segment))
      assert.deepEqual(took.sort(), [`moved-${segment}@example.com`, same?.email].sort())
    })

    test('while its transport or the email is not published it waits and says so', async () => {
      calm()
      server.delayMs = 40
      const transportId = await world.transport(server.dsn)
      const emailId = await world.email(transportId)
      const { segment } = await world.segment(1_500)
      const id = await world.send(emailId, { segment })
      await world.until(id, ({ accepted }) => accepted > 5)
      const publish = (path: string, isPublished: boolean) =>
        shared.yard.ask('PATCH', path, { isPublished })
      await publish(`/api/multipleTransports/${transportId}/edit`, false)
      const waiting = await world.until(id, ({ problem }) => problem !== null)
      assert.match(waiting.problem, /not published/)
      await publish(`/api/multipleTransports/${transportId}/edit`, true)
      clock.advance(10_000)
      await world.until(
        id,
        ({ accepted, problem }) => accepted > waiting.accepted && problem === null,
      )
      await publish(`/api/emails/${emailId}/edit`, false)
      const { problem } = await world.until(id, (sending) => sending.problem !== null)
      assert.equal(problem, 'The email is not published.')
      const refused = await shared.yard.ask('POST', `/api/emails/${emailId}/send`, { segment })
      assert.equal(refused.status, 404)
      await publish(`/api/emails/${emailId}/edit`, true)
      const done = await world.until(id, ({ status }) => status === 'done')
      assert.deepEqual([done.accepted, done.problem], [1_500, null])
    })

    test('a sending whose email is deleted is cancelled, and still shown', async () => {
      calm()
      server.delayMs = 40
      const emailId = await world.email(await world.transport(server.dsn))
      const { segment } = await world.segment(1_500)
      const id = await world.send(emailId, { segment })
      await world.until(id, ({ accepted }) => accepted > 5)
      await shared.yard.ask('DELETE', `/api/emails/${emailId}/delete`)
      const cancelled = await world.until(id, ({ status }) => status === 'cancelled')
      assert.deepEqual([cancelled.problem, cancelled.email.id], ['The email was deleted.', emailId])
    })

    test('a template that cannot be rendered for anybody stops the sending before it burns the list', async () => {
      calm()
      const template = await addTemplate(shared.yard, { template: '{{ 1 // contact.points }}' })
      const emailId = await world.email(await world.transport(server.dsn), {
        plainText: `{twigtemplate=${template.id}}`,
      })
      const { segment } = await world.segment(40)
      const id = await world.send(emailId, { segment })
      const paused = await world.until(id, ({ status }) => status === 'paused')
      assert.match(paused.problem, /cannot be rendered/)
      assert.deepEqual([paused.accepted, paused.refused, paused.remaining], [0, 0, 40])
      const mend = { template: 'fine' }
      await shared.yard.ask('PATCH', `/api/twigTemplates/${template.id}/edit`, mend)
      await world.act(id, 'resume')
      const done = await world.until(id, ({ status }) => status === 'done')
      assert.deepEqual([done.accepted, done.problem], [40, null])
    })

    test('a contact for whom the email cannot be rendered is refused, and no other', async () => {
      calm()
      const template = await addTemplate(shared.yard, { template: '{{ 1 // contact.points }}' })
      const emailId = await world.email(await world.transport(server.dsn), {
        plainText: `{twigtemplate=${template.id}}`,
      })
      const { segment, contacts } = await world.segment(30, (index) => ({
        points: index === 7 || index === 29 ? 0 : 1,
      }))
      const id = await world.send(emailId, { segment })
      const done = await world.until(id, ({ status }) => status === 'done')
      assert.deepEqual([done.accepted, done.refused], [28, 2])
      const refused = await world.deliveries(`sendingId=${id}&outcome=refused`)
      assert.deepEqual(
        refused.map(({ contactId }) => contactId).sort((one, other) => one - other),
        [contacts[7]?.id, contacts[29]?.id],
      )
      assert.equal(refused[0].isPermanent, true)
    })

    test('a temporary refusal is tried again with longer and longer waits, up to 72 hours', async () => {
      calm()
      server.act = (recipient) =>
        recipient.endsWith('@later.example')
          ? { code: 451, text: '4.7.1 greylisted' }
          : recipient.endsWith('@never.example')
            ? { code: 550, text: '5.1.1 no such user' }
            : undefined
      const emailId = await world.email(await world.transport(server.dsn))
      const { segment } = await world.segment(3, (index) => ({
        email: `a${index}@${['later.example', 'never.example', 'example.com'][index]}`,
      }))
      const id = await world.send(emailId, { segment })
      const begun = await world.until(id, ({ remaining }) => remaining === 1)
      assert.deepEqual([begun.accepted, begun.refused, begun.status], [1, 1, 'running'])
      const tries = () => server.asked.filter((address) => address === 'a0@later.example').length
      const startedAt = clock.now()
      const triedAt = [startedAt]
      for (;;) {
        const known = tries()
        const waiting = await world.until(
          id,
          ({ nextAttempt, status }) => nextAttempt !== null || status === 'done',
        )
        if (waiting.status === 'done') break
        // Just before it is due nothing happens, just after it something does.
        clock.advance(Math.max(0, Date.parse(waiting.nextAttempt) + 1_000 - clock.now()))
        await world.act(id, 'resume')
        await world.until(id, ({ status }) => status === 'done' || tries() > known)
        triedAt.push(clock.now())
        assert.ok(triedAt.length < 200, 'it is given up at last')
      }
      const done = await world.get(id)
      assert.deepEqual([done.accepted, done.refused, done.remaining], [1, 2, 0])
      const waits = triedAt.slice(1).map((at, index) => at - (triedAt[index] ?? 0))
      assert.ok((waits[0] ?? 0) < 60_000, 'the first wait is short')
      assert.ok(Math.max(...waits) < 1.6 * hourMs, 'no wait is longer than an hour and a half')
      const spanMs = (triedAt.at(-1) ?? 0) - startedAt
      assert.ok(spanMs > 69 * hourMs && spanMs < 74 * hourMs, `it was tried for ${spanMs} ms`)
      assert.equal(server.asked.filter((one) => one === 'a1@never.example').length, 1)
    })

    test('a server that is down is left alone for a while, and the sending says why it waits', async () => {
      calm()
      const away = await startScriptedServer()
      await away.stop()
      const emailId = await world.email(await world.transport(away.dsn))
      const { segment } = await world.segment(200)
      const id = await world.send(emailId, { segment })
      const waiting = await world.until(id, ({ problem }) => problem !== null)
      assert.match(waiting.problem, /refuse|reach|connect/i)
      await setTimeout(500)
      const tried = await world.deliveries(`sendingId=${id}`)
      assert.ok(tried.length < 30, `${tried.length} attempts were made`)
      const back = await startScriptedServer(away.port)
      for (let round = 0; round < 8; round++) {
        clock.advance(hourMs)
        await setTimeout(300)
      }
      const done = await world.until(id, ({ status }) => status === 'done')
      await back.stop()
      assert.deepEqual([done.accepted, done.problem], [200, null])
      assert.equal(new Set(back.taken).size, 200)
    })

    test('a transport that has failed for long is used within seconds of its DSN being mended', async () => {
      calm()
      const away = await startScriptedServer()
      await away.stop()
      const transportId = await world.transport(away.dsn)
      const { segment } = await world.segment(50)
      const id = await world.send(await world.email(transportId), { segment })
      await world.until(id, ({ problem }) => problem !== null)
      for (let round = 0; round < 3; round++) {
        clock.advance(hourMs)
        await setTimeout(1_200)
      }
      const edit = `/api/multipleTransports/${transportId}/edit`
      await shared.yard.ask('PATCH', edit, { mailerDsn: server.dsn })
      const startedAt = performance.now()
      await world.until(id, ({ accepted }) => accepted > 20)
      assert.ok(performance.now() - startedAt < 10_000, 'it is used within seconds')
      await world.act(id, 'cancel')
    })

    test('a transport whose DSN cannot be read holds up no other sending, and its own says why', async () => {
      calm()
      const bad = await world.transport(server.dsn)
      const badEmail = await world.email(bad)
      const goodEmail = await world.email(await world.transport(server.dsn))
      const db = shared.yard.app.storage.tables<{
        transports: { id: number; mailer_dsn: string }
      }>()
      const ofBad = db.selectFrom('transports').select('mailer_dsn').where('id', '=', bad)
      const { mailer_dsn: sealed } = await ofBad.executeTakeFirstOrThrow()
      // As from a back-up that was made with another key.
      const damaged = `${sealed.slice(0, -6)}${sealed.endsWith('AAAAAA') ? 'BBBBBB' : 'AAAAAA'}`
      const damage = db.updateTable('transports').set({ mailer_dsn: damaged })
      await damage.where('id', '=', bad).execute()
      const [first, second] = [await world.segment(5), await world.segment(5)]
      const held = await world.send(badEmail, { segment: first.segment })
      const free = await world.send(goodEmail, { segment: second.segment })
      const done = await world.until(free, ({ status }) => status === 'done')
      assert.equal(done.accepted, 5)
      const waiting = await world.until(held, ({ problem }) => problem !== null)
      assert.match(waiting.problem, /its DSN cannot be read with the keys that there are/)
      await world.act(held, 'cancel')
    })

    /** An email that leaves by a transport that works, but for the contacts of one owner. */
    const ownersEmail = async (ownersDsn: string) => {
      const emailId = await world.email(null)
      const owner = await addUser(shared.yard, 'administrator')
      await shared.yard.ask('POST', `/api/multipleTransport/transportEmail/${emailId}`, {
        transportId: await world.transport(server.dsn),
        useOwnerTransport: true,
      })
      const ownersTransport = await world.transport(ownersDsn)
      await shared.yard.ask('POST', `/api/multipleTransport/transportUser/${owner.id}`, {
        transportId: ownersTransport,
      })
      return { emailId, owner, ownersTransport }
    }

    test('a transport that fails does not hold up the contacts of other owners', async () => {
      calm()
      const away = await startScriptedServer()
      await away.stop()
      const { emailId, owner } = await ownersEmail(away.dsn)
      const { segment } = await world.segment(400, (index) =>
        index % 2 === 0 ? { owner: owner.id } : {},
      )
      const id = await world.send(emailId, { segment })
      const half = await world.until(id, ({ accepted }) => accepted === 200)
      assert.equal(half.remaining, 200)
      await world.act(id, 'cancel')
    })

    test("contacts whose owner's transport has failed for long leave within a minute of its DSN being mended", async () => {
      calm()
      const away = await startScriptedServer()
      await away.stop()
      const { emailId, owner, ownersTransport } = await ownersEmail(away.dsn)
      const { segment } = await world.segment(60, (index) =>
        index % 2 === 0 ? { owner: owner.id } : {},
      )
      const id = await world.send(emailId, { segment })
      await world.until(id, ({ accepted }) => accepted === 30)
      for (let round = 0; round < 6; round++) {
        clock.advance(hourMs)
        await setTimeout(1_200)
      }
      const edit = `/api/multipleTransports/${ownersTransport}/edit`
      await shared.yard.ask('PATCH', edit, { mailerDsn: server.dsn })
      clock.advance(60_000)
      const startedAt = performance.now()
      await world.until(id, ({ accepted }) => accepted > 40)
      assert.ok(performance.now() - startedAt < 10_000, 'a minute has passed')
      await world.act(id, 'cancel')
    })

    test('contacts with another transport are found behind thousands whose transport fails', async () => {
      calm()
      const away = await startScriptedServer()
      await away.stop()
      const { emailId, owner } = await ownersEmail(away.dsn)
      const { segment } = await world.segment(2_000, (index) =>
        index < 1_980 ? { owner: owner.id } : {},
      )
      const id = await world.send(emailId, { segment })
      const some = await world.until(id, ({ accepted }) => accepted === 20)
      assert.equal(some.remaining, 1_980)
      await world.act(id, 'cancel')
    })

    test('a sending whose transport has failed for long notices within seconds that its email is gone', async () => {
      calm()
      const away = await startScriptedServer()
      await away.stop()
      const emailId = await world.email(await world.transport(away.dsn))
      const { segment } = await world.segment(50)
      const id = await world.send(emailId, { segment })
      await world.until(id, ({ problem }) => problem !== null)
      for (let round = 0; round < 6; round++) {
        clock.advance(hourMs)
        await setTimeout(1_200)
      }
      await shared.yard.ask('DELETE', `/api/emails/${emailId}/delete`)
      const { problem } = await world.until(id, ({ status }) => status === 'cancelled')
      assert.match(problem, /email was deleted/)
    })

    test('the rate limit of a transport holds, and pausing does not wait for it', async () => {
      calm()
      const emailId = await world.email(await world.transport(`${server.dsn}?max_per_second=20`))
      const { segment } = await world.segment(100)
      const startedAt = performance.now()
      const id = await world.send(emailId, { segment })
      await world.until(id, ({ accepted }) => accepted >= 30)
      assert.ok(performance.now() - startedAt > 1_200, 'thirty take more than a second')
      const { accepted } = await world.act(id, 'pause')
      await setTimeout(700)
      assert.ok((await world.get(id)).accepted <= accepted + 6, 'few were waiting for their turn')
      await world.act(id, 'cancel')
    })

    test('an Idempotency-Key gives the same sending for the same request, and 409 for another', async () => {
      calm()
      const emailId = await world.email(await world.transport(server.dsn))
      const { segment, contacts } = await world.segment(20)
      const contactIds = contacts.map(({ id }) => id)
      const send = (body: object, key: string, yard = shared.yard) =>
        yard.ask('POST', `/api/emails/${emailId}/send`, body, {
          headers: { 'idempotency-key': key },
        })
      const answers = await Promise.all([1, 2, 3, 4].map(() => send({ contactIds }, 'k1')))
      const ids = new Set(answers.map(({ body }) => body.job.id))
      assert.equal(ids.size, 1)
      const turned = await send({ contactIds: contactIds.toReversed() }, 'k1')
      assert.deepEqual([turned.status, ids.has(turned.body.job.id)], [200, true])
      assert.equal((await send({ contactIds: contactIds.slice(1) }, 'k1')).status, 409)
      assert.equal((await send({ segment }, 'k1')).status, 409)
      const another = await shared.openAnother({ clock })
      assert.equal((await send({ contactIds }, 'k1', another)).body.job.id, [...ids][0])
      const [id = 0] = ids
      await world.until(id, ({ status }) => status === 'done')
      const took = server.taken.filter((address) => address.startsWith(`${segment}-`))
      assert.equal(took.length, 20)
    })

    test('an Idempotency-Key tells of its sending also once the email is not published, or gone', async () => {
      calm()
      const emailId = await world.email(await world.transport(server.dsn))
      const { segment } = await world.segment(3)
      const send = (key: string) =>
        shared.yard.ask(
          'POST',
          `/api/emails/${emailId}/send`,
          { segment },
          {
            headers: { 'idempotency-key': key },
          },
        )
      const { id } = (await send('told again')).body.job
      await world.until(id, ({ status }) => status === 'done')
      await shared.yard.ask('PATCH', `/api/emails/${emailId}/edit`, { isPublished: false })
      assert.equal((await send('told again')).body.job?.id, id)
      assert.equal((await send('another')).status, 404)
      await shared.yard.ask('DELETE', `/api/emails/${emailId}/delete`)
      assert.equal((await send('told again')).body.job?.id, id)
      assert.equal((await send('another')).status, 404)
    })

    test('thousands of contacts are taken in by and by; an unknown one is refused before that', async () => {
      calm()
      const emailId = await world.email(await world.transport('null://null'))
      const { segment, contacts } = await world.segment(2_500)
      const contactIds = contacts.map(({ id }) => id)
      const unknown = await shared.yard.ask('POST', `/api/emails/${emailId}/send`, {
        contactIds: [...contactIds, 999_999_999],
      })
      assert.deepEqual([unknown.status, unknown.body.error], [404, 'Contact not found: 999999999'])
      const id = await world.send(emailId, { contactIds: [...contactIds, ...contactIds] })
      const done = await world.until(id, ({ status }) => status === 'done')
      assert.deepEqual([done.total, done.accepted, done.isPrepared], [2_500, 2_500, true])
      const again = await world.send(emailId, { segment })
      const nobody = await world.until(again, ({ status }) => status === 'done')
      assert.deepEqual([nobody.total, nobody.segment], [0, segment])
    })
  },
  { clock },
)
