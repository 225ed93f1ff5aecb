import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { createBroadcastFixture, quickIntervals } from '../../test/broadcasts/broadcast-fixture.ts'
import { addTemplate, addUser } from '../../test/callers.ts'
import { onEachDatabase } from '../../test/on-each-database.ts'
import { startScriptedServer, useScriptedServer } from '../../test/scripted-server.ts'
import { until } from '../../test/until.ts'
import { volume } from '../../test/volume.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** More than twice as many as a worker claims ahead. */
const failingCount = volume({ short: 900, full: 1_480 })
/** More than are added at a time. */
const manyCount = volume({ short: 1_100, full: 2_500 })

onEachDatabase(
  'broadcasts',
  (shared) => {
    const { clock } = shared
    const fixture = createBroadcastFixture(() => shared.service)
    const server = useScriptedServer()
    const calm = () => {
      server.act = () => undefined
      server.gate = undefined
    }
    /** Lets the server take so many more messages, and the others once the result is called. */
    const holdAfter = (count: number) => {
      const held = Promise.withResolvers<void>()
      const takenMax = server.taken.length + count
      server.act = () => {
        if (server.taken.length >= takenMax) server.gate = held.promise
        return undefined
      }
      return () => {
        calm()
        held.resolve()
      }
    }
    /** Lets an hour pass after each failure of a transport, so that its back-off becomes the longest. */
    const failForHours = async (transportId: number, hours: number) => {
      const failures = () =>
        shared.service.logged.filter(
          (line) =>
            line.includes('transport unavailable') && JSON.parse(line).transportId === transportId,
        ).length
      for (let hour = 0; hour < hours; hour++) {
        const known = failures()
        clock.advance(hourMs)
        await until(() => failures() > known, 'the transport failed again')
      }
    }

    test('pause stops sending, resume continues it, cancel leaves the rest unsent', async () => {
      const release = holdAfter(30)
      const emailId = await fixture.email(await fixture.transport(server.dsn))
      const { segment, contacts } = await fixture.segment(300)
      const id = await fixture.send(emailId, { segment })
      await fixture.until(id, ({ accepted }) => accepted > 20)
      const paused = await fixture.act(id, 'pause')
      assert.equal(paused.state, 'paused')
      release()
      const settled = await fixture.untilSettled(id)
      assert.ok(settled.accepted - paused.accepted <= 60, 'only messages in flight were sent')
      const took = () => server.taken.filter((address) => address.startsWith(`${segment}-`)).length
      assert.equal(took(), settled.accepted)
      await setTimeout(3 * quickIntervals.idleMs)
      assert.equal((await fixture.get(id)).accepted, settled.accepted)
      assert.equal(took(), settled.accepted, 'nothing is sent while it is paused')
      const releaseOthers = holdAfter(30)
      await fixture.act(id, 'resume')
      await fixture.until(id, ({ accepted }) => accepted > settled.accepted + 20)
      await fixture.act(id, 'cancel')
      releaseOthers()
      const cancelled = await fixture.untilSettled(id)
      assert.deepEqual([cancelled.state, cancelled.queued], ['cancelled', 0])
      assert.ok(cancelled.remaining > 0)
      assert.equal(took(), cancelled.accepted)
      assert.equal((await fixture.deliveries(`broadcastId=${id}`)).length, cancelled.accepted)
      assert.equal((await shared.service.ask('POST', `/api/broadcasts/${id}/resume`)).status, 409)
      const rest = await fixture.send(emailId, { segment })
      const done = await fixture.until(rest, ({ state }) => state === 'done')
      assert.equal(done.accepted, contacts.length - cancelled.accepted, 'the next takes the rest')
      assert.equal(new Set(server.taken.filter((one) => one.startsWith(`${segment}-`))).size, 300)
    })

    test('two concurrent broadcasts of one email reach each contact once', async () => {
      calm()
      const emailId = await fixture.email(await fixture.transport(server.dsn))
      const { segment, contacts } = await fixture.segment(200)
      const contactIds = contacts.map(({ id }) => id)
      const ids = await Promise.all([
        fixture.send(emailId, { segment }),
        fixture.send(emailId, { contactIds: contactIds.slice(0, 150) }),
        fixture.send(emailId, { contactIds: contactIds.slice(50) }),
      ])
      const ended = await Promise.all(
        ids.map((id) => fixture.until(id, ({ state }) => state === 'done')),
      )
      const total = ended.reduce((sum, { accepted }) => sum + accepted, 0)
      assert.equal(total, 200)
      const took = server.taken.filter((address) => address.startsWith(`${segment}-`))
      assert.deepEqual([took.length, new Set(took).size], [200, 200])
    })

    test('without a transport a broadcast waits and says why; it then reads its contacts again', async () => {
      calm()
      const emailId = await fixture.email(null)
      const { segment, contacts } = await fixture.segment(5)
      const id = await fixture.send(emailId, { segment })
      const waiting = await fixture.until(id, ({ problem }) => problem !== null)
      assert.match(waiting.problem, /no transport/)
      assert.deepEqual([waiting.state, waiting.queued], ['running', 5])
      const [gone, hidden, moved, emptied, same] = contacts
      const edit = (contactId: number | undefined, change: object) =>
        shared.service.ask('PATCH', `/api/contacts/${contactId}/edit`, change)
      await shared.service.ask('DELETE', `/api/contacts/${gone?.id}/delete`)
      await edit(hidden?.id, { isPublished: false })
      await edit(moved?.id, { email: `moved-${segment}@example.com` })
      await edit(emptied?.id, { email: '' })
      await fixture.assign(emailId, await fixture.transport(server.dsn))
      const done = await fixture.until(id, ({ state }) => state === 'done')
      assert.deepEqual([done.accepted, done.refused, done.problem], [2, 3, null])
      const reasons = new Map(
        (await fixture.deliveries(`broadcastId=${id}`)).map((each) => [
          each.contactId,
          each.reason,
        ]),
      )
      assert.match(reasons.get(gone?.id), /deleted/)
      assert.match(reasons.get(hidden?.id), /not published/)
      assert.match(reasons.get(emptied?.id), /no email address/)
      const took = server.taken.filter((address) => address.includes(segment))
      assert.deepEqual(took.sort(), [`moved-${segment}@example.com`, same?.email].sort())
    })

    test('a broadcast waits while its transport or its email is not published, and says so', async () => {
      const release = holdAfter(20)
      const transportId = await fixture.transport(server.dsn)
      const emailId = await fixture.email(transportId)
      const { segment } = await fixture.segment(200)
      const id = await fixture.send(emailId, { segment })
      await fixture.until(id, ({ accepted }) => accepted > 5)
      const publish = (path: string, isPublished: boolean) =>
        shared.service.ask('PATCH', path, { isPublished })
      await publish(`/api/multipleTransports/${transportId}/edit`, false)
      release()
      const waiting = await fixture.until(id, ({ problem }) => problem !== null)
      assert.match(waiting.problem, /not published/)
      const releaseOthers = holdAfter(20)
      await publish(`/api/multipleTransports/${transportId}/edit`, true)
      clock.advance(10_000)
      await fixture.until(
        id,
        ({ accepted, problem }) => accepted > waiting.accepted && problem === null,
      )
      await publish(`/api/emails/${emailId}/edit`, false)
      releaseOthers()
      const { problem } = await fixture.until(id, (broadcast) => broadcast.problem !== null)
      assert.equal(problem, 'The email is not published.')
      const refused = await shared.service.ask('POST', `/api/emails/${emailId}/send`, { segment })
      assert.equal(refused.status, 404)
      await publish(`/api/emails/${emailId}/edit`, true)
      clock.advance(15_000)
      const done = await fixture.until(id, ({ state }) => state === 'done')
      assert.deepEqual([done.accepted, done.problem], [200, null])
    })

    test('a broadcast whose email is deleted is cancelled and still listed', async () => {
      const release = holdAfter(20)
      const emailId = await fixture.email(await fixture.transport(server.dsn), { name: 'Winter' })
      const { segment } = await fixture.segment(200)
      const id = await fixture.send(emailId, { segment })
      await fixture.until(id, ({ accepted }) => accepted > 5)
      const path = `/api/emails/${emailId}/delete`
      await shared.service.ask('DELETE', path)
      release()
      const cancelled = await fixture.until(id, ({ state }) => state === 'cancelled')
      assert.equal(cancelled.problem, 'The email was deleted.')
      assert.deepEqual(cancelled.email, { id: emailId, name: 'Winter', isDeleted: true })
      await shared.service.ask('DELETE', `${path}?erase=1`)
      assert.equal((await fixture.get(id)).email.name, '')
    })

    test('a template that cannot be rendered for any contact pauses the broadcast after a few', async () => {
      calm()
      const template = await addTemplate(shared.service, { template: '{{ 1 // contact.points }}' })
      const emailId = await fixture.email(await fixture.transport(server.dsn), {
        plainText: `{twigtemplate=${template.id}}`,
      })
      const { segment } = await fixture.segment(40)
      const id = await fixture.send(emailId, { segment })
      const paused = await fixture.until(id, ({ state }) => state === 'paused')
      assert.match(paused.problem, /cannot be rendered/)
      assert.deepEqual([paused.accepted, paused.refused, paused.remaining], [0, 0, 40])
      const fix = { template: 'fine' }
      await shared.service.ask('PATCH', `/api/twigTemplates/${template.id}/edit`, fix)
      await fixture.act(id, 'resume')
      const done = await fixture.until(id, ({ state }) => state === 'done')
      assert.deepEqual([done.accepted, done.problem], [40, null])
    })

    test('only the contact for whom the email cannot be rendered is refused', async () => {
      calm()
      const template = await addTemplate(shared.service, { template: '{{ 1 // contact.points }}' })
      const emailId = await fixture.email(await fixture.transport(server.dsn), {
        plainText: `{twigtemplate=${template.id}}`,
      })
      const { segment, contacts } = await fixture.segment(30, (index) => ({
        points: index === 7 || index === 29 ? 0 : 1,
      }))
      const id = await fixture.send(emailId, { segment })
      const done = await fixture.until(id, ({ state }) => state === 'done')
      assert.deepEqual([done.accepted, done.refused], [28, 2])
      const refused = await fixture.deliveries(`broadcastId=${id}&outcome=refused`)
      assert.deepEqual(
        refused.map(({ contactId }) => contactId).sort((one, other) => one - other),
        [contacts[7]?.id, contacts[29]?.id],
      )
    })

    test('a temporary refusal is retried with growing back-off, up to 72 hours', async () => {
      calm()
      server.act = (recipient) =>
        recipient.endsWith('@later.example')
          ? { code: 451, text: '4.7.1 greylisted' }
          : recipient.endsWith('@never.example')
            ? { code: 550, text: '5.1.1 no such user' }
            : undefined
      const emailId = await fixture.email(await fixture.transport(server.dsn))
      const { segment } = await fixture.segment(3, (index) => ({
        email: `a${index}@${['later.example', 'never.example', 'example.com'][index]}`,
      }))
      const id = await fixture.send(emailId, { segment })
      const started = await fixture.until(id, ({ remaining }) => remaining === 1)
      assert.deepEqual([started.accepted, started.refused, started.state], [1, 1, 'running'])
      const tries = () => server.asked.filter((address) => address === 'a0@later.example').length
      const startedAt = clock.now()
      const triedAt = [startedAt]
      const skippedMs = 50 * hourMs
      for (;;) {
        // Most of the tries at the longest wait are left out.
        if (triedAt.length === 12) clock.advance(skippedMs)
        const known = tries()
        const waiting = await fixture.until(
          id,
          ({ nextAttempt, state }) => nextAttempt !== null || state === 'done',
        )
        if (waiting.state === 'done') break
        // Just before it is due nothing happens, just after it something does.
        clock.advance(Math.max(0, Date.parse(waiting.nextAttempt) + 1_000 - clock.now()))
        await fixture.until(id, ({ state }) => state === 'done' || tries() > known)
        triedAt.push(clock.now())
        assert.ok(triedAt.length < 100, 'it is given up at last')
      }
      const done = await fixture.get(id)
      assert.deepEqual([done.accepted, done.refused, done.remaining], [1, 2, 0])
      const all = triedAt.slice(1).map((at, index) => at - (triedAt[index] ?? 0))
      const waits = all.filter((wait) => wait < skippedMs)
      assert.equal(all.length - waits.length, 1)
      assert.ok((waits[0] ?? 0) < 60_000, 'the first wait is short')
      assert.ok(Math.max(...waits) < 1.6 * hourMs, 'no wait is longer than an hour and a half')
      const spanMs = (triedAt.at(-1) ?? 0) - startedAt
      assert.ok(spanMs > 69 * hourMs && spanMs < 74 * hourMs, `it was tried for ${spanMs} ms`)
      assert.equal(server.asked.filter((one) => one === 'a1@never.example').length, 1)
    })

    test('a server that is down gets a back-off, and the broadcast says why it waits', async () => {
      calm()
      const away = await startScriptedServer()
      await away.stop()
      const emailId = await fixture.email(await fixture.transport(away.dsn))
      const { segment } = await fixture.segment(200)
      const id = await fixture.send(emailId, { segment })
      const waiting = await fixture.until(id, ({ problem }) => problem !== null)
      assert.match(waiting.problem, /refuse|reach|connect/i)
      await setTimeout(3 * quickIntervals.idleMs)
      const tried = await fixture.deliveries(`broadcastId=${id}`)
      assert.ok(tried.length < 30, `${tried.length} attempts were made`)
      const back = await startScriptedServer(away.port)
      const done = await fixture.until(id, ({ state }) => {
        clock.advance(minuteMs)
        return state === 'done'
      })
      await back.stop()
      assert.deepEqual([done.accepted, done.problem], [200, null])
      assert.equal(new Set(back.taken).size, 200)
    })

    test('a transport that has failed for long is used within seconds after its DSN is fixed', async () => {
      calm()
      const away = await startScriptedServer()
      await away.stop()
      const transportId = await fixture.transport(away.dsn)
      const { segment } = await fixture.segment(50)
      const id = await fixture.send(await fixture.email(transportId), { segment })
      await fixture.until(id, ({ problem }) => problem !== null)
      await failForHours(transportId, 3)
      const edit = `/api/multipleTransports/${transportId}/edit`
      await shared.service.ask('PATCH', edit, { mailerDsn: server.dsn })
      // By its own clock, the transport is tried again only minutes later.
      await fixture.until(id, ({ accepted }) => accepted > 20)
      await fixture.end(id)
    })

    test('a transport whose DSN cannot be decrypted stops only its own broadcast, which says why', async () => {
      calm()
      const bad = await fixture.transport(server.dsn)
      const badEmail = await fixture.email(bad)
      const goodEmail = await fixture.email(await fixture.transport(server.dsn))
      const db = shared.service.app.storage.tables<{
        transports: { id: number; mailer_dsn: string }
      }>()
      const ofBad = db.selectFrom('transports').select('mailer_dsn').where('id', '=', bad)
      const { mailer_dsn: sealed } = await ofBad.executeTakeFirstOrThrow()
      // As after restoring a back-up that was made with another key.
      const damaged = `${sealed.slice(0, -6)}${sealed.endsWith('AAAAAA') ? 'BBBBBB' : 'AAAAAA'}`
      const damage = db.updateTable('transports').set({ mailer_dsn: damaged })
      await damage.where('id', '=', bad).execute()
      const [first, second] = [await fixture.segment(5), await fixture.segment(5)]
      const held = await fixture.send(badEmail, { segment: first.segment })
      const free = await fixture.send(goodEmail, { segment: second.segment })
      const done = await fixture.until(free, ({ state }) => state === 'done')
      assert.equal(done.accepted, 5)
      const waiting = await fixture.until(held, ({ problem }) => problem !== null)
      assert.match(waiting.problem, /no configured key decrypts its DSN/)
      await fixture.act(held, 'cancel')
    })

    /** An email with a working transport, except for the contacts of one owner. */
    const ownersEmail = async (ownersDsn: string) => {
      const emailId = await fixture.email(null)
      const owner = await addUser(shared.service, 'administrator')
      await shared.service.ask('POST', `/api/multipleTransport/transportEmail/${emailId}`, {
        transportId: await fixture.transport(server.dsn),
        useOwnerTransport: true,
      })
      const ownersTransport = await fixture.transport(ownersDsn)
      await shared.service.ask('POST', `/api/multipleTransport/transportUser/${owner.id}`, {
        transportId: ownersTransport,
      })
      return { emailId, owner, ownersTransport }
    }

    test('a failing transport does not delay the contacts of other owners', async () => {
      calm()
      const away = await startScriptedServer()
      await away.stop()
      const { emailId, owner } = await ownersEmail(away.dsn)
      const { segment } = await fixture.segment(400, (index) =>
        index % 2 === 0 ? { owner: owner.id } : {},
      )
      const id = await fixture.send(emailId, { segment })
      const half = await fixture.until(id, ({ accepted }) => accepted === 200)
      assert.equal(half.remaining, 200)
      await fixture.act(id, 'cancel')
    })

    test("contacts whose owner's transport has failed for long are sent to within a minute after its DSN is fixed", async () => {
      calm()
      const away = await startScriptedServer()
      await away.stop()
      const { emailId, owner, ownersTransport } = await ownersEmail(away.dsn)
      const { segment } = await fixture.segment(60, (index) =>
        index % 2 === 0 ? { owner: owner.id } : {},
      )
      const id = await fixture.send(emailId, { segment })
      await fixture.until(id, ({ accepted }) => accepted === 30)
      await failForHours(ownersTransport, 6)
      const edit = `/api/multipleTransports/${ownersTransport}/edit`
      await shared.service.ask('PATCH', edit, { mailerDsn: server.dsn })
      clock.advance(60_000)
      await fixture.until(id, ({ accepted }) => accepted > 40)
      await fixture.end(id)
    })

    test('contacts with another transport are found behind many whose transport fails', async () => {
      calm()
      const away = await startScriptedServer()
      await away.stop()
      const { emailId, owner } = await ownersEmail(away.dsn)
      const { segment } = await fixture.segment(failingCount + 20, (index) =>
        index < failingCount ? { owner: owner.id } : {},
      )
      const id = await fixture.send(emailId, { segment })
      const some = await fixture.until(id, ({ accepted }) => accepted === 20)
      assert.equal(some.remaining, failingCount)
      await fixture.act(id, 'cancel')
    })

    test('a broadcast whose transport has failed for long notices within seconds that its email was deleted', async () => {
      calm()
      const away = await startScriptedServer()
      await away.stop()
      const transportId = await fixture.transport(away.dsn)
      const emailId = await fixture.email(transportId)
      const { segment } = await fixture.segment(50)
      const id = await fixture.send(emailId, { segment })
      await fixture.until(id, ({ problem }) => problem !== null)
      await failForHours(transportId, 6)
      await shared.service.ask('DELETE', `/api/emails/${emailId}/delete`)
      const { problem } = await fixture.until(id, ({ state }) => state === 'cancelled')
      assert.match(problem, /email was deleted/)
    })

    test('the rate limit of a transport is observed, and pausing does not wait for it', async () => {
      calm()
      const emailId = await fixture.email(
        await fixture.transport(`${server.dsn}?max_per_second=20`),
      )
      // Without the limit all are sent at once; with it, six hundred take half a minute.
      const { segment } = await fixture.segment(600)
      const id = await fixture.send(emailId, { segment })
      await fixture.until(id, ({ accepted }) => accepted >= 30)
      const { accepted } = await fixture.act(id, 'pause')
      assert.ok(accepted < 500, `${accepted} were sent`)
      const settled = await fixture.untilSettled(id)
      assert.ok(settled.accepted <= accepted + 60, 'only those in flight are still sent')
      await fixture.act(id, 'cancel')
    })

    test('an Idempotency-Key returns the same broadcast for the same request, and 409 for another', async () => {
      calm()
      const emailId = await fixture.email(await fixture.transport(server.dsn))
      const { segment, contacts } = await fixture.segment(20)
      const contactIds = contacts.map(({ id }) => id)
      const send = (body: object, key: string, service = shared.service) =>
        service.ask('POST', `/api/emails/${emailId}/send`, body, {
          headers: { 'idempotency-key': key },
        })
      // Not later: on SQLite, a process that starts takes what another one renders for the work of one that has ended.
      const another = await shared.openAnother()
      const answers = await Promise.all([1, 2, 3, 4].map(() => send({ contactIds }, 'k1')))
      const ids = new Set(answers.map(({ body }) => body.job.id))
      assert.equal(ids.size, 1)
      const turned = await send({ contactIds: contactIds.toReversed() }, 'k1')
      assert.deepEqual([turned.status, ids.has(turned.body.job.id)], [200, true])
      assert.equal((await send({ contactIds: contactIds.slice(1) }, 'k1')).status, 409)
      assert.equal((await send({ segment }, 'k1')).status, 409)
      assert.equal((await send({ contactIds }, 'k1', another)).body.job.id, [...ids][0])
      const [id = 0] = ids
      await fixture.until(id, ({ state }) => state === 'done')
      const took = server.taken.filter((address) => address.startsWith(`${segment}-`))
      assert.equal(took.length, 20)
    })

    test('an Idempotency-Key returns its broadcast even if the email was unpublished or deleted', async () => {
      calm()
      const emailId = await fixture.email(await fixture.transport(server.dsn))
      const { segment } = await fixture.segment(3)
      const send = (key: string) =>
        shared.service.ask(
          'POST',
          `/api/emails/${emailId}/send`,
          { segment },
          {
            headers: { 'idempotency-key': key },
          },
        )
      const { id } = (await send('repeated')).body.job
      await fixture.until(id, ({ state }) => state === 'done')
      await shared.service.ask('PATCH', `/api/emails/${emailId}/edit`, { isPublished: false })
      assert.equal((await send('repeated')).body.job?.id, id)
      assert.equal((await send('another')).status, 404)
      await shared.service.ask('DELETE', `/api/emails/${emailId}/delete`)
      assert.equal((await send('repeated')).body.job?.id, id)
      assert.equal((await send('another')).status, 404)
    })

    test('thousands of contacts are added in batches; an unknown one is refused before', async () => {
      calm()
      const emailId = await fixture.email(await fixture.transport('null://null'))
      const { segment, contacts } = await fixture.segment(manyCount)
      const contactIds = contacts.map(({ id }) => id)
      const unknown = await shared.service.ask('POST', `/api/emails/${emailId}/send`, {
        contactIds: [...contactIds, 999_999_999],
      })
      assert.deepEqual([unknown.status, unknown.body.error], [404, 'Contact not found: 999999999'])
      const id = await fixture.send(emailId, { contactIds: [...contactIds, ...contactIds] })
      const done = await fixture.until(id, ({ state }) => state === 'done')
      assert.deepEqual([done.total, done.accepted, done.isPrepared], [manyCount, manyCount, true])
      const again = await fixture.send(emailId, { segment })
      const empty = await fixture.until(again, ({ state }) => state === 'done')
      assert.deepEqual([empty.total, empty.segment], [0, segment])
    })
  },
  { intervals: quickIntervals, isConcurrent: true },
)
